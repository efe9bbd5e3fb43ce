// SPDX-License-Identifier: MIT
/* Several workers, told to run slice after slice. */
#include "worker_test.h"

#include "crew.h"

#include <sched.h>
#include <stdlib.h>

static struct options o;
static struct device devices[3];
static struct fail f;
static _Atomic unsigned int batches, break_at, broken_tail;

/* The null engine, and one broken entry when the test wants it. */
static void aim(const struct ring *r, struct target *t, unsigned int tail, unsigned int n)
{
	unsigned int at = break_at;

	engine_null.aim(r, t, tail, n);
	if (at && ++batches == at) {
		broken_tail = tail;
		ring_sqe(r, tail)->opcode = 255;
	} else if (at && batches == at + 1) {
		ring_sqe(r, broken_tail)->opcode = IORING_OP_URING_CMD;
	}
}

static int set_up(void **state)
{
	(void)state;
	o = options_of(16);
	for (unsigned int i = 0; i < 3; i++)
		devices[i] = null_device(i ? i == 1 ? "/dev/second" : "/dev/third"
					   : "/dev/first");
	memset(&f, 0, sizeof(f));
	batches = break_at = 0;
	return devices[2].fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		close(devices[i].fd);
	return 0;
}

static struct crew *open_crew(const struct engine *e, unsigned int threads,
			      unsigned int nr_devices)
{
	struct crew *c;

	skip_without_io_uring();
	o.threads = threads;
	o.nr_devices = nr_devices;
	c = crew_open(&o, e, devices, &f);
	if (!c)
		fail_msg("%s", f.why);
	return c;
}

/* Until each worker has surely got out of its ramp, or one has stopped. */
static void let_run(const struct crew *c)
{
	while (crew_counts(c).completed < 20000 && !crew_stopped(c))
		sched_yield();
}

static void crew_counts_agree_for_threads_engines_and_modes(void **state)
{
	static const struct engine *const engines[] = {&engine_null, &engine_nop};
	struct histogram *latency = calloc(1, sizeof(*latency));

	(void)state;
	assert_non_null(latency);
	for (unsigned int i = 0; i < 6; i++) {
		struct crew *c = open_crew(engines[i % 2], i % 3 + 1, 1);

		for (int lat = LAT_OFF; lat <= LAT_CACHED; lat++) {
			const struct pace pace = {.lat = (enum lat_mode)lat};
			struct slice slice;

			memset(latency, 0, sizeof(*latency));
			crew_begin(c, &pace, WORKER_NO_END);
			let_run(c);
			assert_int_equal(crew_end(c, &slice, latency, &f), 0);
			assert_int_equal(slice.errors, 0);
			assert_int_equal(slice.all_ios, crew_counts(c).submitted);
			assert_in_range(slice.ios, 1, slice.all_ios);
			assert_int_equal(latency->count, lat == LAT_OFF ? 0 : slice.ios);
			assert_true(slice.iops > 0);
			assert_true(slice.ns_per_io * slice.iops > 0.999e9 * (i % 3 + 1));
			assert_true(slice.ns_per_io * slice.iops < 1.001e9 * (i % 3 + 1));
		}
		assert_int_equal(crew_size(c), i % 3 + 1);
		crew_close(c);
	}
	free(latency);
}

static void crew_deals_devices_and_names_the_last(void **state)
{
	struct crew *c = open_crew(&engine_null, 2, 1);

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		struct crew_member m = crew_member(c, i);

		assert_int_not_equal(m.tid, 0);
		assert_int_equal(m.node, -1);
		assert_string_equal(m.path, "/dev/first");
	}
	assert_int_equal(crew_ring(c)->sq_mask + 1, 16);
	crew_close(c);
}

static void crew_with_several_devices_each(void **state)
{
	const struct pace pace = {.lat = LAT_CACHED};
	struct engine reads = engine_null;
	struct slice slice;
	struct crew *c;

	(void)state;
	/* With files and buffers to register, as the nvme engine. */
	reads.reads_device = true;
	c = open_crew(&reads, 2, 3);
	assert_string_equal(crew_member(c, 0).path, "/dev/third");
	assert_string_equal(crew_member(c, 1).path, "/dev/second");
	for (unsigned int i = 0; i < 3; i++) {
		crew_begin(c, &pace, WORKER_NO_END);
		let_run(c);
		assert_int_equal(crew_end(c, &slice, NULL, &f), 0);
		assert_int_equal(slice.all_ios, crew_counts(c).submitted);
	}
	crew_close(c);
}

static void crew_stops_at_a_bad_completion_and_names_it(void **state)
{
	const struct pace pace = {.lat = LAT_OFF};
	struct engine broken = engine_null;
	struct slice slice;
	struct crew *c;

	(void)state;
	broken.reads_device = true;
	broken.aim = aim;
	break_at = 5000;
	c = open_crew(&broken, 2, 1);
	crew_begin(c, &pace, WORKER_NO_END);
	while (!crew_stopped(c))
		sched_yield();
	assert_int_equal(crew_end(c, &slice, NULL, &f), -1);
	assert_int_equal(slice.errors, 1);
	assert_int_equal(slice.all_ios + slice.errors, crew_counts(c).submitted);
	assert_int_equal(f.status, STATUS_FAILED);
	assert_non_null(strstr(f.why, "/dev/first"));
	assert_non_null(strstr(f.why, "Invalid argument"));
	crew_close(c);
}

/* As many bad completions as are allowed for leave the slice good, one more does not. */
static void crew_counts_errors_up_to_the_limit(void **state)
{
	const struct pace pace = {.lat = LAT_CACHED};
	struct histogram *latency = calloc(1, sizeof(*latency));
	struct engine broken = engine_null;
	struct slice slice;
	struct crew *c;

	(void)state;
	assert_non_null(latency);
	broken.reads_device = true;
	broken.aim = aim;
	break_at = 5000;
	o.max_errors = 1;
	c = open_crew(&broken, 1, 1);
	for (unsigned int i = 0; i < 2; i++) {
		batches = 0;
		crew_begin(c, &pace, 40000);
		while (!crew_idle(c))
			sched_yield();
		memset(latency, 0, sizeof(*latency));
		/* The second slice's error is the crew's second. */
		assert_int_equal(crew_end(c, &slice, latency, &f), i ? -1 : 0);
		assert_int_equal(slice.errors, 1);
		if (!i)
			assert_int_equal(slice.ios + slice.errors, 40000);
		assert_non_null(strstr(slice.first_error, "/dev/first: a read failed: "));
		assert_int_equal(slice.all_ios + slice.errors, crew_counts(c).submitted);
		assert_int_equal(latency->count, slice.ios);
	}
	assert_non_null(strstr(f.why, "(2 failed in all); result invalid"));
	crew_close(c);
	free(latency);
}

static void crew_ends_after_so_many_and_can_go_on(void **state)
{
	static const uint64_t counts[] = {1, 2, 3, 17, 1001, 0, 50000};

	(void)state;
	for (unsigned int threads = 1; threads <= 3; threads++) {
		struct crew *c = open_crew(&engine_null, threads, 1);

		for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
			const struct pace pace = {
				.lat = LAT_CLOCK,
				.interval_ns = counts[i] == 1001 ? 1000 : 0,
			};
			struct slice slice;

			crew_begin(c, &pace, counts[i]);
			while (!crew_idle(c))
				sched_yield();
			assert_false(crew_stopped(c));
			assert_int_equal(crew_end(c, &slice, NULL, &f), 0);
			assert_int_equal(slice.ios, counts[i]);
			assert_int_equal(slice.all_ios, counts[i]);
			assert_int_equal(slice.clock_reads, 2 * counts[i]);
			/* No faster than the pace, however slow the machine. */
			if (pace.interval_ns > 0)
				assert_true(slice.ns_per_io > 990);
		}
		crew_close(c);
	}
}

static void crew_prices_the_clock_without_any_io(void **state)
{
	const struct pace pace = {.only_clock = true}, io = {.lat = LAT_OFF};
	struct crew *c = open_crew(&engine_null, 2, 1);
	struct slice slice;

	(void)state;
	crew_begin(c, &pace, WORKER_NO_END);
	usleep(20000);
	assert_int_equal(crew_end(c, &slice, NULL, &f), 0);
	assert_int_equal(slice.all_ios, 0);
	assert_in_range(slice.clock_reads, 64, UINT64_MAX);
	assert_true(slice.time_ns > 0);
	crew_begin(c, &io, WORKER_NO_END);
	let_run(c);
	assert_int_equal(crew_end(c, &slice, NULL, &f), 0);
	assert_int_equal(slice.clock_reads, 0);
	crew_close(c);
}

static void crew_open_fails_on_a_cpu_that_is_not_there(void **state)
{
	int before;

	(void)state;
	skip_without_io_uring();
	before = open_fds();
	o.threads = 3;
	o.cpus[0] = 0;
	o.cpus[1] = 4095;
	o.nr_cpus = 2;
	assert_refused(&f, crew_open(&o, &engine_nop, devices, &f) ? 0 : -1,
		       STATUS_NOT_POSSIBLE, "--cpus: CPU 4095");
	assert_int_equal(open_fds(), before);
}

static void crew_open_and_close_without_a_run(void **state)
{
	int before = open_fds();

	(void)state;
	for (unsigned int threads = 1; threads <= 5; threads += 4)
		crew_close(open_crew(&engine_null, threads, 1));
	crew_close(NULL);
	assert_int_equal(open_fds(), before);
}

int main(void)
{
#define on_null(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		on_null(crew_counts_agree_for_threads_engines_and_modes),
		on_null(crew_deals_devices_and_names_the_last),
		on_null(crew_with_several_devices_each),
		on_null(crew_stops_at_a_bad_completion_and_names_it),
		on_null(crew_counts_errors_up_to_the_limit),
		on_null(crew_ends_after_so_many_and_can_go_on),
		on_null(crew_prices_the_clock_without_any_io),
		on_null(crew_open_fails_on_a_cpu_that_is_not_there),
		on_null(crew_open_and_close_without_a_run),
	};

	return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
