// SPDX-License-Identifier: MIT
/*
 * One worker's loop where a thread of the kernel submits. What would be lost without a
 * wake-up, or without a look at the stop, never ends: no test takes time that decides.
 */
#include "worker_test.h"

#include "worker.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define DEPTH 16

/* So that a thread which has been woken once stays awake, whatever the machine does. */
#define IDLE_FOR_GOOD_MS 600000

static const struct engine *base;
static struct engine engine;
static struct options o;
static struct device devices[2];
static struct target targets[2];
static struct histogram latency;
static struct worker w;
static struct fail f;
static _Atomic bool stop;
static unsigned int batches, stop_after, break_after;
static uint64_t aimed;

static void aim(const struct ring *r, struct target *t, unsigned int tail, unsigned int n)
{
	if (base->aim)
		base->aim(r, t, tail, n);
	aimed += n;
	batches++;
	if (break_after && batches == break_after)
		ring_sqe(r, tail + n / 2)->opcode = 255; /* completes with -EINVAL */
	if (stop_after && batches == stop_after)
		stop = true;
}

static void open_worker(const struct engine *on, unsigned int nr_targets,
			unsigned int after, unsigned int idle_ms)
{
	skip_without_io_uring();
	base = on;
	engine = *on;
	engine.aim = aim;
	memset(&f, 0, sizeof(f));
	memset(&w, 0, sizeof(w));
	memset(targets, 0, sizeof(targets));
	for (unsigned int i = 0; i < nr_targets; i++) {
		targets[i].device = &devices[i];
		targets[i].fd = devices[i].fd;
		targets[i].random = i + 1;
	}
	stop = false;
	batches = break_after = 0;
	aimed = 0;
	stop_after = after;
	w.engine = &engine;
	w.options = &o;
	w.targets = targets;
	w.nr_targets = nr_targets;
	w.stop = &stop;
	w.node = -1;
	w.latency = &latency;
	w.sq_idle_ms = idle_ms;
	if (worker_open(&w, &f))
		fail_msg("%s", f.why);
	assert_true(w.ring.setup_flags & IORING_SETUP_SQPOLL);
}

/* All that was submitted has come back. */
static void assert_drained(void)
{
	assert_int_equal(w.inflight, 0);
	assert_int_equal(w.pending, 0);
	assert_int_equal(w.tail, *w.ring.sq_tail);
	assert_int_equal(w.total_ios + w.errors, w.progress.submitted);
	assert_int_equal(w.progress.submitted, aimed);
	for (unsigned int i = 0; w.nr_targets > 1 && i < w.nr_targets; i++)
		assert_int_equal(targets[i].inflight, 0);
	/* The thread writes its head down only after the completions of a batch. */
	while (__atomic_load_n(w.ring.uring.sq.khead, __ATOMIC_ACQUIRE) != w.tail)
		sched_yield();
}

static int set_up(void **state)
{
	(void)state;
	o = options_of(DEPTH);
	o.kernel_submits = true;
	devices[0] = null_device("first");
	devices[1] = null_device("second");
	return devices[0].fd < 0 || devices[1].fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	worker_close(&w);
	close(devices[0].fd);
	close(devices[1].fd);
	return 0;
}

static void run_counts_what_was_submitted_and_makes_no_call(void **state)
{
	static const struct engine *const engines[] = {&engine_null, &engine_nop};

	(void)state;
	for (size_t e = 0; e < ARRAY_SIZE(engines); e++)
		for (unsigned int i = 0; i < 6; i++) {
			const struct pace pace = {.lat = (enum lat_mode)(i % 3)};
			struct tally tally;

			open_worker(engines[e], i % 2 + 1, 200, IDLE_FOR_GOOD_MS);
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
	open_worker(&engine_null, 1, 1, 0);
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
				open_worker(&engine_null, 1, 30, IDLE_FOR_GOOD_MS);
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
	open_worker(&engine_null, 1, 50, 1);
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

		open_worker(&engine_null, i / 2 + 1, 0, 1);
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

		open_worker(&engine_null, nr, 0, 0);
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
	const struct pace pace = {.lat = LAT_OFF};
	unsigned char block[4096];
	struct tally tally;
	int fd = memfd_create("blocks", MFD_CLOEXEC);

	(void)state;
	for (unsigned int i = 0; i < 200; i++) {
		memset(block, (int)i, sizeof(block));
		assert_int_equal(pwrite(fd, block, sizeof(block), (off_t)i * 4096), 4096);
	}
	close(devices[0].fd);
	devices[0].fd = fd;
	devices[0].kind = DEVICE_FILE;
	devices[0].range.positions = 200;
	for (unsigned int i = 0; i < 6; i++) {
		o.registered_files = i & 1;
		o.fixed_buffers = i / 2 == 1;
		o.vectored = i / 2 == 2;
		open_worker(&engine_block, 1, 10, 0); /* 40 reads, and 16 slots */
		targets[0].random = 0;
		targets[0].position = 50;
		assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
		assert_drained();
		assert_int_equal(w.errors, 0);
		for (unsigned int k = 0; k < 16; k++) {
			unsigned int last = (unsigned int)aimed - 1 - (15 - k);
			const unsigned char *data =
				w.buffers.slots[last % 16].data.iov_base;

			assert_int_equal(data[0], (50 + last) % 200);
			assert_int_equal(data[4095], (50 + last) % 200);
		}
		worker_close(&w);
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
	open_worker(&engine_block, 1, 0, 0);
	assert_int_equal(pthread_create(&helper, NULL, stop_then_feed, NULL), 0);
	assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
	pthread_join(helper, NULL);
	assert_int_equal(aimed, DEPTH);
	assert_drained();
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(run_counts_what_was_submitted_and_makes_no_call),
		TEST(open_goes_without_flags_that_exclude_it),
		TEST(run_with_every_depth_and_batch),
		TEST(run_wakes_a_thread_that_sleeps),
		TEST(run_paced_ends_with_so_many),
		TEST(run_ends_at_a_bad_completion),
		TEST(run_reads_the_right_blocks),
		TEST(run_sees_the_stop_while_nothing_completes),
	};

	return cmocka_run_group_tests_name("sqpoll", tests, NULL, NULL);
}
