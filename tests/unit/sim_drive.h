/* SPDX-License-Identifier: MIT */
/*
 * sim_drive.h - the worker's loop on a simulated drive
 *
 * Takes the place of io_uring, of clock_gettime() and of nanosleep(): the clock moves only
 * in io_uring_enter() and in sleep, so that nothing depends on the machine. Holds the whole
 * of worker.c; a test program that includes it links no other.
 */
#ifndef SIM_DRIVE_H
#define SIM_DRIVE_H

#include "worker_test.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

/* Costs and times of the simulation. */
#define SUBMIT_NS  300   /* per entry */
#define CALL_NS    150   /* per call */
#define SERVICE_NS 50000 /* at least, and up to five times that */

#define DEPTH_MAX 128
#define IOS_MAX   100000

static uint64_t now_ns;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	ts->tv_sec = (time_t)(now_ns / 1000000000);
	ts->tv_nsec = (long)(now_ns % 1000000000);
	return 0;
}

/* What is true of each read, from its entry being filled to its completion being seen. */
struct io {
	uint64_t fill_ns, done_ns, reap_ns, user_data;
};

static struct io inflight[DEPTH_MAX], reaped[IOS_MAX];
static unsigned int nr_inflight, nr_reaped, at_drain;
static uint64_t drain_ns, fill_ns[DEPTH_MAX], seed;
static unsigned int sq_head;
static bool draining;

/* Reads from this one on never complete. */
static unsigned int lost_from = UINT_MAX;

/* xorshift64, Marsaglia 2003 */
static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static unsigned int sq_tail, cq_head, cq_tail;
static struct io_uring_sqe sqes[DEPTH_MAX];
static struct io_uring_cqe cqes[DEPTH_MAX];

static int sim_open(struct ring *r, const struct ring_spec *spec, struct fail *f)
{
	unsigned int entries = 1;

	(void)f;
	while (entries < spec->entries)
		entries *= 2;
	sq_tail = sq_head = cq_head = cq_tail = nr_inflight = nr_reaped = 0;
	draining = false;
	*r = (struct ring){
		.sqes = (unsigned char *)sqes,
		.cqes = (unsigned char *)cqes,
		.sq_tail = &sq_tail,
		.cq_head = &cq_head,
		.cq_tail = &cq_tail,
		.sq_mask = entries - 1,
		.cq_mask = entries - 1,
		.sqe_shift = 6,
		.cqe_shift = 4,
	};
	return 0;
}

static void sim_close(struct ring *r)
{
	memset(r, 0, sizeof(*r));
}

static _Atomic bool stop;

static int by_done(const void *a, const void *b)
{
	uint64_t x = ((const struct io *)a)->done_ns, y = ((const struct io *)b)->done_ns;

	return x < y ? -1 : x > y;
}

/* Completions for all that is done by now; the worker sees them as the call returns. */
static void post(const struct ring *r)
{
	unsigned int done = 0;

	while (done < nr_inflight && inflight[done].done_ns <= now_ns) {
		struct io *io = &reaped[nr_reaped++];

		assert_true(nr_reaped < IOS_MAX);
		*io = inflight[done++];
		io->reap_ns = now_ns;
		cqes[cq_tail++ & r->cq_mask] =
			(struct io_uring_cqe){.user_data = io->user_data};
	}
	nr_inflight -= done;
	memmove(inflight, inflight + done, nr_inflight * sizeof(*inflight));
}

static int sim_sleep(const struct timespec *ts, struct timespec *left)
{
	(void)left;
	now_ns += (uint64_t)ts->tv_nsec;
	return 0;
}

static int sim_enter(const struct ring *r, unsigned int submit, unsigned int wait,
		     unsigned int flags)
{
	/* Only a drain asks for events and waits for none. */
	if (flags & IORING_ENTER_GETEVENTS && !wait && !draining) {
		draining = true;
		at_drain = nr_reaped;
		drain_ns = now_ns;
	}
	for (unsigned int i = 0; i < submit; i++, sq_head++) {
		bool lost = sq_head >= lost_from;

		now_ns += SUBMIT_NS;
		assert_true(nr_inflight <= r->sq_mask);
		inflight[nr_inflight++] = (struct io){
			.fill_ns = fill_ns[sq_head & r->sq_mask],
			.done_ns = lost ? UINT64_MAX
					: now_ns + SERVICE_NS +
						   next_random() % (4 * SERVICE_NS),
			.user_data = sqes[sq_head & r->sq_mask].user_data,
		};
	}
	now_ns += CALL_NS;
	qsort(inflight, nr_inflight, sizeof(*inflight), by_done);
	/* Now and then a wait comes back early, as with DEFER_TASKRUN. */
	if (wait && next_random() % 16 == 0)
		wait /= 2;
	assert_true(wait <= nr_inflight);
	if (wait && inflight[wait - 1].done_ns > now_ns) {
		/* The kernel waits until a signal comes, which is the crew's to send. */
		if (inflight[wait - 1].done_ns == UINT64_MAX) {
			stop = true;
			return -EINTR;
		}
		now_ns = inflight[wait - 1].done_ns;
	}
	post(r);
	return (int)submit;
}

/* The worker under test, with the simulation in place of io_uring. */
#define ring_open  sim_open
#define ring_close sim_close
#define ring_enter sim_enter
#define nanosleep  sim_sleep
#include "../../passthru/worker.c"
#undef ring_open
#undef ring_close
#undef ring_enter
#undef nanosleep

/* Batches until the loop stops. */
static unsigned int batches;

static void prepare(struct io_uring_sqe *sqe, const struct target *t,
		    const struct slot *slot)
{
	(void)t;
	(void)slot;
	memset(sqe, 0, sizeof(*sqe));
}

static void aim(const struct ring *r, struct target *t, unsigned int tail, unsigned int n)
{
	(void)t;
	for (unsigned int i = 0; i < n; i++)
		fill_ns[(tail + i) & r->sq_mask] = now_ns;
	if (!--batches)
		stop = true;
}

static int good_result(const struct target *t)
{
	(void)t;
	return 0;
}

static const struct engine engine = {
	.name = "simulated",
	.prepare = prepare,
	.aim = aim,
	.good_result = good_result,
};

#endif
