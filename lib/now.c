// SPDX-License-Identifier: MIT
/* now.c - the thread's state, and the path of a reading that is not cached */
#include "internal.h"

/* Signals and switches that hit one call this often leave it without a cached reading. */
#define ATTEMPTS 8

const volatile uint64_t plugclock_nothing = UINT64_MAX;

__thread struct plugclock_thread plugclock_thread_state
	__attribute__((tls_model("initial-exec"))) = {
		.word = &plugclock_nothing, .expect = 1, .never = 1};

/* The library's own copy of the header's inline function. */
extern inline uint64_t plugclock_now_ns(void);

static inline void count(enum plugclock_cause cause)
{
	plugclock_thread_tally.by_cause[cause]++;
}

/* Why the cached reading will not do. Inside a plug. */
static enum plugclock_cause why(const struct plugclock_thread *thread)
{
	uint64_t expect = thread->expect;
	enum plugclock_cause cause;

	if (!plugclock_is_never(expect))
		return *thread->word == expect ? PLUGCLOCK_ASKED : PLUGCLOCK_SWITCHED;
	/* Whoever takes it away without a word is a handler. */
	cause = plugclock_thread_tally.dropped_by;
	plugclock_thread_tally.dropped_by = PLUGCLOCK_DISTURBED;
	return cause;
}

/*
 * Reads the clock once and makes that the cached reading, unless a signal handler comes
 * in between. What has to hold:
 *
 * - The detector is armed before the clock is read: a switch in between then costs a
 *   reading. The other way round it would go unseen.
 * - Arming must not make an older stamp good again. So 'expect' is a value that the word
 *   never has until the new stamp is in place, and a handler that comes before that does
 *   not cache what it reads.
 * - If a handler read the clock, flushed or finished, 'expect' is not our 'never' any
 *   more, and our reading, which is older than that, does not become good.
 */
static void renew(struct plugclock_thread *thread)
{
	uint64_t never = plugclock_never(thread);
	uint64_t good;

	thread->renewing = 1;
	plugclock_barrier();
	thread->expect = never;
	plugclock_barrier();
	good = thread->ops->arm();
	plugclock_barrier();
	thread->now_ns = plugclock_source_read_ns();
	plugclock_barrier();
	/* One instruction to a handler of this thread; no other thread looks. */
	__atomic_compare_exchange_n(&thread->expect, &never, good, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	plugclock_barrier();
	thread->renewing = 0;
}

uint64_t plugclock_read_ns(void)
{
	struct plugclock_thread *thread = &plugclock_thread_state;
	uint64_t seen, now;
	int i;

	for (i = 0; thread->plug && i < ATTEMPTS; i++) {
		if (thread->renewing) {
			/* A handler inside renew(): spoil that reading, cache none. */
			thread->expect = plugclock_never(thread);
			break;
		}
		count(why(thread));
		renew(thread);
		/* Did it become good, and is it still, from after the last switch? */
		seen = *thread->word;
		if (seen == thread->expect)
			return thread->now_ns;
	}
	count(PLUGCLOCK_UNCACHED);
	now = plugclock_source_read_ns();
	/*
	 * Not cached, so no older one may be from now on: that of a handler which came
	 * after the last attempt, or of the plug that finish() is about to drop, if this
	 * is a handler.
	 */
	if (!plugclock_is_never(thread->expect))
		thread->expect = plugclock_never(thread);
	return now;
}
