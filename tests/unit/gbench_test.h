/* SPDX-License-Identifier: MIT */
/* gbench_test.h - benchmarks run for a test, and what Google Benchmark reports of them */
#ifndef GBENCH_TEST_H
#define GBENCH_TEST_H

#include "ng_test.h"

#include "../../bench/gbench.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What a run left: freed by outcome_done(). */
struct outcome {
	struct gbench_tally tally;
	struct json_object *json;
	char console[8192];
};

static inline void no_help(void)
{
}

static inline void slurp(const char *path, char *buf, size_t size)
{
	FILE *in = fopen(path, "r");
	size_t n;

	assert_non_null(in);
	n = fread(buf, 1, size - 1, in);
	buf[n] = '\0';
	fclose(in);
}

/* Runs @n benchmarks with up to two more flags; standard output goes to the outcome. */
static inline void run_defs(struct outcome *o, const struct gbench_def *const *defs,
			    size_t n, const char *flag, const char *flag2)
{
	char out[] = "/tmp/gbench.XXXXXX", console[] = "/tmp/gbench.XXXXXX";
	char out_flag[64];
	int out_fd = mkstemp(out), console_fd = mkstemp(console), stdout_fd = dup(1);
	char *argv[] = {"test",
			"--benchmark_min_time=0.001",
			"--benchmark_filter=.",
			"--benchmark_list_tests=false",
			"--benchmark_out_format=json",
			out_flag,
			(char *)flag,
			(char *)flag2,
			NULL};
	int argc = flag2 ? 8 : flag ? 7 : 6;

	memset(o, 0, sizeof(*o));
	assert_true(out_fd >= 0 && console_fd >= 0 && stdout_fd >= 0);
	snprintf(out_flag, sizeof(out_flag), "--benchmark_out=%s", out);
	assert_int_equal(gbench_init(&argc, argv, no_help), 0);
	assert_int_equal(argc, 1);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(gbench_register(defs[i]), 0);
	fflush(stdout);
	dup2(console_fd, 1);
	assert_int_equal(gbench_run(&o->tally), 0);
	fflush(stdout);
	dup2(stdout_fd, 1);
	gbench_done();
	slurp(console, o->console, sizeof(o->console));
	o->json = json_object_from_file(out);
	unlink(out);
	unlink(console);
	close(out_fd);
	close(console_fd);
	close(stdout_fd);
}

static inline void run_def(struct outcome *o, const struct gbench_def *def)
{
	run_defs(o, &def, 1, NULL, NULL);
}

static inline void outcome_done(struct outcome *o)
{
	json_object_put(o->json);
}

/* The i-th run that was reported, or NULL. */
static inline struct json_object *reported(const struct outcome *o, size_t i)
{
	struct json_object *runs = json_object_object_get(o->json, "benchmarks");

	return json_object_array_get_idx(runs, i);
}

static inline double number_of(struct json_object *run, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(run, key, &value))
		fail_msg("no %s in %s", key, json_object_to_json_string(run));
	return json_object_get_double(value);
}

static inline const char *text_of(struct json_object *run, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(run, key, &value))
		fail_msg("no %s in %s", key, json_object_to_json_string(run));
	return json_object_get_string(value);
}

/* Why the i-th run was skipped or failed: 1.7 calls both an error. */
static inline const char *reason_of(const struct outcome *o, size_t i)
{
	struct json_object *value;

	if (json_object_object_get_ex(reported(o, i), "skip_message", &value))
		return json_object_get_string(value);
	return text_of(reported(o, i), "error_message");
}

#endif
