// SPDX-License-Identifier: MIT
/*
 * One worker's loop where a thread of the kernel submits. What would be lost without a
 * wake-up, or without a look at the stop, never ends: no test takes time that decides.
 */
#include "worker_fixture.h"

#include <pthread.h>
#include <stdlib.h>

/* So that a thread which has been woken once stays awake, whatever the machine does. */
#define IDLE_FOR_GOOD_MS 600000

static int set_up_sqpoll(void **state)
{
	if (set_up(state))
		return -1;
	o.kernel_submits = true;
	return 0;
}

/* As open_worker(), with the time after which the thread sleeps; 0: as in a run. */
static void open_idling(const struct engine *on, unsigned int nr_targets,
			unsigned int after, unsigned int ms)
{
	idle_ms = ms;
	open_worker(on, nr_targets, after);
	assert_true(w.ring.setup_flags & IORING_SETUP_SQPOLL);
}

static void run_counts_what_was_submitted_and_makes_no_call(void **state)
{
	static const struct engine *const engines[] = {&engine_null, &engine_nop};

	(void)state;
	for (size_t e = 0; e < ARRAY_SIZE(engines); e++)
		for (unsigned int i = 0; i < 6; i++) {
			const struct pace pace = {.lat = (enum lat_mode)(i % 3)};
			struct tally tally;

			open_idling(engines[e], i % 2 + 1, 200, IDLE_FOR_GOOD_MS);
			assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
			assert_drained();
			assert_int_equal(w.errors, 0);
			/* It may sleep before the first batch, and never again: until it is
			 * awake each batch that the queue takes calls it. */
			assert_in_range(w.progress.calls, 0, DEPTH / o.submit_batch);
			assert_in_range(tally.ios, 1, aimed);
			assert_int_equal(latency.count,
					 pace.lat == LAT_OFF ? 0 : tally.ios);
			worker_close(&w);
		}
}

/* The kernel refuses both with a thread of its own; a ring is to be had all the same. */
static void open_goes_without_flags_that_exclude_it(void **state)
{
	(void)state;
	open_idling(&engine_null, 1, 1, 0);
	assert_false(w.ring.setup_flags &
		     (IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN));
}

static void run_with_every_depth_and_batch(void **state)
{
	const struct pace pace = {.lat = LAT_CACHED};
	struct tally tally;

	(void)state;
	for (unsigned int depth = 1; depth <= 20; depth += depth < 5 ? 2 : 5)
		for (unsigned int s = 1; s <= depth; s += 7)
			for (unsigned int c = 1; c <= depth; c += 7) {
				o.depth = depth;
				o.submit_batch = s;
				o.complete_batch = c;
				open_idling(&engine_null, 1, 30, IDLE_FOR_GOOD_MS);
				assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
				assert_drained();
				worker_close(&w);
			}
}

/* It sleeps between slices, and takes no entry until it is woken. */
static void run_wakes_a_thread_that_sleeps(void **state)
{
	const struct pace pace = {.lat = LAT_OFF};

	(void)state;
	open_idling(&engine_null, 1, 50, 1);
	for (unsigned int i = 0; i < 3; i++) {
		struct tally tally;
		uint64_t calls = w.progress.calls;

		while (!(__atomic_load_n(w.ring.sq_flags, __ATOMIC_ACQUIRE) &
			 IORING_SQ_NEED_WAKEUP))
			usleep(1000);
		stop = false;
		batches = 0;
		assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
		assert_drained();
		assert_in_range(w.progress.calls, calls + 1, UINT64_MAX);
	}
}

/* Not one more than was asked for, at a pace or without, as the thread sleeps in between. */
static void run_paced_ends_with_so_many(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct pace pace = {
			.lat = LAT_CACHED,
			.interval_ns = i % 2 ? 2000000 : 0,
		};
		struct tally tally;

		open_idling(&engine_null, i / 2 + 1, 0, 1);
		w.left = i % 2 ? 41 : 1001;
		assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
		assert_int_equal(tally.ios, i % 2 ? 41 : 1001);
		assert_drained();
		worker_close(&w);
	}
}

/* What was shown to the thread behind the bad entry is not taken back. */
static void run_ends_at_a_bad_completion(void **state)
{
	(void)state;
	for (unsigned int nr = 1; nr <= 2; nr++) {
		const struct pace pace = {.lat = LAT_CLOCK};
		struct tally tally;

		open_idling(&engine_null, nr, 0, 0);
		break_after = 31;
		assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
		assert_true(stop);
		assert_in_range(w.errors, 1, UINT64_MAX);
		assert_int_equal(w.error_result, -EINVAL);
		assert_drained();
		worker_close(&w);
	}
}

/* Files and buffers registered or not, and vectors: the thread reads what the file holds. */
static void run_reads_the_right_blocks(void **state)
{
	(void)state;
	make_blocks();
	for (unsigned int i = 0; i < 6; i++) {
		o.registered_files = i & 1;
		o.fixed_buffers = i / 2 == 1;
		o.vectored = i / 2 == 2;
		assert_reads_right_blocks();
	}
}

/* How often a thread has gone to sleep, which the loop never does, and a drain does. */
static unsigned long sleeps_of(int tid)
{
	unsigned long n = 0;
	char path[64], line[128];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
			break;
	if (in)
		fclose(in);
	return n;
}

static int worker_tid, pipe_end;

/* Stop once nothing comes any more; only when the loop has ended is there data. */
static void *stop_then_feed(void *unused)
{
	static const unsigned char data[DEPTH * 4096];
	unsigned long before;

	while (atomic_load(&w.progress.submitted) < DEPTH)
		usleep(1000);
	before = sleeps_of(worker_tid);
	stop = true;
	while (sleeps_of(worker_tid) < before + 3)
		usleep(1000);
	if (write(pipe_end, data, sizeof(data)) != (ssize_t)sizeof(data))
		abort();
	close(pipe_end);
	return unused;
}

static void run_sees_the_stop_while_nothing_completes(void **state)
{
	const struct pace pace = {.lat = LAT_OFF};
	struct tally tally;
	pthread_t helper;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(devices[0].fd);
	devices[0].fd = ends[0];
	devices[0].kind = DEVICE_FILE;
	pipe_end = ends[1];
	worker_tid = gettid();
	open_idling(&engine_block, 1, 0, 0);
	assert_int_equal(pthread_create(&helper, NULL, stop_then_feed, NULL), 0);
	assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
	pthread_join(helper, NULL);
	assert_int_equal(aimed, DEPTH);
	assert_drained();
}

int main(void)
{
#define on_sqpoll(test) cmocka_unit_test_setup_teardown(test, set_up_sqpoll, tear_down)
	const struct CMUnitTest tests[] = {
		on_sqpoll(run_counts_what_was_submitted_and_makes_no_call),
		on_sqpoll(open_goes_without_flags_that_exclude_it),
		on_sqpoll(run_with_every_depth_and_batch),
		on_sqpoll(run_wakes_a_thread_that_sleeps),
		on_sqpoll(run_paced_ends_with_so_many),
		on_sqpoll(run_ends_at_a_bad_completion),
		on_sqpoll(run_reads_the_right_blocks),
		on_sqpoll(run_sees_the_stop_while_nothing_completes),
	};

	return cmocka_run_group_tests_name("sqpoll", tests, NULL, NULL);
}
