// SPDX-License-Identifier: MIT
/*
 * wait.c - one request at a time, whose completion comes just after the wait began
 *
 * The load of "CQ waiting and wake up optimisations" (Pavel Begunkov, io-uring list,
 * January 2023): a depth of one, a completion from a timer's interrupt at once, and
 * several workers on one CPU, so that it is busy while each of them waits. There the timer
 * was null_blk's, and it is here too, in a guest (bench/seeds); this is the same without a
 * driver, of io_uring's own timeouts. An iteration is a request, submitted and awaited in
 * one call. delay_ns: of the timer; 0 is null_blk's completion_nsec=0.
 */
#include <errno.h>
#include <string.h>

#include "gbench.h"
#include "pin.h"
#include "subjects.h"
#include "uring.h"

/* One timeout; 0, or what io_uring returned in its place. */
static int one_wait(struct io_uring *ring, struct __kernel_timespec *delay)
{
	int ret;

	io_uring_prep_timeout(io_uring_get_sqe(ring), delay, 0, 0);
	ret = uring_finish_one(ring);
	return ret == -ETIME ? 0 : ret ? ret : -EIO;
}

static void wait_all(struct gbench_state *state, struct io_uring *ring)
{
	struct __kernel_timespec delay = {.tv_nsec = gbench_arg(state, 0)};
	uint64_t n, done = 0;
	int err = 0;

	while (!err && (n = gbench_keep_running(state, 16))) {
		while (n-- && !err) {
			err = one_wait(ring, &delay);
			done += !err;
		}
	}
	if (err) {
		gbench_fail(state, "a timeout: %s", strerror(-err));
		return;
	}
	gbench_counter(state, "IOPS", (double)done, GBENCH_RATE);
	gbench_counter(state, "waits", (double)done, 0);
}

static void wait_run(struct gbench_state *state)
{
	struct io_uring ring;
	struct pin pin;
	int err;

	if (uring_open(state, &ring, gbench_arg(state, 1), 2, 0))
		return;
	/* All on one CPU. */
	err = pin_start(&pin, 0);
	if (err)
		gbench_fail(state, "pinning the thread: %s", strerror(-err));
	else
		wait_all(state, &ring);
	pin_finish(&pin);
	io_uring_queue_exit(&ring);
}

int wait_register(void)
{
	static const struct gbench_def wait = {
		.name = "wait",
		.run = wait_run,
		.axes = {{.name = "delay_ns", .values = {0, 10000}, .nr = 2}, URING_AXIS},
		.threads = {1, 4},
		.clock = GBENCH_REAL,
	};

	return gbench_register(&wait);
}
