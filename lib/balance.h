/* SPDX-License-Identifier: MIT */
/*
 * balance.h - a debug build (-DPLUGCLOCK_DEBUG) asserts that plugs are used in pairs
 *
 * Misuse is harmless, so that a release build lets it pass: a plug finished that was not
 * started, finished twice, started twice, or finished before those inside it.
 */
#ifndef PLUGCLOCK_BALANCE_H
#define PLUGCLOCK_BALANCE_H

#include "plugclock.h"

#ifdef PLUGCLOCK_DEBUG

#undef NDEBUG
#include <assert.h>
#include <stddef.h>

/* Handlers that pair their own plugs leave these as they found them. */
static __thread struct {
	const struct plugclock_plug *outermost;
	unsigned int depth;
} balance __attribute__((tls_model("initial-exec")));

static inline void plugclock_balance_start(const struct plugclock_plug *plug)
{
	assert(!balance.depth || plug != balance.outermost); /* started twice? */
	if (!balance.depth++)
		balance.outermost = plug;
}

static inline void plugclock_balance_finish(const struct plugclock_plug *plug)
{
	assert(plug);
	assert(balance.depth); /* was it started in this thread, and not finished yet? */
	balance.depth--;
	assert((plug == balance.outermost) == !balance.depth); /* the inner ones first */
}

#else

static inline void plugclock_balance_start(const struct plugclock_plug *plug)
{
	(void)plug;
}

static inline void plugclock_balance_finish(const struct plugclock_plug *plug)
{
	(void)plug;
}

#endif

#endif
