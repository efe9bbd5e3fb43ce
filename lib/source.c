// SPDX-License-Identifier: MIT
/* source.c - the clock that readings come from */
#include "internal.h"

#include <time.h>

uint64_t plugclock_source_read_ns(void)
{
	struct timespec ts;

	/* Cannot fail: the clock exists and the address is ours. */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}
