// SPDX-License-Identifier: MIT
/*
 * The latencies that the worker's loop tells, against the truth: a simulated drive, and a
 * clock that moves only in io_uring_enter(), so that nothing depends on the machine.
 */
#include "worker_test.h"

#include <math.h>
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
	sq_tail = sq_head = cq_head = cq_tail = nr_inflight = nr_reaped = at_drain = 0;
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

static int sim_enter(const struct ring *r, unsigned int submit, unsigned int wait,
		     unsigned int flags)
{
	/* Only a drain asks for events and waits for none. */
	if (flags & IORING_ENTER_GETEVENTS && !wait && !at_drain) {
		at_drain = nr_reaped;
		drain_ns = now_ns;
	}
	for (unsigned int i = 0; i < submit; i++, sq_head++) {
		now_ns += SUBMIT_NS;
		assert_true(nr_inflight <= r->sq_mask);
		inflight[nr_inflight++] = (struct io){
			.fill_ns = fill_ns[sq_head & r->sq_mask],
			.done_ns = now_ns + SERVICE_NS + next_random() % (4 * SERVICE_NS),
			.user_data = sqes[sq_head & r->sq_mask].user_data,
		};
	}
	now_ns += CALL_NS;
	qsort(inflight, nr_inflight, sizeof(*inflight), by_done);
	/* Now and then a wait comes back early, as with DEFER_TASKRUN. */
	if (wait && next_random() % 16 == 0)
		wait /= 2;
	assert_true(wait <= nr_inflight);
	if (wait && inflight[wait - 1].done_ns > now_ns)
		now_ns = inflight[wait - 1].done_ns;
	post(r);
	return (int)submit;
}

/* The worker under test, with the simulation in place of io_uring. */
#define ring_open  sim_open
#define ring_close sim_close
#define ring_enter sim_enter
#include "../../passthru/worker.c"
#undef ring_open
#undef ring_close
#undef ring_enter

static _Atomic bool stop;
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

/* What was measured in one run, and what is true of the same I/Os. */
struct outcome {
	struct tally tally;
	struct histogram latency;
	unsigned int first; /* of reaped[] that was measured */
	double inflight;    /* mean number in flight in the measured time */
};

static struct outcome measured;

/* Time that an I/O was in flight between two times. */
static uint64_t overlap(const struct io *io, uint64_t from, uint64_t to)
{
	uint64_t begin = io->fill_ns > from ? io->fill_ns : from;
	uint64_t end = io->reap_ns < to ? io->reap_ns : to;

	return end > begin ? end - begin : 0;
}

static void run(unsigned int depth, unsigned int submit, unsigned int complete,
		unsigned int nr_targets, enum lat_mode lat)
{
	const struct pace pace = {.lat = lat};
	struct options o = options_of(depth);
	struct device devices[2] = {null_device("first"), null_device("second")};
	struct target targets[2] = {{.device = &devices[0]}, {.device = &devices[1]}};
	struct fail f = {0};
	struct worker w = {
		.engine = &engine,
		.options = &o,
		.targets = targets,
		.nr_targets = nr_targets,
		.stop = &stop,
		.latency = &measured.latency,
	};
	uint64_t sum = 0;

	o.submit_batch = submit < depth ? submit : depth;
	o.complete_batch = complete < depth ? complete : depth;
	now_ns = 1000000000;
	seed = 88172645463325252ull;
	stop = false;
	batches = 20000 / o.submit_batch;
	assert_int_equal(worker_open(&w, &f), 0);
	assert_int_equal(worker_run(&w, &pace, &measured.tally, &f), 0);
	worker_close(&w);
	if (!at_drain) {
		/* Nothing was left to drain. */
		at_drain = nr_reaped;
		drain_ns = now_ns;
	}
	close(devices[0].fd);
	close(devices[1].fd);
	measured.first = at_drain - (unsigned int)measured.tally.ios;
	for (unsigned int i = 0; i < nr_reaped; i++)
		sum += overlap(&reaped[i], drain_ns - measured.tally.time_ns, drain_ns);
	measured.inflight = (double)sum / (double)measured.tally.time_ns;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void assert_near(double found, double want, double part, const char *what)
{
	if (found < want * (1 - part) || found > want * (1 + part))
		fail_msg("%s: %.1f, in truth %.1f", what, found, want);
}

/* Mean, maximum and percentiles are those of the I/Os that were measured. */
static void assert_true_latencies(void)
{
	static uint64_t truth[IOS_MAX];
	const struct histogram *h = &measured.latency;
	unsigned int n = at_drain - measured.first;
	uint64_t sum = 0;

	assert_int_equal(h->count, n);
	for (unsigned int i = 0; i < n; i++) {
		const struct io *io = &reaped[measured.first + i];

		truth[i] = io->reap_ns - io->fill_ns;
		sum += truth[i];
	}
	qsort(truth, n, sizeof(truth[0]), by_value);
	assert_int_equal(h->sum_ns, sum);
	assert_int_equal(h->max_ns, truth[n - 1]);
	for (unsigned int i = 0; i < HISTOGRAM_PERCENTILES; i++) {
		double percent = histogram_percentiles[i];
		uint64_t need = (uint64_t)ceil(n * percent / 100);

		assert_near((double)histogram_percentile(h, percent),
			    (double)truth[need - 1], 0.01, "a percentile");
	}
}

/* Mean latency times IOPS is what is in flight, whatever the batches are. */
static void assert_littles_law(void)
{
	double iops = (double)measured.tally.ios * 1e9 / (double)measured.tally.time_ns;

	assert_near(histogram_mean(&measured.latency) / 1e9 * iops, measured.inflight,
		    0.05, "Little's law");
}

static void latencies_are_true_for_every_batch(void **state)
{
	static const unsigned int depths[] = {1, 2, 8, 32, 128}, some[] = {1, 2, 8, 32};

	(void)state;
	for (int lat = LAT_CLOCK; lat <= LAT_CACHED; lat++)
		for (size_t d = 0; d < ARRAY_SIZE(depths); d++)
			for (size_t s = 0; s < ARRAY_SIZE(some); s++)
				for (size_t c = 0; c < ARRAY_SIZE(some); c++) {
					run(depths[d], some[s], some[c],
					    1 + (s + c) % 2 * (depths[d] > 1),
					    (enum lat_mode)lat);
					assert_true_latencies();
					assert_littles_law();
				}
}

/* With the queue full at all times, what is in flight is the depth, less a batch. */
static void depth_is_what_is_in_flight(void **state)
{
	(void)state;
	for (unsigned int c = 1; c <= 32; c *= 2) {
		run(128, 32, c, 1, LAT_CACHED);
		assert_true(measured.inflight <= 128);
		assert_true(measured.inflight > 128 - 32);
		assert_littles_law();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies_are_true_for_every_batch),
		cmocka_unit_test(depth_is_what_is_in_flight),
	};

	return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
