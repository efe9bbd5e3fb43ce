// SPDX-License-Identifier: MIT
/* CLOCK_MONOTONIC through the TSC: on a simulated machine, that of tsc_fake.h. */
#include "plug_test.h"

#ifdef __x86_64__

#include "tsc_fake.h"

#define HOUR_NS 3.6e12

static void prepare_on_a_machine_that_keeps_time(void **state)
{
	static const double ghz[] = {0.11, 1, 2.1, 4.7, 9.5};
	size_t i;

	for (i = 0; i < sizeof(ghz) / sizeof(ghz[0]); i++) {
		setup(state);
		machine.ghz = ghz[i];
		prepare_or_fail();
		read_within(20);
		pass(500000);
		read_within(20);
	}
}

static void prepare_where_the_kernel_uses_another_clock(void **state)
{
	(void)state;
	machine.kernel_uses_tsc = false;
	assert_false(plugclock_tsc_prepare());
}

static void prepare_where_the_counter_is_not_invariant(void **state)
{
	(void)state;
	machine.is_invariant = false;
	assert_false(plugclock_tsc_prepare());
}

static void prepare_where_the_counter_stands_still(void **state)
{
	(void)state;
	machine.ghz = 0;
	assert_false(plugclock_tsc_prepare());
}

static void prepare_where_the_clock_stands_still(void **state)
{
	(void)state;
	machine.ppm = -1e6;
	assert_false(plugclock_tsc_prepare());
}

static void prepare_where_both_stand_still(void **state)
{
	(void)state;
	machine.step_ns = 0;
	assert_false(plugclock_tsc_prepare());
}

static void prepare_where_the_counter_runs_backwards(void **state)
{
	(void)state;
	machine.ghz = -2.1;
	assert_false(plugclock_tsc_prepare());
}

static void prepare_where_the_rate_is_implausible(void **state)
{
	static const double ghz[] = {0.001, 0.09, 10.5, 100};
	size_t i;

	for (i = 0; i < sizeof(ghz) / sizeof(ghz[0]); i++) {
		setup(state);
		machine.ghz = ghz[i];
		assert_false(plugclock_tsc_prepare());
	}
}

/* 0.1 % up and down with every 10 ms or so. */
static void change_rate(void)
{
	machine.ghz = (uint64_t)(machine.world_ns / 9.7e6) % 2 ? 2.1 : 2.1021;
}

static void prepare_where_the_rate_is_unsteady(void **state)
{
	(void)state;
	machine.on_tsc = change_rate;
	assert_false(plugclock_tsc_prepare());
}

/* Off the processor for a while, mostly between counter and clock: 4 times of 5. */
static void lose_cpu_often(void)
{
	static unsigned int turn;

	if (++turn % 5)
		pass(1000 + rand() % 50000);
}

static void prepare_while_the_thread_loses_its_cpu(void **state)
{
	int i;

	(void)state;
	machine.on_clock = lose_cpu_often;
	prepare_or_fail();
	for (i = 0; i < 10000; i++) {
		read_within(NEAR_NS);
		pass(100000);
	}
	assert_true(reach > 0);
}

static void prepare_twice_keeps_the_first_rate(void **state)
{
	uint64_t first;

	(void)state;
	prepare_or_fail();
	first = slope;
	machine.ghz = 2.2;
	prepare_or_fail();
	assert_int_equal(slope, first);
}

static void read_ns_goes_to_the_clock_once_a_millisecond(void **state)
{
	uint64_t anchored;

	(void)state;
	prepare_or_fail();
	plugclock_tsc_read_ns();
	anchored = line.anchored;
	pass(950000);
	plugclock_tsc_read_ns();
	assert_int_equal(line.anchored, anchored);
	pass(60000);
	plugclock_tsc_read_ns();
	assert_int_not_equal(line.anchored, anchored);
}

static void read_ns_where_the_clock_takes_a_while(void **state)
{
	(void)state;
	prepare_or_fail();
	/* An anchor is where the clock was: in the middle between two counters. */
	machine.step_ns = 400;
	plugclock_tsc_read_ns();
	assert_int_not_equal(line.anchored, 0);
	machine.step_ns = 0;
	pass(1000);
	read_within(20);
}

/* A slew of up to 'ppm', another every few minutes. Returns by how much it was off. */
static uint64_t off_in_an_hour_ns(double ppm)
{
	uint64_t last_ns = 0, now_ns, worst_ns = 0;
	unsigned int i = 0;

	srand(1);
	prepare_or_fail();
	for (machine.world_ns = 0; machine.world_ns < HOUR_NS; i++) {
		if (i % 4000 == 0)
			machine.ppm = ppm * (1 - rand() % 3);
		now_ns = plugclock_tsc_read_ns();
		assert_true(now_ns >= last_ns);
		if (off_ns(now_ns) > worst_ns)
			worst_ns = off_ns(now_ns);
		last_ns = now_ns;
		/* Many readings to an anchor, then a pause. */
		pass(i % 16 ? rand() % 200000 : rand() % 200000000);
	}
	printf("# slewed by %.0f ppm: %u readings, off by %u ns at most\n", ppm, i,
	       (unsigned int)worst_ns);
	assert_true(reach > 0);
	return worst_ns;
}

static void read_ns_over_an_hour_of_slewing(void **state)
{
	(void)state;
	assert_in_range(off_in_an_hour_ns(50), 1, 200);
}

static void read_ns_over_an_hour_of_the_steepest_slewing(void **state)
{
	(void)state;
	assert_in_range(off_in_an_hour_ns(500), 1, NEAR_NS);
}

static void read_ns_on_processors_that_differ(void **state)
{
	uint64_t last_ns = 0, now_ns;
	int i, held = 0;

	(void)state;
	prepare_or_fail();
	for (i = 0; i < 100000; i++) {
		machine.skew = i % 3 ? 0 : 600;
		now_ns = plugclock_tsc_read_ns();
		assert_true(now_ns >= last_ns);
		held += now_ns == last_ns;
		assert_in_range(off_ns(now_ns), 0, NEAR_NS);
		last_ns = now_ns;
	}
	/* Readings would have gone backwards. */
	assert_true(held > 1000);
	assert_true(reach > 0);
}

static void read_ns_where_the_clock_takes_long(void **state)
{
	int i;

	(void)state;
	prepare_or_fail();
	/* No place in so wide a bracket is known well enough for an anchor. */
	machine.step_ns = 1100;
	for (i = 0; i < 1000; i++)
		read_within(0);
	assert_int_equal(line.anchored, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(prepare_on_a_machine_that_keeps_time),
		TEST(prepare_where_the_kernel_uses_another_clock),
		TEST(prepare_where_the_counter_is_not_invariant),
		TEST(prepare_where_the_counter_stands_still),
		TEST(prepare_where_the_clock_stands_still),
		TEST(prepare_where_both_stand_still),
		TEST(prepare_where_the_counter_runs_backwards),
		TEST(prepare_where_the_rate_is_implausible),
		TEST(prepare_where_the_rate_is_unsteady),
		TEST(prepare_while_the_thread_loses_its_cpu),
		TEST(prepare_twice_keeps_the_first_rate),
		TEST(read_ns_goes_to_the_clock_once_a_millisecond),
		TEST(read_ns_where_the_clock_takes_a_while),
		TEST(read_ns_over_an_hour_of_slewing),
		TEST(read_ns_over_an_hour_of_the_steepest_slewing),
		TEST(read_ns_on_processors_that_differ),
		TEST(read_ns_where_the_clock_takes_long),
	};

	return cmocka_run_group_tests_name("source_tsc", tests, NULL, NULL);
}

#else

int main(void)
{
	puts("1..0 # SKIP needs x86-64");
	return 0;
}

#endif
