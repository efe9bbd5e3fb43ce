// SPDX-License-Identifier: MIT
/*
 * message.c - messages from one ring to another, and how long they take
 *
 * As in "Improve MSG_RING SINGLE_ISSUER performance" (Pavel Begunkov, io-uring list, May
 * 2024): a sender and a receiver, each a thread with a ring and a CPU of its own. An
 * iteration is a message, which carries the time at which the sender began to submit it.
 * sender_ns is the time from there until the sender has its own completion, receiver_ns
 * until the receiver has the message. rate: messages per second at most, 0 for as fast as
 * it goes; a sender that is late does not catch up.
 * All stamps are of plugclock_read_ns(), whose cost is reported as stamp_ns: each of the
 * two times contains about one.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <plugclock.h>

#include "gbench.h"
#include "histogram.h"
#include "pin.h"
#include "subjects.h"
#include "uring.h"

/* Completions that wait for the receiver; the sender stays within half of them. */
#define ROOM 4096u

/* user_data of the receiver's read of the eventfd; a message's is a time. */
#define STOP 1u

/* A rate within this part of what was wanted is met. */
#define RATE_MET 0.98

struct exchange {
	int64_t year;
	struct histogram sender, receiver;
	struct io_uring to; /* the receiver's ring */
	int stop_fd;
	uint64_t stop_value;
	_Atomic int receiver_err;
	_Atomic uint64_t sent, received;
	pthread_barrier_t opened;
};

/* Until the sender says that it is over and all that it sent is here. */
static int receive(struct exchange *x)
{
	struct __kernel_timespec patience = {.tv_sec = 1};
	struct __kernel_timespec *longest = NULL;
	struct io_uring_cqe *cqe;
	int err;

	while (!longest || atomic_load(&x->received) < atomic_load(&x->sent)) {
		uint64_t sent_ns;

		err = longest ? io_uring_wait_cqe_timeout(&x->to, &cqe, longest)
			      : io_uring_wait_cqe(&x->to, &cqe);
		if (err == -EINTR)
			continue;
		if (err)
			return err == -ETIME ? 0 : err; /* the counts tell */
		sent_ns = cqe->user_data;
		io_uring_cqe_seen(&x->to, cqe);
		if (sent_ns == STOP) {
			longest = &patience;
			continue;
		}
		histogram_add(&x->receiver, plugclock_read_ns() - sent_ns, 1);
		atomic_fetch_add(&x->received, 1);
	}
	return 0;
}

/* The receiver's read of the eventfd, which is how the sender ends it. */
static int await_stop(struct exchange *x)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&x->to);
	int ret;

	io_uring_prep_read(sqe, x->stop_fd, &x->stop_value, sizeof(x->stop_value), 0);
	sqe->user_data = STOP;
	ret = io_uring_submit(&x->to);
	return ret < 0 ? ret : 0;
}

static void *receiver(void *arg)
{
	struct exchange *x = arg;
	struct pin pin;
	int opened = uring_try_open(&x->to, x->year, 4, ROOM), err;

	err = opened ? opened : pin_start(&pin, 1);
	if (!err)
		err = await_stop(x);
	atomic_store(&x->receiver_err, err);
	pthread_barrier_wait(&x->opened);
	if (!err)
		atomic_store(&x->receiver_err, receive(x));
	if (!opened)
		io_uring_queue_exit(&x->to);
	return NULL;
}

/* Sends one message, stamped sent_ns; 0, or -errno. */
static int send_one(struct exchange *x, struct io_uring *from, uint64_t sent_ns)
{
	io_uring_prep_msg_ring(io_uring_get_sqe(from), x->to.ring_fd, 0, sent_ns, 0);
	return uring_finish_one(from);
}

/* Waits until the receiver has room and the time is there; the time, or 0 if it is gone. */
static uint64_t await_turn(struct exchange *x, uint64_t sent, uint64_t *seen,
			   uint64_t turn_ns)
{
	uint64_t now_ns;

	while (sent - *seen >= ROOM / 2) {
		if (atomic_load(&x->receiver_err))
			return 0;
		*seen = atomic_load(&x->received);
	}
	do
		now_ns = plugclock_read_ns();
	while (now_ns < turn_ns);
	return now_ns;
}

/* Returns the ns that it took, or 0 if it failed. */
static uint64_t send_all(struct gbench_state *state, struct exchange *x,
			 struct io_uring *from, int64_t rate)
{
	uint64_t period_ns = rate ? 1000000000 / (uint64_t)rate : 0;
	uint64_t n, sent = 0, seen = 0, begin_ns = 0, turn_ns = 0, now_ns = 0;

	while ((n = gbench_keep_running(state, 16))) {
		while (n--) {
			int err;

			now_ns = await_turn(x, sent, &seen, turn_ns);
			if (!now_ns)
				return 0; /* the receiver's error tells */
			turn_ns += period_ns;
			if (turn_ns < now_ns)
				turn_ns = now_ns;
			if (!sent)
				begin_ns = now_ns;
			err = send_one(x, from, now_ns);
			if (err) {
				gbench_fail(state, "message %llu: %s",
					    (unsigned long long)sent, strerror(-err));
				return 0;
			}
			histogram_add(&x->sender, plugclock_read_ns() - now_ns, 1);
			atomic_store(&x->sent, ++sent);
		}
	}
	return sent > 1 ? now_ns - begin_ns : 1;
}

/* What a stamp costs, in ns. */
static double stamp_cost(void)
{
	enum { READINGS = 1000 };
	uint64_t begin_ns = plugclock_read_ns();

	for (int i = 1; i < READINGS; i++)
		(void)plugclock_read_ns();
	return (double)(plugclock_read_ns() - begin_ns) / READINGS;
}

static void report_side(struct gbench_state *state, const char *side,
			const struct histogram *h)
{
	for (unsigned int i = 0; i < HISTOGRAM_PERCENTILES; i++) {
		double percent = histogram_percentiles[i];
		char name[64];

		snprintf(name, sizeof(name), "%s:p%05.2f", side, percent);
		gbench_counter(state, name, (double)histogram_percentile(h, percent), 0);
	}
}

static void report(struct gbench_state *state, struct exchange *x, int64_t rate,
		   uint64_t took_ns)
{
	uint64_t sent = atomic_load(&x->sent), received = atomic_load(&x->received);
	/* The first has nothing before it to be late for. */
	double achieved = (double)(sent - 1) * 1e9 / (double)took_ns;
	int err = atomic_load(&x->receiver_err);
	char label[64];

	if (err)
		gbench_fail(state, "the receiver: %s", strerror(-err));
	else if (sent != received)
		gbench_fail(state, "%llu messages sent, %llu received",
			    (unsigned long long)sent, (unsigned long long)received);
	if (gbench_over(state))
		return;
	gbench_counter(state, "sent", (double)sent, 0);
	gbench_counter(state, "received", (double)received, 0);
	gbench_counter(state, "messages/s", achieved, 0);
	gbench_counter(state, "stamp_ns", stamp_cost(), 0);
	if (rate && sent > 1) {
		int met = achieved >= RATE_MET * (double)rate;

		gbench_counter(state, "rate_met", met, 0);
		snprintf(label, sizeof(label), "rate %s: %.1fK of %.1fK/s",
			 met ? "met" : "not met", achieved / 1e3, (double)rate / 1e3);
		gbench_label(state, label);
	}
	report_side(state, "sender_ns", &x->sender);
	report_side(state, "receiver_ns", &x->receiver);
}

/* With the sender's ring open and its thread pinned. */
static void exchange_all(struct gbench_state *state, struct exchange *x,
			 struct io_uring *from, int64_t rate)
{
	uint64_t took_ns = 0, one = 1;
	pthread_t thread;
	int err;

	pthread_barrier_init(&x->opened, NULL, 2);
	err = pthread_create(&thread, NULL, receiver, x);
	if (err) {
		gbench_fail(state, "a thread: %s", strerror(err));
		goto destroy;
	}
	pthread_barrier_wait(&x->opened);
	err = atomic_load(&x->receiver_err);
	if (err)
		uring_refused(state, x->year, err);
	else
		took_ns = send_all(state, x, from, rate);
	if (write(x->stop_fd, &one, sizeof(one)) != sizeof(one))
		gbench_fail(state, "eventfd: %s", strerror(errno));
	pthread_join(thread, NULL);
	if (!gbench_over(state))
		report(state, x, rate, took_ns);
destroy:
	pthread_barrier_destroy(&x->opened);
}

static void message_run(struct gbench_state *state)
{
	struct exchange *x = calloc(1, sizeof(*x));
	struct io_uring from;
	struct pin pin;
	int err;

	if (!x) {
		gbench_fail(state, "out of memory");
		return;
	}
	x->year = gbench_arg(state, 1);
	x->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (x->stop_fd < 0) {
		gbench_fail(state, "eventfd: %s", strerror(errno));
		goto free;
	}
	if (pin_cpus() < 2) {
		gbench_skip(state, "sender and receiver want a CPU each, and this "
				   "process may use 1");
		goto close;
	}
	if (uring_open(state, &from, x->year, 4, 0))
		goto close;
	if (!uring_supports(state, &from, IORING_OP_MSG_RING, "IORING_OP_MSG_RING",
			    "5.18"))
		goto exit;
	err = pin_start(&pin, 0);
	if (err)
		gbench_fail(state, "pinning the sender: %s", strerror(-err));
	else
		exchange_all(state, x, &from, gbench_arg(state, 0));
	pin_finish(&pin);
exit:
	io_uring_queue_exit(&from);
close:
	close(x->stop_fd);
free:
	free(x);
}

int message_register(int64_t rate)
{
	static struct gbench_def message = {
		.name = "message",
		.run = message_run,
		.axes = {{.name = "rate", .values = {0, 33000, 13000}, .nr = 3},
			 URING_AXIS},
		.clock = GBENCH_REAL,
	};

	if (rate)
		message.axes[0].values[message.axes[0].nr++] = rate;
	return gbench_register(&message);
}
