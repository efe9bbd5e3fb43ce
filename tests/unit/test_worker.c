// SPDX-License-Identifier: MIT
/* One thread's loop, on engines that end the run by themselves: no test takes time. */
#include "worker_fixture.h"

#include <stdlib.h>

/* Each vector is as long as a read of its device, whatever the slot could take. */
static void check_vectors(const struct ring *r, const struct target *t, unsigned int tail,
			  unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct nvme_uring_cmd *cmd =
			(const struct nvme_uring_cmd *)ring_sqe(r, tail + i)->cmd;
		const struct iovec *vector = (const struct iovec *)(uintptr_t)cmd->addr;

		assert_int_equal(cmd->data_len, 1);
		assert_int_equal(vector->iov_len, t->device->range.data_bytes);
		assert_non_null(vector->iov_base);
	}
}

static void run_counts_what_was_submitted(void **state)
{
	static const struct engine *const engines[] = {&engine_null, &engine_nop};

	(void)state;
	for (size_t e = 0; e < ARRAY_SIZE(engines); e++)
		for (int lat = LAT_OFF; lat <= LAT_CACHED; lat++) {
			const struct pace pace = {.lat = (enum lat_mode)lat};
			struct tally tally;

			open_worker(engines[e], 1, 500);
			assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
			assert_drained();
			assert_int_equal(w.errors, 0);
			/* The batch that stopped it was submitted, and drained. */
			assert_int_equal(w.total_ios, aimed);
			assert_in_range(tally.ios, 500 * 4 - 3 * DEPTH, aimed - DEPTH);
			assert_int_not_equal(tally.calls, 0);
			assert_int_not_equal(tally.time_ns, 0);
			assert_int_equal(latency.count, lat == LAT_OFF ? 0 : tally.ios);
			worker_close(&w);
		}
}

static void run_with_every_depth_and_batch(void **state)
{
	const struct pace pace = {.lat = LAT_CACHED};
	struct tally tally;

	(void)state;
	for (unsigned int depth = 1; depth <= 20; depth += depth < 5 ? 1 : 5)
		for (unsigned int s = 1; s <= depth; s += 3)
			for (unsigned int c = 1; c <= depth; c += 3) {
				o.depth = depth;
				o.submit_batch = s;
				o.complete_batch = c;
				open_worker(&engine_null, 1, 60);
				assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
				assert_drained();
				assert_int_equal(w.total_ios, aimed);
				worker_close(&w);
			}
}

static void run_without_registered_ring(void **state)
{
	const struct pace pace = {.lat = LAT_OFF};
	struct tally tally;

	(void)state;
	o.registered_ring = false;
	open_worker(&engine_null, 1, 50);
	assert_int_equal(w.ring.enter_flags, 0);
	assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
	assert_drained();
}

static void run_shares_the_depth_among_targets(void **state)
{
	(void)state;
	for (int lat = LAT_OFF; lat <= LAT_CACHED; lat++) {
		const struct pace pace = {.lat = (enum lat_mode)lat};
		struct tally tally;

		open_worker(&engine_null, 2, 500);
		assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
		assert_drained();
		assert_int_equal(aimed_at[0] + aimed_at[1], w.total_ios);
		/* In turn, so that neither is behind by more than a queue. */
		assert_in_range(aimed_at[0], aimed / 2 - DEPTH, aimed / 2 + DEPTH);
		assert_int_equal(latency.count, lat == LAT_OFF ? 0 : tally.ios);
		worker_close(&w);
	}
}

static void run_gives_each_target_vectors_of_its_own(void **state)
{
	const struct pace pace = {.lat = LAT_OFF};
	struct tally tally;

	(void)state;
	o.vectored = true;
	look = check_vectors;
	o.fixed_buffers = false;
	devices[0].range.data_bytes = 4096 + 64;
	for (unsigned int nr = 1; nr <= 2; nr++) {
		open_worker(&engine_null, nr, 200);
		assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
		assert_drained();
		worker_close(&w);
	}
}

static void run_slice_after_slice(void **state)
{
	uint64_t sum = 0;

	(void)state;
	open_worker(&engine_null, 1, 100);
	for (unsigned int i = 0; i < 9; i++) {
		const struct pace pace = {.lat = (enum lat_mode)(i % 3)};
		struct tally tally;

		stop = false;
		batches = 0;
		assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
		assert_drained();
		sum += tally.ios;
		assert_in_range(w.total_ios, sum + 1, aimed);
	}
	assert_int_equal(w.total_ios, aimed);
}

static void run_stopped_before_it_began(void **state)
{
	const struct pace pace = {.lat = LAT_CACHED};
	struct tally tally;

	(void)state;
	open_worker(&engine_null, 1, 0);
	stop = true;
	assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
	assert_int_equal(tally.ios, 0);
	assert_int_equal(aimed, 0);
	assert_drained();
}

/* The kernel takes no entry behind a broken one in the same call, and we no more. */
static void run_ends_at_a_bad_completion(void **state)
{
	(void)state;
	for (int lat = LAT_OFF; lat <= LAT_CACHED; lat++)
		for (unsigned int nr = 1; nr <= 2; nr++) {
			const struct pace pace = {.lat = (enum lat_mode)lat};
			struct tally tally;

			open_worker(&engine_null, nr, 0);
			break_after = 101;
			assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
			assert_true(stop);
			assert_int_equal(w.errors, 1);
			assert_int_equal(w.error_result, -EINVAL);
			assert_int_equal(w.error_target,
					 w.nr_targets == 2 ? w.current : 0);
			assert_int_equal(w.progress.submitted, w.total_ios + 1);
			assert_drained();
			worker_close(&w);
		}
}

/* A file that shrank under the run: reads come short, which is no good result. */
static void run_ends_at_a_short_read(void **state)
{
	const struct pace pace = {.lat = LAT_OFF};
	struct tally tally;
	int fd = memfd_create("short", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(ftruncate(fd, 10 * 4096 + 512), 0);
	close(devices[0].fd);
	devices[0].fd = fd;
	devices[0].kind = DEVICE_FILE;
	devices[0].range.positions = 11;
	open_worker(&engine_block, 1, 0);
	targets[0].random = 0;
	assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
	assert_true(w.errors > 0);
	assert_int_equal(w.error_result, 512);
	assert_drained();
}

/* Files and buffers are registered or not; what is read is what the file holds. */
static void run_reads_the_right_blocks(void **state)
{
	(void)state;
	make_blocks();
	for (unsigned int i = 0; i < 8; i++) {
		o.registered_files = i & 1;
		o.fixed_buffers = i & 2;
		o.vectored = (i & 4) && !o.fixed_buffers;
		assert_reads_right_blocks();
	}
}

static void open_and_close_leave_no_descriptor(void **state)
{
	int before = open_fds();

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		open_worker(&engine_null, 2, 0);
		worker_close(&w);
		worker_close(&w); /* twice does no harm */
	}
	assert_int_equal(open_fds(), before);
	memset(&w, 0, sizeof(w));
	worker_close(&w);
}

static void open_with_more_buffers_than_can_be_registered(void **state)
{
	int before = open_fds();

	(void)state;
	skip_without_io_uring();
	o.depth = 20000; /* makes a queue of 32768 */
	memset(&w, 0, sizeof(w));
	w.engine = &engine_block;
	w.options = &o;
	w.targets = targets;
	w.nr_targets = 1;
	w.stop = &stop;
	targets[0] = (struct target){.device = &devices[0], .fd = devices[0].fd};
	assert_refused(&f, worker_open(&w, &f), STATUS_USAGE, "16384");
	assert_int_equal(open_fds(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_null(run_counts_what_was_submitted),
		on_null(run_with_every_depth_and_batch),
		on_null(run_without_registered_ring),
		on_null(run_shares_the_depth_among_targets),
		on_null(run_gives_each_target_vectors_of_its_own),
		on_null(run_slice_after_slice),
		on_null(run_stopped_before_it_began),
		on_null(run_ends_at_a_bad_completion),
		on_null(run_ends_at_a_short_read),
		on_null(run_reads_the_right_blocks),
		on_null(open_and_close_leave_no_descriptor),
		on_null(open_with_more_buffers_than_can_be_registered),
	};

	return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
