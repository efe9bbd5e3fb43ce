// SPDX-License-Identifier: MIT
/* counters.c - how often a thread read the clock, and why */
#include "internal.h"

#include <errno.h>
#include <string.h>

__thread struct plugclock_tally plugclock_thread_tally
	__attribute__((tls_model("initial-exec")));

int plugclock_get_counters(struct plugclock_counters *out, size_t size)
{
	const uint64_t *by_cause = plugclock_thread_tally.by_cause;
	struct plugclock_counters counters = {
		.uncached = by_cause[PLUGCLOCK_UNCACHED],
		.started = by_cause[PLUGCLOCK_STARTED],
		.flushed = by_cause[PLUGCLOCK_FLUSHED],
		.switched = by_cause[PLUGCLOCK_SWITCHED],
		.asked = by_cause[PLUGCLOCK_ASKED],
		.disturbed = by_cause[PLUGCLOCK_DISTURBED],
	};
	size_t i;

	if (!out || size < sizeof(counters.readings))
		return -EINVAL;
	for (i = 0; i < PLUGCLOCK_CAUSES; i++)
		counters.readings += by_cause[i];
	/* The caller may have been compiled for fewer, or for more, than there are. */
	memset(out, 0, size);
	memcpy(out, &counters, size < sizeof(counters) ? size : sizeof(counters));
	return 0;
}
