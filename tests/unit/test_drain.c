// SPDX-License-Identifier: MIT
/* Completions that never come end in a bounded time, and in a sentence. */
#include "sim_drive.h"

static struct options o;
static struct device device;
static struct target target = {.device = &device};
static struct fail f;

/* Runs until @after batches; reads from number @lost on never complete. */
static int run(unsigned int after, unsigned int lost, struct worker *w)
{
	const struct pace pace = {.lat = LAT_CACHED};
	static struct histogram latency;
	struct tally tally;
	int ret;

	o = options_of(8);
	device = null_device("lossy");
	close(device.fd);
	*w = (struct worker){
		.engine = &engine,
		.options = &o,
		.targets = &target,
		.nr_targets = 1,
		.stop = &stop,
		.latency = &latency,
	};
	now_ns = 1000000000;
	seed = 88172645463325252ull;
	stop = false;
	batches = after;
	lost_from = lost;
	assert_int_equal(worker_open(w, &f), 0);
	ret = worker_run(w, &pace, &tally, &f);
	worker_close(w);
	return ret;
}

static void drain_waits_for_all_that_comes(void **state)
{
	struct worker w;

	(void)state;
	assert_int_equal(run(1000, UINT_MAX, &w), 0);
	assert_int_equal(w.inflight, 0);
	assert_int_equal(w.total_ios, nr_reaped);
	assert_in_range(now_ns - drain_ns, 0, 5 * SERVICE_NS + 100 * CALL_NS);
}

static void drain_gives_up_on_what_never_comes(void **state)
{
	static const unsigned int lost[] = {0, 1, 8, 1001};
	struct worker w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++) {
		assert_refused(&f, run(100000, lost[i], &w), STATUS_FAILED,
			       "reads did not complete within 75 s");
		/* All that came was counted, and nothing else. */
		assert_int_equal(w.total_ios, lost[i]);
		assert_int_equal(w.total_ios + w.inflight, w.progress.submitted);
		assert_int_not_equal(w.inflight, 0);
		/* No sooner than a driver may end them itself, and not much later. */
		assert_in_range(now_ns - drain_ns, 75 * NS_PER_S, 76 * NS_PER_S);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drain_waits_for_all_that_comes),
		cmocka_unit_test(drain_gives_up_on_what_never_comes),
	};

	return cmocka_run_group_tests_name("drain", tests, NULL, NULL);
}
