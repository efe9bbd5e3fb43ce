// SPDX-License-Identifier: MIT
/* What happens at the worst moment: switches, handlers, jumps, a fork that goes unseen. */
#include "plug_fake.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct plugclock_plug plug;
static uint64_t handler_ns;
static jmp_buf out;

static int setup(void **state)
{
	(void)state;
	before_reading = NULL;
	after_reading = NULL;
	on_disarm = NULL;
	return plugclock_start(&plug, 0);
}

static int teardown(void **state)
{
	(void)state;
	before_reading = NULL;
	after_reading = NULL;
	on_disarm = NULL;
	plugclock_finish(&plug);
	/* Nothing is watched, and nothing is cached, outside a plug. */
	return fake_word != 0 || plugclock_now_ns() == plugclock_now_ns();
}

static void now_ns_without_a_switch(void **state)
{
	uint64_t now_ns = plugclock_now_ns();

	(void)state;
	assert_int_equal(plugclock_now_ns(), now_ns);
	assert_int_equal(fake_ns, now_ns);
}

static void now_ns_after_a_switch(void **state)
{
	uint64_t now_ns = plugclock_now_ns();

	(void)state;
	fake_switch();
	assert_int_equal(plugclock_now_ns(), now_ns + 1);
	assert_int_equal(plugclock_now_ns(), now_ns + 1);
}

static void switch_once(void)
{
	after_reading = NULL;
	fake_switch();
}

static void now_ns_switch_while_reading(void **state)
{
	uint64_t before_ns = fake_ns;

	(void)state;
	after_reading = switch_once;
	/* The first reading is from before the switch. */
	assert_int_equal(plugclock_now_ns(), before_ns + 2);
	assert_int_equal(plugclock_now_ns(), before_ns + 2);
}

static void now_ns_switch_at_every_reading(void **state)
{
	uint64_t before_ns = fake_ns, now_ns;

	(void)state;
	after_reading = fake_switch;
	now_ns = plugclock_now_ns();
	assert_int_equal(now_ns, fake_ns);
	assert_in_range(now_ns, before_ns + 2, before_ns + 100);
	assert_in_range(plugclock_read_ns(), now_ns + 1, now_ns + 100);
	after_reading = NULL;
	now_ns = plugclock_now_ns();
	assert_int_equal(plugclock_now_ns(), now_ns);
}

static void handler_reads(void)
{
	after_reading = NULL;
	handler_ns = plugclock_now_ns();
}

static void now_ns_handler_reads_meanwhile(void **state)
{
	uint64_t now_ns;

	(void)state;
	after_reading = handler_reads;
	now_ns = plugclock_now_ns();
	assert_in_range(now_ns, handler_ns + 1, UINT64_MAX);
	assert_int_equal(plugclock_now_ns(), now_ns);
}

static void handler_flushes(void)
{
	after_reading = NULL;
	handler_ns = fake_ns + 1;
	plugclock_flush();
}

static void now_ns_handler_flushes_meanwhile(void **state)
{
	uint64_t now_ns;

	(void)state;
	after_reading = handler_flushes;
	plugclock_now_ns();
	now_ns = plugclock_now_ns();
	assert_in_range(now_ns, handler_ns, UINT64_MAX);
}

/* Spoils every attempt, and comes once more after the last one. */
static void handler_spoils_and_reads(void)
{
	if (plugclock_thread_state.renewing) {
		plugclock_flush();
		return;
	}
	before_reading = NULL;
	handler_ns = plugclock_now_ns();
}

static void now_ns_handler_reads_after_the_last_attempt(void **state)
{
	uint64_t now_ns;

	(void)state;
	before_reading = handler_spoils_and_reads;
	now_ns = plugclock_now_ns();
	assert_int_equal(now_ns, handler_ns + 1);
	assert_in_range(plugclock_now_ns(), now_ns, UINT64_MAX);
}

static void handler_starts_and_finishes(void)
{
	struct plugclock_plug own;

	after_reading = NULL;
	plugclock_start(&own, 0);
	handler_ns = plugclock_now_ns();
	plugclock_finish(&own);
}

static void now_ns_handler_has_a_plug_of_its_own(void **state)
{
	uint64_t now_ns;

	(void)state;
	after_reading = handler_starts_and_finishes;
	now_ns = plugclock_now_ns();
	assert_in_range(now_ns, handler_ns, fake_ns);
	assert_int_equal(plugclock_now_ns(), now_ns);
}

static void handler_finishes_our_plug(void)
{
	after_reading = NULL;
	plugclock_finish(&plug);
}

static void now_ns_handler_finishes_the_plug_meanwhile(void **state)
{
	uint64_t now_ns;

	(void)state;
	after_reading = handler_finishes_our_plug;
	now_ns = plugclock_now_ns();
	assert_int_equal(plugclock_now_ns(), now_ns + 1);
	assert_int_equal(plugclock_now_ns(), now_ns + 2);
	fake_switch();
}

static void handler_jumps_out(void)
{
	after_reading = NULL;
	longjmp(out, 1);
}

static void now_ns_handler_jumps_out(void **state)
{
	uint64_t now_ns;

	(void)state;
	now_ns = plugclock_now_ns();
	fake_switch();
	after_reading = handler_jumps_out;
	if (!setjmp(out))
		plugclock_now_ns();
	assert_in_range(plugclock_now_ns(), now_ns + 2, UINT64_MAX);
	plugclock_finish(&plug);
	/* The next plug caches again. */
	plugclock_start(&plug, 0);
	now_ns = plugclock_now_ns();
	assert_int_equal(plugclock_now_ns(), now_ns);
}

static void handler_reads_twice(void)
{
	on_disarm = NULL;
	handler_ns = plugclock_now_ns();
	plugclock_now_ns();
}

static void finish_handler_reads_meanwhile(void **state)
{
	uint64_t now_ns = plugclock_now_ns();

	(void)state;
	on_disarm = handler_reads_twice;
	plugclock_finish(&plug);
	assert_int_equal(handler_ns, now_ns + 1);
	assert_int_equal(plugclock_now_ns(), now_ns + 3);
	/* teardown() looks whether the detector still watches. */
}

static int reads_the_same_twice(void)
{
	uint64_t now_ns = plugclock_now_ns();

	return now_ns == fake_ns && plugclock_now_ns() == now_ns ? (int)(now_ns & 127)
								 : 127;
}

static void fork_that_the_detector_does_not_see(void **state)
{
	uint64_t now_ns = plugclock_now_ns();

	(void)state;
	/* A fresh reading, which is then cached. */
	assert_int_equal(in_child(reads_the_same_twice), (now_ns + 1) & 127);
	/* The plug is open in the parent, too. */
	now_ns = plugclock_now_ns();
	assert_int_equal(plugclock_now_ns(), now_ns);
}

static void start_in_a_thread_that_the_detector_cannot_serve(void **state)
{
	uint64_t now_ns;

	(void)state;
	plugclock_finish(&plug);
	fake_thread_is_served = false;
	assert_int_equal(plugclock_start(&plug, 0), 0);
	assert_int_equal(plugclock_detector(), PLUGCLOCK_DETECTOR_NONE);
	now_ns = plugclock_now_ns();
	assert_int_equal(plugclock_now_ns(), now_ns + 1);
	plugclock_finish(&plug);
	fake_thread_is_served = true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(now_ns_without_a_switch),
		TEST(now_ns_after_a_switch),
		TEST(now_ns_switch_while_reading),
		TEST(now_ns_switch_at_every_reading),
		TEST(now_ns_handler_reads_meanwhile),
		TEST(now_ns_handler_flushes_meanwhile),
		TEST(now_ns_handler_reads_after_the_last_attempt),
		TEST(now_ns_handler_has_a_plug_of_its_own),
		TEST(now_ns_handler_finishes_the_plug_meanwhile),
		TEST(now_ns_handler_jumps_out),
		TEST(finish_handler_reads_meanwhile),
		TEST(fork_that_the_detector_does_not_see),
		TEST(start_in_a_thread_that_the_detector_cannot_serve),
	};

	setenv("PLUGCLOCK_DETECTOR", "rseq", 1); /* the fake one */
	return cmocka_run_group_tests_name("plug_order", tests, NULL, NULL);
}
