// SPDX-License-Identifier: MIT
/*
 * source_tsc.c - CLOCK_MONOTONIC, read through the time stamp counter
 *
 * A thread's reading is a straight line through its anchor, a pair of TSC and clock that
 * were read together. The slope is measured once. What keeps the line to the clock is
 * that an anchor is good for 1 ms only: then the thread reads the clock and has a new
 * one. So a clock that the kernel slews by 50 ppm is missed by 50 ns, by 500 ppm, which
 * is as far as NTP goes, by half a microsecond; and a thread that slept starts from the
 * clock.
 *
 * The TSC may jump: suspend clears it on some machines and lets it run on others, though
 * CLOCK_MONOTONIC stands still; a virtual machine that is restored or moved gets another.
 * The thread's next anchor sets that right, after 1 ms at most. A thread whose anchors
 * keep missing the clock by more than a slewed clock can explain gives the TSC up for the
 * whole process, which then reads CLOCK_MONOTONIC: that is what becomes of a TSC that the
 * kernel, too, gave up because it is not steady or not the same on all processors. If it
 * gave up a TSC that does keep time, readings stay right.
 *
 * Anchors are per thread. So nothing is shared but two numbers that are written once, and
 * a signal handler that reads in the middle of anything finds nothing half done.
 */
#include "internal.h"

#include <stddef.h>

#if defined(__x86_64__) && defined(__LP64__)

#include "tsc_machine.h"

#define ANCHOR_NS 1000000

/* Of a clock read between two readings of the TSC: it is where in between, in doubt. */
#define MAX_BRACKET_NS 1000
#define BRACKETS       10

/* Two windows one after the other must give the same slope, within 100 ppm. */
#define WINDOW_NS       10000000
#define MAX_SPINS       (1u << 21)
#define CALIBRATIONS    5
#define MAX_DISAGREEING 100e-6

/* 10 GHz and 100 MHz. */
#define MIN_NS_PER_CYCLE 0.1
#define MAX_NS_PER_CYCLE 10.0

/* More than NTP and a calibration can be off: 1 in 1000, and two brackets. */
#define MAX_SLEW 1000u
#define SLACK_NS 2000u

/* So many misses without so many anchors in a row that hit. A suspend is one of them. */
#define MAX_MISSES 3
#define FORGIVEN   1000

/* ns per 2^32 cycles; set once. */
static _Atomic uint64_t slope;

/* What ANCHOR_NS are in cycles; becomes 0 when the TSC is given up. */
static _Atomic uint64_t reach;

/*
 * The line is clock = tsc * slope + offset_ns, up to 'reach' from 'anchored'.
 * Initial-exec, since the first use of any other kind may allocate.
 */
static __thread struct tsc_thread {
	volatile uint64_t anchored;
	volatile uint64_t offset_ns;
	volatile uint64_t last_ns;
	unsigned int misses, hits;
} line __attribute__((tls_model("initial-exec")));

struct pair {
	uint64_t tsc, clock_ns, width;
};

/* The tightest of several, or the first that is no wider than 'enough' cycles. */
static struct pair read_pair(uint64_t enough)
{
	struct pair pair = {0, 0, UINT64_MAX};
	uint64_t before, clock_ns, width;
	int i;

	for (i = 0; i < BRACKETS && pair.width > enough; i++) {
		before = machine_tsc_ordered();
		clock_ns = machine_clock_ns();
		width = machine_tsc_ordered() - before;
		if (i == 0 || width < pair.width)
			pair = (struct pair){before + width / 2, clock_ns, width};
	}
	return pair;
}

/* ns per cycle over the next window, which begins and ends with 'pair'; 0 if absurd. */
static double measure_slope(struct pair *pair)
{
	uint64_t begin_ns = pair->clock_ns, begin_tsc = pair->tsc, cycles, ns;
	double slope_now;
	unsigned int i;

	/* Neither needs to advance. */
	for (i = 0; i < MAX_SPINS && machine_clock_ns() - begin_ns < WINDOW_NS; i++)
		if (machine_tsc() - begin_tsc >
		    2 * (uint64_t)(WINDOW_NS / MIN_NS_PER_CYCLE))
			break;
	*pair = read_pair(0);
	ns = pair->clock_ns - begin_ns;
	cycles = pair->tsc - begin_tsc;
	if (!cycles)
		return 0;
	slope_now = (double)ns / (double)cycles;
	if (slope_now < MIN_NS_PER_CYCLE || slope_now > MAX_NS_PER_CYCLE)
		return 0;
	return slope_now;
}

static double calibrate(void)
{
	double first, second, apart;
	struct pair pair;
	int i;

	for (i = 0; i < CALIBRATIONS; i++) {
		pair = read_pair(0);
		first = measure_slope(&pair);
		second = measure_slope(&pair);
		apart = first > second ? first - second : second - first;
		if (first > 0 && second > 0 && apart <= first * MAX_DISAGREEING)
			return (first + second) / 2;
	}
	return 0;
}

bool plugclock_tsc_prepare(void)
{
	uint64_t undecided = 0;
	double ns_per_cycle;

	if (!machine_kernel_uses_tsc() || !machine_tsc_is_invariant())
		return false;
	ns_per_cycle = calibrate();
	if (ns_per_cycle == 0)
		return false;
	/* Threads may come at the same time: one result for all, since lines rest on it. */
	if (atomic_compare_exchange_strong(&slope, &undecided,
					   (uint64_t)(ns_per_cycle * 0x1p32)))
		atomic_store(&reach, (uint64_t)(ANCHOR_NS / ns_per_cycle));
	return true;
}

/* The product does not fit into 64 bits, what is kept of it does. */
static inline uint64_t scale(uint64_t tsc)
{
	uint64_t by = atomic_load_explicit(&slope, memory_order_relaxed);

	return (uint64_t)(((unsigned __int128)tsc * by) >> 32);
}

/*
 * Processors may differ by a little, two lines meet with a little step, and rdtsc may run
 * before an earlier one. A handler that comes in between has a say, too.
 */
static inline uint64_t not_backwards(uint64_t now_ns)
{
	uint64_t last_ns = line.last_ns;
	bool same;

	while (now_ns > last_ns) {
		/*
		 * One instruction to a handler of this thread. Without a lock prefix,
		 * which would cost as much as all the rest: no other thread looks.
		 */
		__asm__("cmpxchgq %3, %1"
			: "+a"(last_ns), "+m"(line.last_ns), "=@ccz"(same)
			: "r"(now_ns));
		if (same)
			return now_ns;
	}
	return last_ns;
}

static void judge(const struct pair *pair)
{
	uint64_t begin_ns = scale(line.anchored) + line.offset_ns;
	uint64_t line_ns = scale(pair->tsc) + line.offset_ns;
	uint64_t may_miss_ns = (pair->clock_ns - begin_ns) / MAX_SLEW + SLACK_NS;
	uint64_t miss_ns = line_ns > pair->clock_ns ? line_ns - pair->clock_ns
						    : pair->clock_ns - line_ns;

	if (miss_ns > may_miss_ns) {
		line.hits = 0;
		if (++line.misses == MAX_MISSES)
			atomic_store(&reach, 0);
	} else if (++line.hits == FORGIVEN) {
		line.hits = 0;
		line.misses = 0;
	}
}

static __attribute__((noinline)) uint64_t read_from_clock(void)
{
	uint64_t cycles = atomic_load_explicit(&reach, memory_order_relaxed);
	uint64_t enough = cycles / (ANCHOR_NS / MAX_BRACKET_NS);
	struct pair pair;

	if (!cycles)
		return not_backwards(machine_clock_ns());
	pair = read_pair(enough);
	if (pair.width <= enough) {
		if (line.anchored)
			judge(&pair);
		/* In this order: a handler in between may already use the new offset. */
		line.offset_ns = pair.clock_ns - scale(pair.tsc);
		line.anchored = pair.tsc;
	}
	return not_backwards(pair.clock_ns);
}

uint64_t plugclock_tsc_read_ns(void)
{
	uint64_t anchored = line.anchored;
	/*
	 * Not ordered against what stands before: that would cost half a reading more,
	 * and a reading is early by less than it may be off anyway. The kernel's return
	 * to user mode orders, so that it is never from before a context switch.
	 */
	uint64_t tsc = machine_tsc();

	if (__builtin_expect(tsc - anchored >=
				     atomic_load_explicit(&reach, memory_order_relaxed),
			     0))
		return read_from_clock();
	/* The offset after 'anchored': should a handler come in between, it is newer. */
	return not_backwards(scale(tsc) + line.offset_ns);
}

#else /* no TSC */

bool plugclock_tsc_prepare(void)
{
	return false;
}

uint64_t plugclock_tsc_read_ns(void)
{
	return 0;
}

#endif
