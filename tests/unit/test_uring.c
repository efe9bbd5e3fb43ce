// SPDX-License-Identifier: MIT
/* The helpers for liburing, with the detector that this machine really has. */
#include "uring_test.h"

#include <errno.h>
#include <fcntl.h>

static const unsigned int promises[] = {0, PLUGCLOCK_FLUSHES_SYSCALLS,
					PLUGCLOCK_TRUST_CALLER};
#define PROMISES (sizeof(promises) / sizeof(promises[0]))

static struct io_uring ring;
static struct io_uring_cqe *cqes[ENTRIES];
static struct plugclock_plug plug;

/* Read between then and now. */
static void assert_read_since(uint64_t then_ns, uint64_t ns)
{
	assert_in_range(ns, then_ns, clock_ns());
}

/* Reaps @n completions whose data count from 0; they have one stamp, from after now. */
static void reap(unsigned int n)
{
	uint64_t stamp_ns = 0, waited_ns = clock_ns();

	assert_int_equal(plugclock_uring_peek_batch(&ring, cqes, ENTRIES, &stamp_ns), n);
	assert_read_since(waited_ns, stamp_ns);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(io_uring_cqe_get_data64(cqes[i]), i);
		assert_int_equal(cqes[i]->res, 0);
	}
	assert_read_since(stamp_ns, plugclock_now_ns());
	io_uring_cq_advance(&ring, n);
	assert_int_equal(plugclock_uring_peek_batch(&ring, cqes, ENTRIES, &waited_ns), 0);
}

static void submit_and_reap(unsigned int n)
{
	uint64_t issued_ns = plugclock_now_ns(), before_ns = clock_ns();

	assert_in_range(issued_ns, 1, before_ns);
	assert_int_equal(plugclock_uring_submit(&ring), (int)n);
	if (plugclock_detector() != PLUGCLOCK_DETECTOR_EXACT)
		assert_read_since(before_ns, plugclock_now_ns());
	assert_int_equal(plugclock_uring_submit_and_wait(&ring, n), 0);
	reap(n);
}

static void submit_and_peek_of_no_ops(void **state)
{
	(void)state;
	open_ring(&ring, 0);
	for (unsigned int i = 0; i < PROMISES; i++) {
		assert_int_equal(plugclock_start(&plug, promises[i]), 0);
		/* More than once round the rings. */
		for (unsigned int n = 1; n <= ENTRIES; n++) {
			prepare_nops(&ring, n);
			submit_and_reap(n);
		}
		plugclock_finish(&plug);
	}
	io_uring_queue_exit(&ring);
}

static void submit_and_peek_outside_a_plug(void **state)
{
	(void)state;
	open_ring(&ring, 0);
	prepare_nops(&ring, 3);
	submit_and_reap(3);
	io_uring_queue_exit(&ring);
}

static void peek_batch_of_large_completions(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	open_ring(&ring, IORING_SETUP_SQE128 | IORING_SETUP_CQE32);
	assert_int_equal(plugclock_start(&plug, PLUGCLOCK_FLUSHES_SYSCALLS), 0);
	for (unsigned int n = 1; n <= ENTRIES; n++) {
		for (uint64_t i = 0; i < n; i++) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

			assert_non_null(sqe);
			memset(sqe, 0, 2 * sizeof(*sqe));
			sqe->opcode = IORING_OP_URING_CMD;
			sqe->fd = fd;
			sqe->user_data = i;
		}
		submit_and_reap(n);
	}
	plugclock_finish(&plug);
	io_uring_queue_exit(&ring);
	close(fd);
}

/* Fewer than there are, then the rest: two batches, each with its own stamp. */
static void peek_batch_in_parts(void **state)
{
	uint64_t first_ns = 0, second_ns = 0, between_ns;

	(void)state;
	open_ring(&ring, 0);
	assert_int_equal(plugclock_start(&plug, PLUGCLOCK_FLUSHES_SYSCALLS), 0);
	prepare_nops(&ring, 5);
	assert_int_equal(plugclock_uring_submit_and_wait(&ring, 5), 5);
	assert_int_equal(plugclock_uring_peek_batch(&ring, cqes, 3, &first_ns), 3);
	io_uring_cq_advance(&ring, 3);
	between_ns = clock_ns();
	assert_in_range(first_ns, 1, between_ns);
	assert_int_equal(plugclock_uring_peek_batch(&ring, cqes, 3, &second_ns), 2);
	assert_read_since(between_ns, second_ns);
	assert_int_equal(io_uring_cqe_get_data64(cqes[0]), 3);
	plugclock_finish(&plug);
	io_uring_queue_exit(&ring);
}

static void peek_batch_without_completions(void **state)
{
	uint64_t stamp_ns = 12345;

	(void)state;
	open_ring(&ring, 0);
	assert_int_equal(plugclock_uring_peek_batch(&ring, cqes, ENTRIES, &stamp_ns), 0);
	assert_int_equal(stamp_ns, 12345);
	io_uring_queue_exit(&ring);
}

static void wait_that_times_out(void **state)
{
	struct __kernel_timespec moment = {.tv_nsec = 2000000};

	(void)state;
	open_ring(&ring, 0);
	for (unsigned int i = 0; i < PROMISES; i++) {
		struct io_uring_cqe *cqe;
		uint64_t before_ns;

		assert_int_equal(plugclock_start(&plug, promises[i]), 0);
		before_ns = plugclock_now_ns();
		assert_int_equal(plugclock_uring_submit_and_wait_timeout(&ring, &cqe, 1,
									 &moment, NULL),
				 -ETIME);
		/* Blocked for two milliseconds: older is stale. */
		assert_read_since(before_ns + 2000000, plugclock_now_ns());
		plugclock_finish(&plug);
	}
	io_uring_queue_exit(&ring);
}

static void wait_with_a_timeout_that_ends_in_time(void **state)
{
	struct __kernel_timespec minute = {.tv_sec = 60};
	struct io_uring_cqe *cqe = NULL;

	(void)state;
	open_ring(&ring, 0);
	prepare_nops(&ring, 2);
	assert_true(plugclock_uring_submit_and_wait_timeout(&ring, &cqe, 2, &minute,
							    NULL) >= 0);
	assert_non_null(cqe);
	reap(2);
	io_uring_queue_exit(&ring);
}

/* What liburing says, not -1, and errno is not its channel. */
static void errors_pass_through(void **state)
{
	struct __kernel_timespec moment = {.tv_nsec = 1};
	struct io_uring_cqe *cqe;
	int fd;

	(void)state;
	open_ring(&ring, 0);
	fd = ring.ring_fd;
	ring.ring_fd = -1;
	ring.enter_ring_fd = -1;
	errno = EDOM;
	prepare_nops(&ring, 1);
	assert_int_equal(plugclock_uring_submit(&ring), -EBADF);
	assert_int_equal(plugclock_uring_submit_and_wait(&ring, 1), -EBADF);
	assert_int_equal(
		plugclock_uring_submit_and_wait_timeout(&ring, &cqe, 1, &moment, NULL),
		-EBADF);
	assert_int_equal(errno, EDOM);
	ring.ring_fd = fd;
	ring.enter_ring_fd = fd;
	io_uring_queue_exit(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(submit_and_peek_of_no_ops),
		cmocka_unit_test(submit_and_peek_outside_a_plug),
		cmocka_unit_test(peek_batch_of_large_completions),
		cmocka_unit_test(peek_batch_in_parts),
		cmocka_unit_test(peek_batch_without_completions),
		cmocka_unit_test(wait_that_times_out),
		cmocka_unit_test(wait_with_a_timeout_that_ends_in_time),
		cmocka_unit_test(errors_pass_through),
	};

	choose_detector();
	return cmocka_run_group_tests_name("uring", tests, NULL, NULL);
}
