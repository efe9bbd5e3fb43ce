// SPDX-License-Identifier: MIT
/* The loop where a thread of the kernel submits (--sqpoll 1), on real rings. */
#include "worker_fixture.h"

static void run_where_the_kernel_submits(void **state)
{
	static const struct engine *const engines[] = {&engine_null, &engine_nop};

	(void)state;
	o.kernel_submits = true;
	for (size_t e = 0; e < ARRAY_SIZE(engines); e++)
		for (unsigned int i = 0; i < 6; i++) {
			const struct pace pace = {.lat = (enum lat_mode)(i % 3)};
			struct tally tally;

			open_worker(engines[e], i % 2 + 1, 500);
			assert_true(w.ring.setup_flags & IORING_SETUP_SQPOLL);
			assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
			assert_drained();
			assert_int_equal(w.errors, 0);
			assert_int_equal(w.total_ios, aimed);
			/* A batch takes a call only where the thread has slept. */
			assert_in_range(tally.calls, 0, 499);
			assert_int_equal(latency.count,
					 pace.lat == LAT_OFF ? 0 : tally.ios);
			worker_close(&w);
		}
}

/* It sleeps between slices, and takes no entry until it is woken. */
static void run_wakes_the_thread_that_submits(void **state)
{
	const struct pace pace = {.lat = LAT_OFF};

	(void)state;
	o.kernel_submits = true;
	open_worker(&engine_null, 1, 100);
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
	assert_int_equal(w.total_ios, aimed);
}

/* Not one more than was asked for, whoever submits them. */
static void run_to_its_end_where_the_kernel_submits(void **state)
{
	const struct pace pace = {.lat = LAT_CACHED};
	struct tally tally;

	(void)state;
	o.kernel_submits = true;
	open_worker(&engine_null, 1, 0);
	w.left = 1001;
	assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
	assert_int_equal(tally.ios, 1001);
	assert_drained();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_null(run_where_the_kernel_submits),
		on_null(run_wakes_the_thread_that_submits),
		on_null(run_to_its_end_where_the_kernel_submits),
	};

	return cmocka_run_group_tests_name("worker_sqpoll", tests, NULL, NULL);
}
