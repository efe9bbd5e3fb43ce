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

int plugclock_start(struct plugclock_plug *plug, unsigned int flags)
{
	struct plugclock_thread *thread = &plugclock_thread_state;
	const struct plugclock_detector_ops *ops;
	const volatile uint64_t *word;

	if (!plug || flags)
		return -EINVAL;
	if (thread->plug)
		return 0;
	ops = plugclock_detector_choose();
	word = ops ? ops->word() : NULL;
	if (!word)
		return 0; /* without a plug every reading is a fresh one */
	thread->ops = ops;
	thread->word = word;
	thread->renewing = 0; /* a handler may have jumped out of it */
	plugclock_drop(thread);
	plugclock_barrier();
	thread->plug = plug;
	return 0;
}

void plugclock_finish(struct plugclock_plug *plug)
{
	struct plugclock_thread *thread = &plugclock_thread_state;

	if (!plug || thread->plug != plug)
		return;
	/* In this order: after the drop a handler in the plug could cache once more. */
	thread->plug = NULL;
	plugclock_barrier();
	plugclock_drop(thread);
}

void plugclock_flush(void)
{
	struct plugclock_thread *thread = &plugclock_thread_state;

	if (thread->plug)
		plugclock_drop(thread);
}
