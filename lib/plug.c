// SPDX-License-Identifier: MIT
/* plug.c - where caching begins and ends */
#include "internal.h"

#include <errno.h>
#include <stddef.h>

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

void plugclock_attach(const struct plugclock_plug *plug)
{
	struct plugclock_thread *thread = &plugclock_thread_state;
	const struct plugclock_detector_ops *ops = plugclock_detector_choose();
	const volatile uint64_t *word = ops ? ops->word() : NULL;

	if (!word)
		return; /* without a plug every reading is a fresh one */
	thread->ops = ops;
	thread->renewing = 0; /* a handler may have jumped out of it */
	plugclock_drop(thread);
	plugclock_barrier();
	thread->plug = plug;
	plugclock_barrier();
	/* Last, since a plug that a handler starts and finishes before takes it away. */
	thread->word = word;
}

int plugclock_start(struct plugclock_plug *plug, unsigned int flags)
{
	if (!plug || flags)
		return -EINVAL;
	if (!plugclock_thread_state.plug)
		plugclock_attach(plug);
	return 0;
}

void plugclock_finish(struct plugclock_plug *plug)
{
	struct plugclock_thread *thread = &plugclock_thread_state;

	if (plug && thread->plug == plug)
		plugclock_detach(thread);
}

void plugclock_flush(void)
{
	struct plugclock_thread *thread = &plugclock_thread_state;

	if (thread->plug)
		plugclock_drop(thread);
}
