// SPDX-License-Identifier: MIT
/* Google Benchmark from C: every function of gbench.h, held against the report. */
#include "gbench_test.h"

#include <stdatomic.h>

/* What the benchmarks here note, since cmocka's asserts are for the main thread alone. */
static struct {
	_Atomic unsigned int setups, teardowns, running, runs, bad;
	_Atomic uint64_t iterations, threads_seen;
	_Atomic int64_t args[16];
	const void *_Atomic data;
} seen;

static int forget(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	return 0;
}

static void count_setup(struct gbench_state *state)
{
	(void)state;
	seen.bad += seen.running != 0;
	seen.setups++;
}

static void count_teardown(struct gbench_state *state)
{
	(void)state;
	seen.bad += seen.running != 0;
	seen.teardowns++;
}

static void loop(struct gbench_state *state)
{
	while (gbench_keep_running(state, 1000))
		;
}

static void exact_run(struct gbench_state *state)
{
	uint64_t n;

	seen.bad += gbench_iterations(state) != 0;
	while ((n = gbench_keep_running(state, 10))) {
		seen.bad += n > 10;
		seen.iterations += n;
		seen.bad += gbench_iterations(state) != seen.iterations;
	}
	seen.bad += gbench_keep_running(state, 10) != 0;
}

static void keep_running_gives_exactly_the_iterations(void **state)
{
	static const struct gbench_def def = {
		.name = "exact", .run = exact_run, .iterations = 1003};
	struct outcome o;

	(void)state;
	run_def(&o, &def);
	assert_int_equal(seen.iterations, 1003);
	assert_int_equal(seen.bad, 0);
	assert_true(number_of(reported(&o, 0), "iterations") == 1003);
	assert_int_equal(o.tally.matched, 1);
	assert_int_equal(o.tally.ran, 1);
	assert_int_equal(o.tally.skipped + o.tally.failed, 0);
	outcome_done(&o);
}

static void axes_run(struct gbench_state *state)
{
	size_t i = seen.runs++;

	seen.args[2 * i] = gbench_arg(state, 0);
	seen.args[2 * i + 1] = gbench_arg(state, 1);
	loop(state);
}

static void axes_make_every_combination(void **state)
{
	static const struct gbench_def def = {
		.name = "axes",
		.run = axes_run,
		.axes = {{.name = "listed", .values = {7, 9}, .nr = 2},
			 {.name = "by", .from = 1, .to = 16, .times = 4}},
		.iterations = 1,
	};
	static const int64_t by[] = {1, 4, 16};
	struct outcome o;

	(void)state;
	run_def(&o, &def);
	assert_int_equal(o.tally.matched, 6);
	for (size_t i = 0; i < 6; i++) {
		char name[64];

		snprintf(name, sizeof(name), "axes/listed:%d/by:%d/iterations:1",
			 (int)seen.args[2 * i], (int)seen.args[2 * i + 1]);
		assert_string_equal(text_of(reported(&o, i), "name"), name);
		/* The first axis varies fastest. */
		assert_int_equal(seen.args[2 * i], i % 2 ? 9 : 7);
		assert_int_equal(seen.args[2 * i + 1], by[i / 2]);
	}
	outcome_done(&o);
}

static void axis_without_values_counts_one_by_one(void **state)
{
	static const struct gbench_def def = {
		.name = "dense",
		.run = axes_run,
		.axes = {{.name = "a", .from = -1, .to = 1},
			 {.name = "b", .values = {5}, .nr = 1}},
		.iterations = 1,
	};
	struct outcome o;

	(void)state;
	run_def(&o, &def);
	assert_int_equal(o.tally.matched, 3);
	assert_int_equal(seen.args[0], -1);
	assert_int_equal(seen.args[2], 0);
	assert_int_equal(seen.args[4], 1);
	outcome_done(&o);
}

static void threads_run(struct gbench_state *state)
{
	seen.running++;
	seen.threads_seen |= 1u << gbench_thread(state);
	seen.bad += gbench_threads(state) != 3;
	seen.bad += seen.setups != 1;
	seen.data = gbench_data(state);
	loop(state);
	gbench_counter(state, "per_thread", 1, 0);
	seen.running--;
}

static void threads_are_set_up_and_torn_down_once(void **state)
{
	static const struct gbench_def def = {
		.name = "threads",
		.run = threads_run,
		.setup = count_setup,
		.teardown = count_teardown,
		.data = &seen,
		.threads = {3},
		.iterations = 100,
	};
	struct outcome o;

	(void)state;
	run_def(&o, &def);
	assert_int_equal(seen.threads_seen, 7);
	assert_int_equal(seen.setups, 1);
	assert_int_equal(seen.teardowns, 1);
	assert_int_equal(seen.bad, 0);
	assert_ptr_equal(seen.data, &seen);
	assert_int_equal(o.tally.ran, 1);
	assert_true(number_of(reported(&o, 0), "threads") == 3);
	assert_true(number_of(reported(&o, 0), "per_thread") == 3);
	outcome_done(&o);
}

static void count_run(struct gbench_state *state)
{
	seen.runs++;
	loop(state);
}

static void skip_setup(struct gbench_state *state)
{
	gbench_skip(state, "no %s here", "feature");
}

static void setup_that_skips_ends_all_threads(void **state)
{
	static const struct gbench_def def = {
		.name = "skips",
		.run = count_run,
		.setup = skip_setup,
		.teardown = count_teardown,
		.threads = {3},
	};
	struct outcome o;

	(void)state;
	run_def(&o, &def);
	assert_int_equal(seen.runs, 0);
	assert_int_equal(seen.teardowns, 1);
	assert_int_equal(o.tally.skipped, 1);
	assert_int_equal(o.tally.ran + o.tally.failed, 0);
	assert_non_null(strstr(reason_of(&o, 0), "no feature here"));
	assert_non_null(strstr(o.console, "no feature here"));
	outcome_done(&o);
}

static void fail_run(struct gbench_state *state)
{
	uint64_t n;

	while ((n = gbench_keep_running(state, 1))) {
		seen.iterations += n;
		if (seen.iterations == 5) {
			seen.bad += gbench_over(state);
			gbench_fail(state, "at %d", 5);
			gbench_skip(state, "too late");
			seen.bad += !gbench_over(state);
		}
	}
}

static void fail_in_the_loop_ends_it_and_the_first_reason_stays(void **state)
{
	static const struct gbench_def def = {
		.name = "fails", .run = fail_run, .iterations = 100};
	struct outcome o;

	(void)state;
	run_def(&o, &def);
	assert_int_equal(seen.iterations, 5);
	assert_int_equal(seen.bad, 0);
	assert_int_equal(o.tally.failed, 1);
	assert_int_equal(o.tally.ran + o.tally.skipped, 0);
	assert_string_equal(reason_of(&o, 0), "at 5");
	outcome_done(&o);
}

static void early_run(struct gbench_state *state)
{
	(void)gbench_keep_running(state, 1);
}

static void wrong_axis_run(struct gbench_state *state)
{
	seen.args[0] = gbench_arg(state, 1);
	loop(state);
}

static void misuse_fails_the_benchmark_and_no_other(void **state)
{
	static const struct gbench_def early = {
		.name = "early", .run = early_run, .iterations = 2};
	static const struct gbench_def axis = {
		.name = "axis",
		.run = wrong_axis_run,
		.axes = {{.name = "a", .values = {5}, .nr = 1}},
	};
	static const struct gbench_def good = {.name = "good", .run = count_run};
	const struct gbench_def *defs[] = {&early, &axis, &good};
	struct outcome o;

	(void)state;
	run_defs(&o, defs, 3, NULL, NULL);
	assert_int_equal(o.tally.failed, 2);
	assert_true(o.tally.ran >= 1);
	assert_non_null(strstr(reason_of(&o, 0), "gbench_keep_running()"));
	assert_string_equal(reason_of(&o, 1), "there is no axis 1");
	assert_true(number_of(reported(&o, 2), "iterations") >= 1);
	outcome_done(&o);
}

static void register_refuses_what_cannot_run(void **state)
{
	static const struct gbench_def bad[] = {
		{.run = count_run},
		{.name = "no run"},
		{.name = "backwards",
		 .run = count_run,
		 .axes = {{.name = "a", .from = 2, .to = 1}}},
		{.name = "times 1",
		 .run = count_run,
		 .axes = {{.name = "a", .from = 1, .to = 2, .times = 1}}},
		{.name = "too many",
		 .run = count_run,
		 .axes = {{.name = "a", .nr = GBENCH_VALUES + 1}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(gbench_register(&bad[i]), -EINVAL);
}

#define RUNS(function) cmocka_unit_test_setup(function, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUNS(keep_running_gives_exactly_the_iterations),
		RUNS(axes_make_every_combination),
		RUNS(axis_without_values_counts_one_by_one),
		RUNS(threads_are_set_up_and_torn_down_once),
		RUNS(setup_that_skips_ends_all_threads),
		RUNS(fail_in_the_loop_ends_it_and_the_first_reason_stays),
		RUNS(misuse_fails_the_benchmark_and_no_other),
		RUNS(register_refuses_what_cannot_run),
	};

	return cmocka_run_group_tests_name("gbench", tests, NULL, NULL);
}
