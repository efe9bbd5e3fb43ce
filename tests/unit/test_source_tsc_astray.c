// SPDX-License-Identifier: MIT
/* The TSC after it jumped, where it goes astray, under signal handlers; and as a source. */
#include "plug_test.h"

#ifdef __x86_64__

#include "tsc_fake.h"

#include <errno.h>

#define HOUR_NS 3.6e12

/* One reading, right, and not before the last; and a while of such. */
static void expect_right(uint64_t least_ns)
{
	int i;

	for (i = 0; i < 2000; i++) {
		uint64_t now_ns = plugclock_tsc_read_ns();

		assert_true(now_ns >= least_ns);
		assert_in_range(off_ns(now_ns), 0, NEAR_NS);
		least_ns = now_ns;
		pass(10000);
	}
	assert_true(reach > 0);
}

static void read_ns_after_a_suspend_that_clears_the_counter(void **state)
{
	uint64_t before_ns;

	(void)state;
	prepare_or_fail();
	before_ns = plugclock_tsc_read_ns();
	machine.tsc.whole = 1000000;
	expect_right(before_ns);
}

static void read_ns_after_a_suspend_in_which_the_counter_ran(void **state)
{
	uint64_t before_ns;

	(void)state;
	prepare_or_fail();
	before_ns = plugclock_tsc_read_ns();
	advance(&machine.tsc, HOUR_NS * machine.ghz);
	expect_right(before_ns);
}

static void read_ns_after_a_restore_of_the_machine(void **state)
{
	uint64_t before_ns;

	(void)state;
	prepare_or_fail();
	before_ns = plugclock_tsc_read_ns();
	advance(&machine.tsc, -1000e9 * machine.ghz);
	advance(&machine.clock_ns, 5e9);
	expect_right(before_ns);
}

static void read_ns_after_a_jump_that_looks_like_a_pause(void **state)
{
	uint64_t last_ns, now_ns;

	(void)state;
	prepare_or_fail();
	last_ns = plugclock_tsc_read_ns();
	advance(&machine.tsc, 500000 * machine.ghz);
	while (now_ns = plugclock_tsc_read_ns(), off_ns(now_ns) > NEAR_NS) {
		/* Ahead, then held, until the clock is there: for a millisecond at most. */
		assert_true(now_ns >= last_ns);
		assert_true(machine.world_ns < 30e6);
		last_ns = now_ns;
		pass(10000);
	}
	expect_right(last_ns);
}

static void read_ns_after_many_suspends_is_still_from_the_counter(void **state)
{
	int i, j;

	(void)state;
	prepare_or_fail();
	for (i = 0; i < 20; i++) {
		for (j = 0; j < 1100; j++) {
			plugclock_tsc_read_ns();
			pass(1100000);
		}
		advance(&machine.tsc, HOUR_NS * machine.ghz);
	}
	assert_true(reach > 0);
}

/* Reads until the counter is given up; from then on readings are the clock's. */
static void expect_giving_up(void (*meanwhile)(int turn))
{
	uint64_t last_ns = 0, now_ns;
	int i;

	prepare_or_fail();
	for (i = 0; i < 1000 && reach > 0; i++) {
		meanwhile(i);
		now_ns = plugclock_tsc_read_ns();
		assert_true(now_ns >= last_ns);
		last_ns = now_ns;
		pass(300000);
	}
	assert_int_equal(reach, 0);
	/* It may have been ahead; then it holds. */
	pass(10e6);
	for (i = 0; i < 100; i++) {
		meanwhile(i);
		read_within(0);
		pass(300000);
	}
}

static void another_processor(int turn)
{
	machine.skew = turn / 2 % 2 ? 10000000 : 0;
}

static void another_rate(int turn)
{
	machine.ghz = turn < 10 ? 2.1 : 2.0;
}

static void wild_counter(int turn)
{
	machine.tsc.whole = 7000000000000 + turn % 7 * 1000000000ll;
}

static void read_ns_where_the_counter_goes_astray(void **state)
{
	static void (*const ways[])(int) = {another_processor, another_rate,
					    wild_counter};
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		setup(state);
		expect_giving_up(ways[i]);
	}
}

/* A signal handler reads, some time after it interrupted a reading. */
static double handler_comes_after_ns;
static uint64_t handler_ns;

static void handler_reads(void)
{
	machine.on_tsc = NULL;
	machine.on_clock = NULL;
	pass(handler_comes_after_ns);
	handler_ns = plugclock_tsc_read_ns();
	/* Its reading was not held back to that of a moment before. */
	if (off_ns(handler_ns) > NEAR_NS)
		handler_ns = 0;
}

static void read_ns_handler_reads_meanwhile(void **state)
{
	static const double after_ns[] = {0, 300, 700000, 2e6, 60e9};
	uint64_t before_ns = 0;
	int i;

	(void)state;
	prepare_or_fail();
	machine.ppm = 50;
	for (i = 0; i < 10000; i++) {
		handler_comes_after_ns = after_ns[i % 5];
		handler_ns = 0;
		if (i % 2)
			machine.on_tsc = handler_reads;
		else
			machine.on_clock = handler_reads;
		assert_true(plugclock_tsc_read_ns() >= before_ns);
		if (i % 2)
			assert_true(handler_ns > 0);
		before_ns = plugclock_tsc_read_ns();
		assert_true(before_ns >= handler_ns);
		assert_in_range(off_ns(before_ns), 0, NEAR_NS);
		pass(i % 3 * 400000.0);
	}
	assert_true(reach > 0);
}

/* Through the library: the choice holds, plugs cache, outside them the time goes on. */
static int used_by_the_library(void)
{
	struct plugclock_plug plug;
	uint64_t first_ns, second_ns;

	setenv("PLUGCLOCK_DETECTOR", "none", 1);
	if (plugclock_use_source(PLUGCLOCK_SOURCE_TSC) ||
	    plugclock_use_source(PLUGCLOCK_SOURCE_TSC) ||
	    plugclock_use_source(PLUGCLOCK_SOURCE_MONOTONIC) != -EBUSY)
		return 1;
	first_ns = plugclock_now_ns();
	second_ns = plugclock_now_ns();
	if (off_ns(second_ns) > NEAR_NS || second_ns <= first_ns)
		return 2;
	plugclock_start(&plug, PLUGCLOCK_TRUST_CALLER);
	first_ns = plugclock_now_ns();
	if (plugclock_now_ns() != first_ns || plugclock_read_ns() <= first_ns)
		return 3;
	return 0;
}

static void use_source_tsc(void **state)
{
	(void)state;
	assert_int_equal(in_child(used_by_the_library), 0);
}

static int refused_by_the_library(void)
{
	machine.kernel_uses_tsc = false;
	return plugclock_use_source(PLUGCLOCK_SOURCE_TSC) != -ENOTSUP ||
	       plugclock_use_source(PLUGCLOCK_SOURCE_BOOTTIME);
}

static void use_source_tsc_where_the_kernel_does_not(void **state)
{
	(void)state;
	assert_int_equal(in_child(refused_by_the_library), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(read_ns_after_a_suspend_that_clears_the_counter),
		TEST(read_ns_after_a_suspend_in_which_the_counter_ran),
		TEST(read_ns_after_a_restore_of_the_machine),
		TEST(read_ns_after_a_jump_that_looks_like_a_pause),
		TEST(read_ns_after_many_suspends_is_still_from_the_counter),
		TEST(read_ns_where_the_counter_goes_astray),
		TEST(read_ns_handler_reads_meanwhile),
		TEST(use_source_tsc),
		TEST(use_source_tsc_where_the_kernel_does_not),
	};

	return cmocka_run_group_tests_name("source_tsc_astray", tests, NULL, NULL);
}

#else

int main(void)
{
	puts("1..0 # SKIP needs x86-64");
	return 0;
}

#endif
