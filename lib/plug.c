// SPDX-License-Identifier: MIT
/* plug.c - where caching begins and ends */
#include "balance.h"
#include "internal.h"

#include <errno.h>
#include <stddef.h>

#define ALL_FLAGS (PLUGCLOCK_FLUSHES_SYSCALLS | PLUGCLOCK_TRUST_CALLER)

void plugclock_drop(struct plugclock_thread *thread)
{
	thread->expect = plugclock_never(thread);
	plugclock_barrier();
	thread->ops->disarm();
}

void plugclock_detach(struct plugclock_thread *thread)
{
	if (!thread->plug)
		return;
	/* In this order: after the drop a handler in the plug could cache once more. */
	thread->plug = NULL;
	plugclock_barrier();
	plugclock_drop(thread);
	plugclock_barrier();
	/* The word may be in memory that a child of vfork() or clone() does not have. */
	thread->word = &plugclock_nothing;
}

/* What guards a plug with these promises in this thread, and which of them it needs. */
static const struct plugclock_detector_ops *find_guard(unsigned int flags,
						       unsigned int *relies_on)
{
	const struct plugclock_choice *choice = plugclock_choose();

	*relies_on = choice->reach == PLUGCLOCK_DETECTOR_USER ? ALL_FLAGS : 0;
	if (choice->ops && (!*relies_on || (flags & *relies_on)) && choice->ops->word())
		return choice->ops;
	*relies_on = PLUGCLOCK_TRUST_CALLER;
	if ((flags & PLUGCLOCK_TRUST_CALLER) && plugclock_fork_is_seen)
		return &plugclock_detect_trust;
	return NULL;
}

void plugclock_attach(const struct plugclock_plug *plug, unsigned int flags)
{
	struct plugclock_thread *thread = &plugclock_thread_state;
	unsigned int relies_on;
	const struct plugclock_detector_ops *ops = find_guard(flags, &relies_on);
	const volatile uint64_t *word = ops ? ops->word() : NULL;

	if (!word)
		return; /* without a plug every reading is a fresh one */
	thread->ops = ops;
	thread->flags = flags;
	thread->relies_on = relies_on;
	thread->renewing = 0; /* a handler may have jumped out of it */
	plugclock_drop(thread);
	plugclock_thread_tally.dropped_by = PLUGCLOCK_STARTED;
	plugclock_barrier();
	thread->plug = plug;
	plugclock_barrier();
	/*
	 * Last, since a plug that a handler starts and finishes before takes it away.
	 * Should that have left another 'ops', then no stamp becomes good by this word.
	 */
	thread->word = word;
}

int plugclock_start(struct plugclock_plug *plug, unsigned int flags)
{
	struct plugclock_thread *thread = &plugclock_thread_state;

	if (!plug || (flags & ~ALL_FLAGS))
		return -EINVAL;
	plugclock_balance_start(plug);
	if (!thread->plug)
		plugclock_attach(plug, flags);
	else if (thread->relies_on && !(flags & thread->relies_on))
		plugclock_detach(thread);
	return 0;
}

void plugclock_finish(struct plugclock_plug *plug)
{
	struct plugclock_thread *thread = &plugclock_thread_state;

	plugclock_balance_finish(plug);
	if (plug && thread->plug == plug)
		plugclock_detach(thread);
}

void plugclock_flush(void)
{
	struct plugclock_thread *thread = &plugclock_thread_state;

	if (thread->plug)
		plugclock_drop(thread);
	plugclock_thread_tally.dropped_by = PLUGCLOCK_FLUSHED;
}
