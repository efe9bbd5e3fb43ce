// SPDX-License-Identifier: MIT
/*
 * The latencies that the worker's loop tells, against the truth, which a simulated drive
 * knows.
 */
#include "sim_drive.h"

#include <math.h>

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
	if (!draining) {
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
