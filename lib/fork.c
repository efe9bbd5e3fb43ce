// SPDX-License-Identifier: MIT
/*
 * fork.c - no reading survives into a child
 *
 * The detector need not see fork() as a switch, and the word that it watches may not
 * exist in the child. So the forking thread closes its plug before, and opens it again
 * after, on both sides. Children of vfork() share the parent's memory, which waits for
 * them, and those of a bare clone() or _Fork() must not use a plug that was open then.
 */
#include "internal.h"

#include <pthread.h>
#include <stddef.h>

/* The plug that was open before. */
static __thread const struct plugclock_plug *suspended
	__attribute__((tls_model("initial-exec")));
static __thread unsigned int suspended_flags __attribute__((tls_model("initial-exec")));

bool plugclock_fork_is_seen;

static void tell_detector(enum plugclock_fork when)
{
	const struct plugclock_detector_ops *ops = plugclock_thread_state.ops;

	if (ops && ops->fork)
		ops->fork(when);
}

static void before_fork(void)
{
	suspended = plugclock_thread_state.plug;
	suspended_flags = plugclock_thread_state.flags;
	plugclock_detach(&plugclock_thread_state);
	tell_detector(PLUGCLOCK_BEFORE_FORK);
}

static void resume(void)
{
	if (suspended)
		plugclock_attach(suspended, suspended_flags);
}

static void in_parent(void)
{
	tell_detector(PLUGCLOCK_IN_PARENT);
	resume();
}

static void in_child(void)
{
	tell_detector(PLUGCLOCK_IN_CHILD);
	resume();
}

/* Here because pthread_atfork() is not for signal handlers, which may start a plug. */
__attribute__((constructor)) static void watch_fork(void)
{
	plugclock_fork_is_seen = !pthread_atfork(before_fork, in_parent, in_child);
}
