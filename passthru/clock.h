/* SPDX-License-Identifier: MIT */
#ifndef NGBENCH_CLOCK_H
#define NGBENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000ull

/* clock_ns() - CLOCK_MONOTONIC in ns, read afresh. */
static inline uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

#endif
