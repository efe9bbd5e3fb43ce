// SPDX-License-Identifier: MIT
#include "merge.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ab.h"
#include "comparable.h"
#include "histogram_json.h"
#include "report.h"

static bool same_run(const struct saved *a, const struct saved *b)
{
	const struct result *ra = &a->result, *rb = &b->result;
	char ha[24], hb[24];

	return !strcmp(saved_host(a, ha), saved_host(b, hb)) &&
	       ra->started_unix_s == rb->started_unix_s &&
	       ra->arms[0].ios == rb->arms[0].ios &&
	       ra->arms[0].time_ns == rb->arms[0].time_ns;
}

int merge_check(const struct saved *list, unsigned int n, struct fail *f)
{
	for (unsigned int i = 0; i < n; i++) {
		if (saved_hosts(&list[i]))
			return fail(f, STATUS_USAGE,
				    "merge: %s: is merged already; give merge the hosts' "
				    "own files",
				    list[i].path);
		for (unsigned int k = 0; k < i; k++)
			if (same_run(&list[i], &list[k]))
				return fail(f, STATUS_USAGE,
					    "merge: %s: is the same run as %s",
					    list[i].path, list[k].path);
		if (comparable(&list[0], &list[i], f))
			return -1;
		if (list[i].result.nr_rounds != list[0].result.nr_rounds)
			return fail(f, STATUS_NOT_POSSIBLE,
				    "merge: %s has %u rounds and %s %u: was one stopped "
				    "early? Run all with the same --rounds",
				    list[0].path, list[0].result.nr_rounds, list[i].path,
				    list[i].result.nr_rounds);
	}
	return 0;
}

/* Averages over the I/Os; unknown of one host is unknown of all. */
static double per_io(double sum, uint64_t ios, double value, uint64_t more)
{
	return ios + more
		       ? (sum * (double)ios + value * (double)more) / (double)(ios + more)
		       : NAN;
}

static void add_arm(struct arm_result *into, const struct arm_result *arm,
		    unsigned int rounds)
{
	into->clock_reads_per_io = per_io(into->clock_reads_per_io, into->ios,
					  arm->clock_reads_per_io, arm->ios);
	into->accounted_per_io = per_io(into->accounted_per_io, into->ios,
					arm->accounted_per_io, arm->ios);
	into->cached_per_io =
		per_io(into->cached_per_io, into->ios, arm->cached_per_io, arm->ios);
	into->own_reads_per_io = per_io(into->own_reads_per_io, into->ios,
					arm->own_reads_per_io, arm->ios);
	into->iops_mean += arm->iops_mean;
	into->ios += arm->ios;
	if (!into->errors)
		memcpy(into->first_error, arm->first_error, sizeof(into->first_error));
	into->errors += arm->errors;
	if (arm->time_ns > into->time_ns)
		into->time_ns = arm->time_ns;
	for (unsigned int i = 0; into->rounds && i < rounds; i++)
		into->rounds[i] += arm->rounds[i];
	for (unsigned int i = 0; i < into->nr_seconds; i++)
		into->seconds[i] += arm->seconds[i];
	if (into->latency)
		histogram_merge(into->latency, arm->latency);
}

const char *merge_lacks_latency(const struct saved *list, unsigned int n,
				unsigned int arm)
{
	for (unsigned int i = 0; i < n; i++)
		if (!list[i].result.arms[arm].latency)
			return list[i].path;
	return NULL;
}

/* Seconds that every host has. */
static unsigned int common_seconds(const struct saved *list, unsigned int n)
{
	unsigned int seconds = list[0].result.arms[0].nr_seconds;

	for (unsigned int i = 1; i < n; i++)
		if (list[i].result.arms[0].nr_seconds < seconds)
			seconds = list[i].result.arms[0].nr_seconds;
	return seconds;
}

static void merge_times(struct result *into, const struct saved *list, unsigned int n)
{
	into->started_unix_s = list[0].result.started_unix_s;
	into->ended_unix_s = list[0].result.ended_unix_s;
	into->complete = into->steady = true;
	for (unsigned int i = 0; i < n; i++) {
		const struct result *r = &list[i].result;

		into->started_unix_s = fmin(into->started_unix_s, r->started_unix_s);
		into->ended_unix_s = fmax(into->ended_unix_s, r->ended_unix_s);
		into->complete &= r->complete;
		into->steady &= r->steady;
		into->warmup_s = fmax(into->warmup_s, r->warmup_s);
		if (!into->clock_reads_why[0] && isnan(r->arms[0].clock_reads_per_io))
			snprintf(into->clock_reads_why, sizeof(into->clock_reads_why),
				 "not known of %s", list[i].path);
	}
}

int merge_results(struct result *into, const struct saved *list, unsigned int n,
		  struct fail *f)
{
	const struct result *first = &list[0].result;
	unsigned int workers = n * saved_threads(&list[0]);
	unsigned int seconds = common_seconds(list, n);

	into->valid = true;
	snprintf(into->knob, sizeof(into->knob), "%s", first->knob);
	into->nr_rounds = first->nr_rounds;
	merge_times(into, list, n);
	for (unsigned int i = 0; i < first->nr_arms; i++) {
		struct arm_result *arm = result_add_arm(into, first->arms[i].name,
							!merge_lacks_latency(list, n, i),
							first->nr_rounds);

		for (unsigned int k = 0; arm && k < seconds; k++)
			if (result_add_second(arm, 0))
				arm = NULL;
		if (!arm)
			return fail(f, STATUS_FAILED, "out of memory");
		arm->clock_reads_per_io = arm->accounted_per_io = arm->cached_per_io = 0;
		arm->own_reads_per_io = 0;
		for (unsigned int k = 0; k < n; k++)
			add_arm(arm, &list[k].result.arms[i], first->nr_rounds);
		/* The best seconds of hosts are not the same second. */
		arm->iops_max = NAN;
		arm->ns_per_io = workers * 1e9 / arm->iops_mean;
	}
	return into->knob[0] ? ab_compare(into, workers, saved_touches_block(&list[0]), f)
			     : 0;
}

struct together merge_together(const struct saved *list, unsigned int n)
{
	double last_start = 0, first_end = INFINITY, start = INFINITY, end = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct result *r = &list[i].result;

		if (r->started_unix_s <= 0 || r->ended_unix_s < r->started_unix_s)
			return (struct together){0, 0};
		last_start = fmax(last_start, r->started_unix_s);
		start = fmin(start, r->started_unix_s);
		first_end = fmin(first_end, r->ended_unix_s);
		end = fmax(end, r->ended_unix_s);
	}
	return (struct together){fmax(first_end - last_start, 0), end - start};
}

/* Conditions that are the same everywhere. */
static struct json_object *common_conditions(const struct saved *list, unsigned int n)
{
	struct json_object *common = json_object_new_object(), *first, *there;

	json_object_object_get_ex(list[0].root, "conditions", &first);
	json_object_object_foreach(first, name, value)
	{
		bool same = true;

		for (unsigned int i = 1; i < n && same; i++) {
			json_object_object_get_ex(list[i].root, "conditions", &there);
			same = json_object_object_get_ex(there, name, &there) &&
			       json_object_equal(there, value);
		}
		if (same)
			json_object_object_add(common, name, json_object_get(value));
	}
	return common;
}

static struct json_object *host_json(const struct saved *s)
{
	static const char *const kept[] = {
		"host",       "started_unix_s", "ended_unix_s",
		"conditions", "arms",           "comparisons",
	};
	struct json_object *o = json_object_new_object(), *value;

	json_object_object_add(o, "file", json_object_new_string(s->path));
	json_object_object_get_ex(s->root, "arms", &value);
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		struct json_object *latency;

		if (json_object_object_get_ex(json_object_array_get_idx(value, i),
					      "latency", &latency))
			histogram_json_on_a_line(latency);
	}
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		json_object_object_get_ex(s->root, kept[i], &value);
		json_object_object_add(o, kept[i], json_object_get(value));
	}
	return o;
}

struct json_object *merge_json(const struct result *merged, const struct saved *list,
			       unsigned int n)
{
	struct json_object *hosts = json_object_new_array(), *options, *o;

	json_object_object_get_ex(list[0].root, "options", &options);
	o = report_json_object(merged, NULL, json_object_get(options),
			       common_conditions(list, n));
	for (unsigned int i = 0; i < n; i++)
		json_object_array_add(hosts, host_json(&list[i]));
	json_object_object_add(o, "hosts", hosts);
	return o;
}
