// SPDX-License-Identifier: MIT
/* Why the clock was read, told apart and adding up: with the clock of plug_fake.h. */
#include "plug_fake.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct plugclock_plug plug;
static struct plugclock_counters before;
static uint64_t before_ns;

static struct plugclock_counters get(void)
{
	struct plugclock_counters counters;

	assert_int_equal(plugclock_get_counters(&counters, sizeof(counters)), 0);
	return counters;
}

static int setup(void **state)
{
	(void)state;
	before_reading = NULL;
	after_reading = NULL;
	before = get();
	before_ns = fake_ns;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	before_reading = NULL;
	after_reading = NULL;
	plugclock_finish(&plug);
	return 0;
}

/* Since the beginning of the test; the sum is that, and what the clock saw. */
static void expect(struct plugclock_counters wanted)
{
	struct plugclock_counters now = get();

	assert_int_equal(now.uncached - before.uncached, wanted.uncached);
	assert_int_equal(now.started - before.started, wanted.started);
	assert_int_equal(now.flushed - before.flushed, wanted.flushed);
	assert_int_equal(now.switched - before.switched, wanted.switched);
	assert_int_equal(now.asked - before.asked, wanted.asked);
	assert_int_equal(now.disturbed - before.disturbed, wanted.disturbed);
	assert_int_equal(now.readings, now.uncached + now.started + now.flushed +
					       now.switched + now.asked + now.disturbed);
	assert_int_equal(now.readings - before.readings, fake_ns - before_ns);
}

static void counters_outside_a_plug(void **state)
{
	(void)state;
	plugclock_now_ns();
	plugclock_flush();
	plugclock_read_ns();
	expect((struct plugclock_counters){.uncached = 2});
}

static void counters_of_cached_readings(void **state)
{
	int i;

	(void)state;
	plugclock_start(&plug, 0);
	expect((struct plugclock_counters){0});
	for (i = 0; i < 1000; i++)
		plugclock_now_ns();
	expect((struct plugclock_counters){.started = 1});
}

static void counters_of_each_cause(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		plugclock_start(&plug, 0);
		plugclock_now_ns();
		plugclock_flush();
		plugclock_flush();
		plugclock_now_ns();
		plugclock_now_ns();
		fake_switch();
		plugclock_now_ns();
		fake_switch();
		plugclock_read_ns();
		plugclock_read_ns();
		plugclock_now_ns();
		plugclock_finish(&plug);
		plugclock_now_ns();
	}
	expect((struct plugclock_counters){
		.uncached = 3, .started = 3, .flushed = 3, .switched = 6, .asked = 3});
}

static void counters_flush_before_the_first_reading(void **state)
{
	(void)state;
	plugclock_start(&plug, 0);
	plugclock_flush();
	plugclock_now_ns();
	expect((struct plugclock_counters){.flushed = 1});
}

static void counters_of_an_inner_plug(void **state)
{
	struct plugclock_plug inner;

	(void)state;
	plugclock_start(&plug, 0);
	plugclock_now_ns();
	plugclock_start(&inner, 0);
	plugclock_now_ns();
	plugclock_finish(&inner);
	plugclock_now_ns();
	expect((struct plugclock_counters){.started = 1});
}

static void switch_once(void)
{
	after_reading = NULL;
	fake_switch();
}

static void counters_switch_while_reading(void **state)
{
	(void)state;
	plugclock_start(&plug, 0);
	after_reading = switch_once;
	plugclock_now_ns();
	expect((struct plugclock_counters){.started = 1, .switched = 1});
}

static void counters_switch_at_every_reading(void **state)
{
	struct plugclock_counters now;

	(void)state;
	plugclock_start(&plug, 0);
	after_reading = fake_switch;
	plugclock_now_ns();
	now = get();
	assert_true(now.switched - before.switched > 1);
	expect((struct plugclock_counters){
		.started = 1, .switched = now.switched - before.switched, .uncached = 1});
}

static void handler_reads(void)
{
	after_reading = NULL;
	plugclock_now_ns();
}

static void counters_handler_reads_meanwhile(void **state)
{
	(void)state;
	plugclock_start(&plug, 0);
	after_reading = handler_reads;
	plugclock_now_ns();
	/* The handler's is not cached, and spoils the one that it interrupted. */
	expect((struct plugclock_counters){.started = 1, .uncached = 1, .disturbed = 1});
}

static void handler_flushes(void)
{
	after_reading = NULL;
	plugclock_flush();
}

static void counters_handler_flushes_meanwhile(void **state)
{
	(void)state;
	plugclock_start(&plug, 0);
	after_reading = handler_flushes;
	plugclock_now_ns();
	expect((struct plugclock_counters){.started = 1, .flushed = 1});
}

static void *reads_three_times(void *counters)
{
	plugclock_now_ns();
	plugclock_now_ns();
	plugclock_now_ns();
	plugclock_get_counters(counters, sizeof(struct plugclock_counters));
	return NULL;
}

static void counters_of_another_thread(void **state)
{
	struct plugclock_counters theirs, ours = get();
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, reads_three_times, &theirs), 0);
	pthread_join(thread, NULL);
	assert_int_equal(theirs.readings, 3);
	assert_int_equal(theirs.uncached, 3);
	assert_int_equal(get().readings, ours.readings);
}

static int counts_on(void)
{
	struct plugclock_counters now;

	plugclock_now_ns();
	plugclock_get_counters(&now, sizeof(now));
	return now.started != before.started + 2 || now.readings != before.readings + 2;
}

static void counters_of_a_forked_child(void **state)
{
	(void)state;
	plugclock_start(&plug, 0);
	plugclock_now_ns();
	assert_int_equal(in_child(counts_on), 0);
}

static void counters_for_a_caller_that_knows_fewer(void **state)
{
	struct plugclock_counters counters;

	(void)state;
	memset(&counters, 0x55, sizeof(counters));
	assert_int_equal(plugclock_get_counters(&counters, 2 * sizeof(uint64_t)), 0);
	assert_int_equal(counters.readings, before.readings);
	assert_int_equal(counters.uncached, before.uncached);
	assert_int_equal(counters.started, 0x5555555555555555);
}

static void counters_for_a_caller_that_knows_more(void **state)
{
	struct {
		struct plugclock_counters known;
		uint64_t unknown[2];
	} counters;

	(void)state;
	memset(&counters, 0x55, sizeof(counters));
	assert_int_equal(plugclock_get_counters(&counters.known, sizeof(counters)), 0);
	assert_int_equal(counters.known.readings, before.readings);
	assert_int_equal(counters.unknown[0], 0);
	assert_int_equal(counters.unknown[1], 0);
}

static void counters_without_room(void **state)
{
	struct plugclock_counters counters;

	(void)state;
	assert_int_equal(plugclock_get_counters(NULL, sizeof(counters)), -EINVAL);
	assert_int_equal(plugclock_get_counters(&counters, 0), -EINVAL);
	assert_int_equal(plugclock_get_counters(&counters, 7), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counters_outside_a_plug),
		TEST(counters_of_cached_readings),
		TEST(counters_of_each_cause),
		TEST(counters_flush_before_the_first_reading),
		TEST(counters_of_an_inner_plug),
		TEST(counters_switch_while_reading),
		TEST(counters_switch_at_every_reading),
		TEST(counters_handler_reads_meanwhile),
		TEST(counters_handler_flushes_meanwhile),
		TEST(counters_of_another_thread),
		TEST(counters_of_a_forked_child),
		TEST(counters_for_a_caller_that_knows_fewer),
		TEST(counters_for_a_caller_that_knows_more),
		TEST(counters_without_room),
	};

	setenv("PLUGCLOCK_DETECTOR", "rseq", 1); /* the fake one */
	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
