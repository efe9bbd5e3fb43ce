/* SPDX-License-Identifier: MIT */
/*
 * tsc_machine.h - all that source_tsc.c asks of the machine
 *
 * Apart, so that a test can put a machine of its own in place: it defines what is below,
 * and the guard, and then includes source_tsc.c.
 */
#ifndef PLUGCLOCK_TSC_MACHINE_H
#define PLUGCLOCK_TSC_MACHINE_H

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whether the kernel itself keeps time by the TSC, which it checks all along. */
static inline bool machine_kernel_uses_tsc(void)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	static const char wanted[] = "tsc\n";
	char name[sizeof(wanted) + 1] = "";
	int saved_errno = errno, fd;
	ssize_t got = -1;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, name, sizeof(name));
		close(fd);
	}
	errno = saved_errno;
	return got == (ssize_t)strlen(wanted) && !memcmp(name, wanted, strlen(wanted));
}

/* Whether the TSC runs at one rate, whatever the processor's frequency and sleep. */
static inline bool machine_tsc_is_invariant(void)
{
	unsigned int eax, ebx, ecx, edx = 0;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
}

static inline uint64_t machine_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

/* Not before what stands before it, nor after what stands after it. */
static inline uint64_t machine_tsc_ordered(void)
{
	uint64_t tsc;

	__builtin_ia32_lfence();
	tsc = __builtin_ia32_rdtsc();
	__builtin_ia32_lfence();
	return tsc;
}

static inline uint64_t machine_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

#endif
