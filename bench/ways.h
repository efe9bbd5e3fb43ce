/* SPDX-License-Identifier: MIT */
/* ways.h - the ways to read the time that clock.c compares */
#ifndef BENCH_WAYS_H
#define BENCH_WAYS_H

#include <stdint.h>
#include <string.h>
#include <time.h>

#include <uv.h>

#include <plugclock_uring.h>

enum plug { NO_PLUG, IN_PLUG };

struct way {
	const char *key;
	const char *name;
	enum plug plug;
	uint64_t (*run)(unsigned long n);
	unsigned long turns;
};

/* Each thread's, as libuv wants it. */
static __thread uv_loop_t uv_loop;

static inline uint64_t clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * A loop whose every turn has a value that the compiler cannot guess, nor leave out, nor
 * keep in a register for the next turn. As in an I/O loop, nothing waits for the value.
 */
#define WAY(name, reading)                                                               \
	static uint64_t run_##name(unsigned long n)                                      \
	{                                                                                \
		uint64_t sum = 0;                                                        \
                                                                                         \
		while (n--) {                                                            \
			uint64_t value = (reading);                                      \
                                                                                         \
			__asm__ volatile("" : "+r"(value) : : "memory");                 \
			sum += value;                                                    \
		}                                                                        \
		return sum;                                                              \
	}

WAY(empty, 0)
WAY(now, plugclock_now_ns())
WAY(miss, (plugclock_flush(), plugclock_now_ns()))
WAY(read, plugclock_read_ns())
WAY(uring, (plugclock_uring_flush(), 0))
WAY(gettime, clock_read(CLOCK_MONOTONIC))
WAY(coarse, clock_read(CLOCK_MONOTONIC_COARSE))
WAY(uv_now, uv_now(&uv_loop))
WAY(uv_hrtime, uv_hrtime())
#if defined(__x86_64__)
WAY(rdtsc, __builtin_ia32_rdtsc())
#endif

/* The first is the empty loop, the second what the ratios are against. */
static struct way ways[] = {
	{.key = "empty", .name = "empty loop", .run = run_empty},
	{.key = "gettime", .name = "clock_gettime(MONOTONIC)", .run = run_gettime},
	{.key = "hit", .name = "plugclock_now_ns, hit", .plug = IN_PLUG, .run = run_now},
	{.key = "miss", .name = "flush + now_ns, miss", .plug = IN_PLUG, .run = run_miss},
	{.key = "outside", .name = "plugclock_now_ns, no plug", .run = run_now},
	{.key = "read", .name = "plugclock_read_ns, no plug", .run = run_read},
	{.key = "read_in",
	 .name = "plugclock_read_ns, plug",
	 .plug = IN_PLUG,
	 .run = run_read},
	{.key = "uring",
	 .name = "plugclock_uring_flush, plug",
	 .plug = IN_PLUG,
	 .run = run_uring},
	{.key = "coarse", .name = "clock_gettime(.._COARSE)", .run = run_coarse},
	{.key = "uv_now", .name = "uv_now, libuv's cached ms", .run = run_uv_now},
	{.key = "uv_hrtime", .name = "uv_hrtime", .run = run_uv_hrtime},
#if defined(__x86_64__)
	{.key = "rdtsc", .name = "rdtsc", .run = run_rdtsc},
#endif
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* way_by_key() - its place among them, or WAYS. */
static inline size_t way_by_key(const char *key)
{
	size_t i = 0;

	while (i < WAYS && strcmp(ways[i].key, key))
		i++;
	return i;
}

#endif
