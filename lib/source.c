// SPDX-License-Identifier: MIT
/* source.c - the clock that readings come from */
#include "internal.h"

#include <errno.h>
#include <time.h>

/* The clock's number, or one of these. */
enum { UNDECIDED = -1, TSC = -2 };

static _Atomic int source_in_use = UNDECIDED;

static uint64_t read_clock_ns(clockid_t clock)
{
	struct timespec ts;

	/* Cannot fail: the clock exists and the address is ours. */
	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* From now on readings come from 'wanted', unless another was first. */
static int settle(int wanted)
{
	int before = UNDECIDED;

	if (atomic_compare_exchange_strong(&source_in_use, &before, wanted))
		return wanted;
	return before;
}

static __attribute__((noinline)) uint64_t read_other_ns(int source)
{
	/* The first reading of the process decides, if nobody has. */
	if (source == UNDECIDED)
		source = settle(CLOCK_MONOTONIC);
	return source == TSC ? plugclock_tsc_read_ns() : read_clock_ns(source);
}

uint64_t plugclock_source_read_ns(void)
{
	int source = atomic_load_explicit(&source_in_use, memory_order_acquire);

	if (__builtin_expect(source < 0, 0))
		return read_other_ns(source);
	return read_clock_ns(source);
}

/* Old kernels lack clocks, and sandboxes deny them. */
static bool has_clock(clockid_t clock)
{
	int saved_errno = errno;
	struct timespec ts;
	bool has = !clock_gettime(clock, &ts);

	errno = saved_errno;
	return has;
}

int plugclock_use_source(enum plugclock_source source)
{
	int wanted, in_use;

	switch (source) {
	case PLUGCLOCK_SOURCE_MONOTONIC:
		wanted = CLOCK_MONOTONIC;
		break;
	case PLUGCLOCK_SOURCE_MONOTONIC_RAW:
		wanted = CLOCK_MONOTONIC_RAW;
		break;
	case PLUGCLOCK_SOURCE_BOOTTIME:
		wanted = CLOCK_BOOTTIME;
		break;
	case PLUGCLOCK_SOURCE_TSC:
		wanted = TSC;
		break;
	default:
		return -EINVAL;
	}
	in_use = atomic_load_explicit(&source_in_use, memory_order_acquire);
	if (in_use == UNDECIDED) {
		if (wanted == TSC ? !plugclock_tsc_prepare() : !has_clock(wanted))
			return -ENOTSUP;
		in_use = settle(wanted);
	}
	return in_use == wanted ? 0 : -EBUSY;
}
