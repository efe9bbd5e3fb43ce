/* SPDX-License-Identifier: MIT */
/*
 * tsc_fake.h - a machine whose counter and clock do as they are told
 *
 * Takes the place of tsc_machine.h, and brings source_tsc.c with it. Looking at the
 * counter or the clock takes time; else time passes when the test says so.
 */
#ifndef TSC_FAKE_H
#define TSC_FAKE_H

#include "plug_test.h"

#define PLUGCLOCK_TSC_MACHINE_H

/* A count and the part of a one that is still to come: a double alone would drift. */
struct count {
	int64_t whole;
	double rest;
};

static struct machine {
	bool kernel_uses_tsc, is_invariant;
	double ghz; /* cycles of the counter in a nanosecond of the world's */
	double ppm; /* how much faster the clock is than the world */
	struct count tsc, clock_ns;
	double world_ns;
	double step_ns;         /* to look at either takes so long */
	int64_t skew;           /* of this processor's counter, in cycles */
	void (*on_tsc)(void);   /* called when the counter was looked at */
	void (*on_clock)(void); /* called when the clock was */
} machine;

static void advance(struct count *count, double by)
{
	int64_t whole = (int64_t)(count->rest + by);

	count->whole += whole;
	count->rest += by - (double)whole;
}

static void pass(double ns)
{
	machine.world_ns += ns;
	advance(&machine.tsc, ns * machine.ghz);
	advance(&machine.clock_ns, ns * (1 + machine.ppm / 1e6));
}

static bool machine_kernel_uses_tsc(void)
{
	return machine.kernel_uses_tsc;
}

static bool machine_tsc_is_invariant(void)
{
	return machine.is_invariant;
}

static uint64_t machine_tsc(void)
{
	uint64_t tsc;

	pass(machine.step_ns);
	tsc = (uint64_t)(machine.tsc.whole + machine.skew);
	if (machine.on_tsc)
		machine.on_tsc();
	return tsc;
}

static uint64_t machine_tsc_ordered(void)
{
	return machine_tsc();
}

static uint64_t machine_clock_ns(void)
{
	uint64_t clock_ns;

	pass(machine.step_ns);
	clock_ns = (uint64_t)machine.clock_ns.whole;
	if (machine.on_clock)
		machine.on_clock();
	return clock_ns;
}

#include "source_tsc.c" // NOLINT(bugprone-suspicious-include)

/* As after the start of a program, on a machine that has been up for a while. */
static void reset(void)
{
	machine = (struct machine){.kernel_uses_tsc = true,
				   .is_invariant = true,
				   .ghz = 2.1,
				   .tsc = {.whole = 7000000000000},
				   .clock_ns = {.whole = 5000000000000},
				   .step_ns = 12};
	slope = 0;
	reach = 0;
	line = (struct tsc_thread){0};
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

/* What the header promises. */
#define NEAR_NS 1000

static inline int setup(void **state)
{
	(void)state;
	reset();
	return 0;
}

static inline void prepare_or_fail(void)
{
	assert_true(plugclock_tsc_prepare());
}

/* A reading, which lies between two looks at the clock, or as far off. */
static inline void read_within(uint64_t far_ns)
{
	uint64_t before_ns = (uint64_t)machine.clock_ns.whole;
	uint64_t now_ns = plugclock_tsc_read_ns();

	assert_in_range(now_ns, before_ns - far_ns,
			(uint64_t)machine.clock_ns.whole + far_ns);
}

/* The clock now, and how far a reading is off it. */
static inline uint64_t off_ns(uint64_t reading_ns)
{
	uint64_t clock_ns = (uint64_t)machine.clock_ns.whole;

	return reading_ns > clock_ns ? reading_ns - clock_ns : clock_ns - reading_ns;
}

#endif
