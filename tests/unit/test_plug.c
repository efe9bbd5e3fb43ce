// SPDX-License-Identifier: MIT
/* Plugs and readings, with the detector that this machine really has. */
#include "plug_test.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* A reading from the cache is the same as the one before it, and the clock has moved. */
static bool caches(void)
{
	int i;

	/* A switch may come at any moment, but not a hundred times. */
	for (i = 0; i < 100; i++) {
		uint64_t first_ns = plugclock_now_ns();
		uint64_t between_ns = clock_ns();
		uint64_t second_ns = plugclock_now_ns();

		if (second_ns == first_ns && second_ns < between_ns)
			return true;
	}
	return false;
}

/* Every reading is a fresh one. */
static bool reads_afresh(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		uint64_t before_ns = clock_ns();

		if (plugclock_now_ns() < before_ns)
			return false;
	}
	return true;
}

static void flush_before_the_first_plug(void **state)
{
	(void)state;
	plugclock_flush();
	assert_true(reads_afresh());
}

static void start_without_a_plug(void **state)
{
	(void)state;
	assert_int_equal(plugclock_start(NULL, 0), -EINVAL);
	assert_true(reads_afresh());
}

static void start_with_unknown_flags(void **state)
{
	struct plugclock_plug plug;

	(void)state;
	errno = 0;
	assert_int_equal(plugclock_start(&plug, 1u << 31), -EINVAL);
	assert_int_equal(errno, 0);
	assert_true(reads_afresh());
}

static void now_ns_outside_a_plug(void **state)
{
	struct plugclock_plug plug;

	(void)state;
	assert_true(reads_afresh());
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_now_ns();
	plugclock_finish(&plug);
	assert_true(reads_afresh());
}

static void now_ns_inside_a_plug(void **state)
{
	struct plugclock_plug plug;
	uint64_t before_ns = clock_ns(), now_ns;

	(void)state;
	skip_unless_exact();
	assert_int_equal(plugclock_start(&plug, 0), 0);
	now_ns = plugclock_now_ns();
	assert_in_range(now_ns, before_ns, clock_ns());
	assert_true(caches());
	plugclock_finish(&plug);
}

static void now_ns_first_in_a_second_plug(void **state)
{
	struct plugclock_plug plug;
	uint64_t between_ns;

	(void)state;
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_now_ns();
	plugclock_finish(&plug);
	between_ns = clock_ns();
	assert_int_equal(plugclock_start(&plug, 0), 0);
	assert_in_range(plugclock_now_ns(), between_ns, UINT64_MAX);
	plugclock_finish(&plug);
}

static void read_ns_becomes_the_cached_reading(void **state)
{
	struct plugclock_plug plug;
	int i, kept = 0;

	(void)state;
	skip_unless_exact();
	assert_int_equal(plugclock_start(&plug, 0), 0);
	for (i = 0; i < 100; i++) {
		uint64_t before_ns = clock_ns();
		uint64_t read_ns = plugclock_read_ns();

		assert_in_range(read_ns, before_ns, clock_ns());
		kept += plugclock_now_ns() == read_ns;
	}
	assert_true(kept > 0);
	plugclock_finish(&plug);
}

static void flush_inside_a_plug(void **state)
{
	struct plugclock_plug plug;
	uint64_t flushed_ns, now_ns;

	(void)state;
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_now_ns();
	flushed_ns = clock_ns();
	plugclock_flush();
	now_ns = plugclock_now_ns();
	assert_in_range(now_ns, flushed_ns, clock_ns());
	plugclock_finish(&plug);
}

static void flush_outside_a_plug(void **state)
{
	(void)state;
	plugclock_flush();
	assert_true(reads_afresh());
}

static void finish_of_an_inner_plug(void **state)
{
	struct plugclock_plug outer, inner;

	(void)state;
	skip_unless_exact();
	assert_int_equal(plugclock_start(&outer, 0), 0);
	assert_int_equal(plugclock_start(&inner, 0), 0);
	plugclock_finish(&inner);
	assert_true(caches());
	plugclock_finish(&outer);
	assert_true(reads_afresh());
}

static void start_of_an_inner_plug_keeps_the_reading(void **state)
{
	struct plugclock_plug outer, inner;
	int i, kept = 0;

	(void)state;
	skip_unless_exact();
	assert_int_equal(plugclock_start(&outer, 0), 0);
	for (i = 0; i < 100; i++) {
		uint64_t before_ns = plugclock_read_ns();

		assert_int_equal(plugclock_start(&inner, 0), 0);
		plugclock_finish(&inner);
		kept += plugclock_now_ns() == before_ns;
	}
	assert_true(kept > 0);
	plugclock_finish(&outer);
}

static void start_twice(void **state)
{
	struct plugclock_plug plug;

	(void)state;
	assert_int_equal(plugclock_start(&plug, 0), 0);
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_now_ns();
	plugclock_finish(&plug);
	assert_true(reads_afresh());
	plugclock_finish(&plug);
	assert_true(reads_afresh());
}

static void finish_without_start(void **state)
{
	struct plugclock_plug plug, never_started;

	(void)state;
	plugclock_finish(NULL);
	plugclock_finish(&never_started);
	assert_true(reads_afresh());
	skip_unless_exact();
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_finish(NULL);
	plugclock_finish(&never_started);
	assert_true(caches());
	plugclock_finish(&plug);
}

static uintptr_t dead;

__attribute__((noinline)) static void start_on_a_stack_that_dies(void)
{
	struct plugclock_plug plug;

	plugclock_start(&plug, 0);
	plugclock_now_ns();
	/* That it dies is the point. */
	// cppcheck-suppress danglingLifetime
	dead = (uintptr_t)&plug; // NOLINT(clang-analyzer-core.StackAddressEscape)
}

static void start_of_a_plug_that_dies_with_its_stack(void **state)
{
	struct plugclock_plug plug;
	uint64_t flushed_ns;

	(void)state;
	start_on_a_stack_that_dies();
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_finish(&plug);
	flushed_ns = clock_ns();
	plugclock_flush();
	assert_in_range(plugclock_now_ns(), flushed_ns, UINT64_MAX);
	plugclock_finish((struct plugclock_plug *)dead);
	assert_true(reads_afresh());
}

static void *leaves_a_plug_open(void *wrong)
{
	struct plugclock_plug plug;

	if (!reads_afresh() || plugclock_start(&plug, 0))
		*(int *)wrong = 1;
	plugclock_now_ns();
	return NULL;
}

static void thread_exit_inside_a_plug(void **state)
{
	int i, wrong = 0;

	(void)state;
	/* One after the other, so that each gets the memory of the one before. */
	for (i = 0; i < 200 && !wrong; i++) {
		pthread_t thread;

		assert_int_equal(
			pthread_create(&thread, NULL, leaves_a_plug_open, &wrong), 0);
		pthread_join(thread, NULL);
	}
	assert_false(wrong);
}

static void *caches_by_itself(void *wrong)
{
	struct plugclock_plug plug;
	int i;

	for (i = 0; i < 1000; i++) {
		uint64_t before_ns = clock_ns();

		plugclock_start(&plug, 0);
		if (plugclock_now_ns() < before_ns)
			*(int *)wrong = 1;
		plugclock_finish(&plug);
	}
	return NULL;
}

static void start_in_two_threads_at_once(void **state)
{
	struct plugclock_plug plug;
	pthread_t thread;
	int mine = 0, other = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, caches_by_itself, &other), 0);
	caches_by_itself(&mine);
	assert_int_equal(plugclock_start(&plug, 0), 0);
	pthread_join(thread, NULL);
	plugclock_finish(&plug);
	assert_int_equal(mine + other, 0);
}

static uint64_t forked_ns;

static int reads_after_fork(void)
{
	if (plugclock_now_ns() < forked_ns)
		return 1;
	if (plugclock_detector() == PLUGCLOCK_DETECTOR_EXACT && !caches())
		return 2;
	return 0;
}

static void fork_inside_a_plug(void **state)
{
	struct plugclock_plug plug;

	(void)state;
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_now_ns();
	forked_ns = clock_ns();
	assert_int_equal(in_child(reads_after_fork), 0);
	assert_in_range(plugclock_now_ns(), forked_ns, UINT64_MAX);
	plugclock_finish(&plug);
}

static int execs(void)
{
	plugclock_read_ns();
	execl("/bin/true", "true", NULL);
	return 93;
}

static void exec_inside_a_plug(void **state)
{
	struct plugclock_plug plug;

	(void)state;
	assert_int_equal(plugclock_start(&plug, 0), 0);
	assert_int_equal(in_child(execs), 0);
	plugclock_finish(&plug);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flush_before_the_first_plug),
		cmocka_unit_test(start_without_a_plug),
		cmocka_unit_test(start_with_unknown_flags),
		cmocka_unit_test(now_ns_outside_a_plug),
		cmocka_unit_test(now_ns_inside_a_plug),
		cmocka_unit_test(now_ns_first_in_a_second_plug),
		cmocka_unit_test(read_ns_becomes_the_cached_reading),
		cmocka_unit_test(flush_inside_a_plug),
		cmocka_unit_test(flush_outside_a_plug),
		cmocka_unit_test(finish_of_an_inner_plug),
		cmocka_unit_test(start_of_an_inner_plug_keeps_the_reading),
		cmocka_unit_test(start_twice),
		cmocka_unit_test(finish_without_start),
		cmocka_unit_test(start_of_a_plug_that_dies_with_its_stack),
		cmocka_unit_test(thread_exit_inside_a_plug),
		cmocka_unit_test(start_in_two_threads_at_once),
		cmocka_unit_test(fork_inside_a_plug),
		cmocka_unit_test(exec_inside_a_plug),
	};

	choose_detector();
	return cmocka_run_group_tests_name("plug", tests, NULL, NULL);
}
