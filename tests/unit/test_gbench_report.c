// SPDX-License-Identifier: MIT
/* Google Benchmark from C: figures, times, repetitions, flags and exceptions. */
#include "gbench_test.h"

#include <math.h>
#include <stdbool.h>

static void assert_about(double is, double wanted)
{
	if (fabs(is - wanted) > 1e-6 * fabs(wanted))
		fail_msg("%g instead of %g", is, wanted);
}

/* Ten iterations of 0.2 s each, by its own word. */
static void figures_run(struct gbench_state *state)
{
	uint64_t n;

	while ((n = gbench_keep_running(state, 4)))
		gbench_add_time(state, 0.2 * (double)n);
	gbench_counter(state, "plain", 60, 0);
	gbench_counter(state, "rate", 60, GBENCH_RATE);
	gbench_counter(state, "per_thread", 60, GBENCH_PER_THREAD);
	gbench_counter(state, "per_iteration", 60, GBENCH_PER_ITERATION);
	gbench_counter(state, "times", 60, GBENCH_TIMES);
	gbench_counter(state, "inverse", 60, GBENCH_INVERT);
	gbench_counter(state, "group:p50", 1234, 0);
	gbench_counter(state, "other:p50", 0.5, 0);
	gbench_items(state, 100);
	gbench_bytes(state, 4096);
	gbench_label(state, "a label");
}

static const struct gbench_def figures = {
	.name = "figures",
	.run = figures_run,
	.clock = GBENCH_MANUAL,
	.unit = GBENCH_MS,
	.iterations = 10,
};

static void figures_are_what_the_flags_say(void **state)
{
	struct outcome o;
	struct json_object *r;

	(void)state;
	run_def(&o, &figures);
	r = reported(&o, 0);
	assert_string_equal(text_of(r, "name"), "figures/iterations:10/manual_time");
	assert_string_equal(text_of(r, "time_unit"), "ms");
	assert_about(number_of(r, "real_time"), 200);
	assert_about(number_of(r, "plain"), 60);
	assert_about(number_of(r, "rate"), 30);
	assert_about(number_of(r, "per_thread"), 60);
	assert_about(number_of(r, "per_iteration"), 6);
	assert_about(number_of(r, "times"), 600);
	assert_about(number_of(r, "inverse"), 1.0 / 60);
	assert_about(number_of(r, "group:p50"), 1234);
	assert_about(number_of(r, "items_per_second"), 50);
	assert_about(number_of(r, "bytes_per_second"), 2048);
	assert_string_equal(text_of(r, "label"), "a label");
	outcome_done(&o);
}

static void figures_of_threads_are_added_and_divided(void **state)
{
	struct gbench_def def = figures;
	struct outcome o;
	struct json_object *r;

	(void)state;
	def.threads[0] = 2;
	run_def(&o, &def);
	r = reported(&o, 0);
	assert_about(number_of(r, "plain"), 120);
	assert_about(number_of(r, "per_thread"), 60);
	outcome_done(&o);
}

static void details_stand_in_a_table_on_the_console(void **state)
{
	struct outcome o;
	const char *line;
	char row[64], cells[2][32];

	(void)state;
	run_def(&o, &figures);
	line = strstr(o.console, "figures/");
	assert_non_null(line);
	assert_null(strstr(line, "group:p50"));
	assert_non_null(strstr(line, "plain=60"));
	line = strchr(line, '\n');
	assert_int_equal(sscanf(line, "%31s %31s", cells[0], cells[1]), 2);
	assert_string_equal(cells[0], "group");
	assert_string_equal(cells[1], "other");
	line = strchr(line + 1, '\n');
	assert_int_equal(sscanf(line, "%63s %31s %31s", row, cells[0], cells[1]), 3);
	assert_string_equal(row, "p50");
	assert_string_equal(cells[0], "1234");
	assert_string_equal(cells[1], "0.5");
	outcome_done(&o);
}

static void loop_run(struct gbench_state *state)
{
	while (gbench_keep_running(state, 1))
		gbench_add_time(state, 0.001);
}

static void clocks_name_the_time(void **state)
{
	static const struct gbench_def defs[] = {
		{.name = "c", .run = loop_run, .clock = GBENCH_CPU},
		{.name = "r", .run = loop_run, .clock = GBENCH_REAL},
		{.name = "m", .run = loop_run, .clock = GBENCH_MANUAL},
		{.name = "p", .run = loop_run, .clock = GBENCH_PROCESS},
	};
	static const char *const names[] = {"c", "r/real_time", "m/manual_time",
					    "p/process_time"};
	const struct gbench_def *all[] = {&defs[0], &defs[1], &defs[2], &defs[3]};
	struct outcome o;

	(void)state;
	run_defs(&o, all, 4, NULL, NULL);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(text_of(reported(&o, i), "name"), names[i]);
	outcome_done(&o);
}

static void min_time_is_kept(void **state)
{
	static const struct gbench_def def = {
		.name = "long",
		.run = loop_run,
		.clock = GBENCH_MANUAL,
		.min_time_s = 0.3,
	};
	struct outcome o;

	(void)state;
	run_def(&o, &def);
	assert_true(number_of(reported(&o, 0), "iterations") >= 300);
	outcome_done(&o);
}

static void repetitions_are_reported_each_or_in_sum(void **state)
{
	struct gbench_def def = figures;
	struct outcome o;

	(void)state;
	def.repetitions = 3;
	run_def(&o, &def);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(text_of(reported(&o, i), "run_type"), "iteration");
		assert_true(number_of(reported(&o, i), "repetition_index") == (double)i);
	}
	assert_string_equal(text_of(reported(&o, 3), "run_type"), "aggregate");
	outcome_done(&o);

	def.aggregates = 1;
	run_def(&o, &def);
	assert_string_equal(text_of(reported(&o, 0), "aggregate_name"), "mean");
	assert_about(number_of(reported(&o, 0), "real_time"), 200);
	for (size_t i = 0; reported(&o, i); i++)
		assert_string_equal(text_of(reported(&o, i), "run_type"), "aggregate");
	outcome_done(&o);
}

static void flags_choose_and_list(void **state)
{
	static const struct gbench_def a = {.name = "alpha", .run = loop_run};
	static const struct gbench_def b = {.name = "beta", .run = loop_run};
	const struct gbench_def *both[] = {&a, &b};
	struct outcome o;

	(void)state;
	run_defs(&o, both, 2, "--benchmark_filter=bet", NULL);
	assert_int_equal(o.tally.matched, 1);
	assert_false(o.tally.listed);
	assert_string_equal(text_of(reported(&o, 0), "name"), "beta");
	assert_null(reported(&o, 1));
	outcome_done(&o);

	run_defs(&o, both, 2, "--benchmark_list_tests=true", NULL);
	assert_int_equal(o.tally.matched, 2);
	assert_true(o.tally.listed);
	assert_int_equal(o.tally.ran, 0);
	assert_string_equal(o.console, "alpha\nbeta\n");
	outcome_done(&o);

	run_defs(&o, both, 2, "--benchmark_filter=gamma", NULL);
	assert_int_equal(o.tally.matched, 0);
	assert_false(o.tally.listed);
	outcome_done(&o);
}

static void context_is_part_of_the_report(void **state)
{
	struct json_object *context;
	struct outcome o;

	(void)state;
	assert_int_equal(gbench_context("weather", "fair"), 0);
	run_def(&o, &figures);
	context = json_object_object_get(o.json, "context");
	assert_string_equal(text_of(context, "weather"), "fair");
	outcome_done(&o);
}

/* C++'s operators new and delete: memory that runs out on demand. */
static bool exhausted;

__attribute__((noreturn)) void _ZSt17__throw_bad_allocv(void);
void *_Znwm(size_t size);
void _ZdlPv(void *p);
void _ZdlPvm(void *p, size_t size);

void *_Znwm(size_t size)
{
	void *p = exhausted ? NULL : malloc(size);

	if (!p)
		_ZSt17__throw_bad_allocv();
	return p;
}

void _ZdlPv(void *p)
{
	free(p);
}

void _ZdlPvm(void *p, size_t size)
{
	(void)size;
	free(p);
}

static void exhausted_run(struct gbench_state *state)
{
	while (gbench_keep_running(state, 1))
		;
	exhausted = true;
	gbench_counter(state, "one", 1, 0);
	exhausted = false;
}

static void exceptions_in_a_run_fail_it(void **state)
{
	static const struct gbench_def def = {
		.name = "throws", .run = exhausted_run, .iterations = 1};
	struct outcome o;

	(void)state;
	run_def(&o, &def);
	assert_int_equal(o.tally.failed, 1);
	assert_int_equal(o.tally.ran, 0);
	outcome_done(&o);
}

static void exceptions_elsewhere_are_enomem(void **state)
{
	int ret;

	(void)state;
	exhausted = true;
	ret = gbench_register(&figures);
	exhausted = false;
	assert_int_equal(ret, -ENOMEM);
	exhausted = true;
	ret = gbench_context("a key that is too long for a string without memory",
			     "value");
	exhausted = false;
	assert_int_equal(ret, -ENOMEM);
	gbench_done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_what_the_flags_say),
		cmocka_unit_test(figures_of_threads_are_added_and_divided),
		cmocka_unit_test(details_stand_in_a_table_on_the_console),
		cmocka_unit_test(clocks_name_the_time),
		cmocka_unit_test(min_time_is_kept),
		cmocka_unit_test(repetitions_are_reported_each_or_in_sum),
		cmocka_unit_test(flags_choose_and_list),
		cmocka_unit_test(context_is_part_of_the_report),
		cmocka_unit_test(exceptions_in_a_run_fail_it),
		cmocka_unit_test(exceptions_elsewhere_are_enomem),
	};

	return cmocka_run_group_tests_name("gbench report", tests, NULL, NULL);
}
