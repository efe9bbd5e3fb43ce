// SPDX-License-Identifier: MIT
#include "report.h"

#include <json-c/json.h>
#include <math.h>
#include <sys/utsname.h>

#include "histogram_json.h"
#include "outfile.h"

typedef struct json_object json; /* json-c's own name says the same in 18 letters */

static void put(json *o, const char *name, json *value)
{
	json_object_object_add(o, name, value);
}

/* JSON has no NaN and no infinity: unknown is null. */
static json *number(double x)
{
	return isfinite(x) ? json_object_new_double(x) : NULL;
}

static json *count(uint64_t n)
{
	return json_object_new_uint64(n);
}

static json *text(const char *s)
{
	return json_object_new_string(s);
}

static json *pair(double low, double high)
{
	json *a = json_object_new_array();

	json_object_array_add(a, number(low));
	json_object_array_add(a, number(high));
	return a;
}

static json *numbers(const double *x, unsigned int n)
{
	json *a = json_object_new_array();

	for (unsigned int i = 0; i < n; i++)
		json_object_array_add(a, number(x[i]));
	return a;
}

static json *moment(double unix_s)
{
	return unix_s > 0 ? number(unix_s) : NULL;
}

static json *conditions_json(const struct conditions *cs)
{
	json *o = json_object_new_object();

	for (unsigned int i = 0; i < cs->n; i++) {
		json *c = json_object_new_object();

		if (cs->list[i].asked[0])
			put(c, "requested", text(cs->list[i].asked));
		put(c, "effective", text(cs->list[i].effective));
		if (cs->list[i].advice[0])
			put(c, "advice", text(cs->list[i].advice));
		put(o, cs->list[i].name, c);
	}
	return o;
}

static json *options_json(const struct options *opt)
{
	json *o = json_object_new_object();

	put(o, "depth", count(opt->depth));
	put(o, "submit_batch", count(opt->submit_batch));
	put(o, "complete_batch", count(opt->complete_batch));
	put(o, "block_size", count(opt->block_bytes));
	put(o, "threads", count(opt->threads));
	put(o, "runtime_s", count(opt->runtime_s));
	put(o, "fixed_buffers", json_object_new_boolean(opt->fixed_buffers));
	put(o, "registered_files", json_object_new_boolean(opt->registered_files));
	put(o, "sqpoll", json_object_new_boolean(opt->kernel_submits));
	put(o, "direct", json_object_new_boolean(opt->direct));
	put(o, "random", json_object_new_boolean(opt->random));
	put(o, "rate", opt->rate ? count(opt->rate) : NULL);
	put(o, "io_count", opt->io_count ? count(opt->io_count) : NULL);
	put(o, "max_errors", count(opt->max_errors));
	put(o, "lat", text(lat_mode_names[opt->lat]));
	return o;
}

static json *arm_json(const struct result *r, const struct arm_result *arm)
{
	json *o = json_object_new_object();

	put(o, "name", text(arm->name));
	put(o, "iops_mean", number(arm->iops_mean));
	put(o, "iops_max", number(arm->iops_max));
	put(o, "ns_per_io", number(arm->ns_per_io));
	put(o, "ios", count(arm->ios));
	put(o, "time_ns", count(arm->time_ns));
	put(o, "clock_reads_per_io", number(arm->clock_reads_per_io));
	put(o, "own_clock_reads_per_io", number(arm->own_reads_per_io));
	put(o, "accounted_per_io", number(arm->accounted_per_io));
	put(o, "cached_per_io", number(arm->cached_per_io));
	put(o, "errors", count(arm->errors));
	if (arm->errors)
		put(o, "first_error", text(arm->first_error));
	if (arm->latency)
		put(o, "latency", histogram_json(arm->latency));
	if (arm->rounds) {
		put(o, "spread_percent", number(arm->spread_percent));
		put(o, "iops_rounds", numbers(arm->rounds, r->nr_rounds));
	}
	if (arm->seconds)
		put(o, "iops_seconds", numbers(arm->seconds, arm->nr_seconds));
	return o;
}

/* What of the difference clock reads explain, and what they do not. */
static json *attribution_json(const struct comparison *c)
{
	json *o = json_object_new_object();

	put(o, "clock_reads_per_io", number(c->reads_gap));
	put(o, "explained_ns_per_io", number(c->explained_ns));
	put(o, "unexplained_ns_per_io", number(c->rest_ns));
	put(o, "unexplained_ci95_ns_per_io",
	    pair(c->rest_ci95_ns[0], c->rest_ci95_ns[1]));
	return o;
}

static json *comparison_json(const struct result *r, const struct comparison *c)
{
	json *o = json_object_new_object();

	put(o, "a", text(r->arms[c->a].name));
	put(o, "b", text(r->arms[c->b].name));
	put(o, "diff_percent", number(c->diff_percent));
	put(o, "ci95_percent", pair(c->ci95_percent[0], c->ci95_percent[1]));
	put(o, "diff_ns_per_io", number(c->diff_ns_per_io));
	put(o, "ci95_ns_per_io", pair(c->ci95_ns[0], c->ci95_ns[1]));
	put(o, "attribution", attribution_json(c));
	put(o, "drift_percent", number(c->drift.percent));
	put(o, "drift_ci95_percent",
	    pair(c->drift.ci95_percent[0], c->drift.ci95_percent[1]));
	put(o, "rounds_apart", count(c->nr_outliers));
	return o;
}

json *report_json_object(const struct result *r, const char *host, json *options,
			 json *conditions)
{
	json *o = json_object_new_object();
	json *arms = json_object_new_array(), *cmps = json_object_new_array();

	put(o, "schema", count(REPORT_SCHEMA));
	put(o, "ngbench", text(PLUGCLOCK_VERSION));
	put(o, "host", host ? text(host) : NULL);
	put(o, "started_unix_s", moment(r->started_unix_s));
	put(o, "ended_unix_s", moment(r->ended_unix_s));
	put(o, "valid", json_object_new_boolean(r->valid));
	put(o, "complete", json_object_new_boolean(r->complete));
	put(o, "error", r->valid ? NULL : text(r->why));
	put(o, "knob", r->knob[0] ? text(r->knob) : NULL);
	put(o, "options", options);
	put(o, "conditions", conditions);
	for (unsigned int i = 0; i < r->nr_arms; i++)
		json_object_array_add(arms, arm_json(r, &r->arms[i]));
	put(o, "arms", arms);
	put(o, "clock_reads_unknown",
	    r->clock_reads_why[0] ? text(r->clock_reads_why) : NULL);
	for (unsigned int i = 0; i < r->nr_comparisons; i++)
		json_object_array_add(cmps, comparison_json(r, &r->comparisons[i]));
	put(o, "comparisons", cmps);
	if (r->knob[0]) {
		put(o, "clock_read_ns", number(r->clock_read_ns));
		put(o, "warmup_s", number(r->warmup_s));
		put(o, "steady", json_object_new_boolean(r->steady));
		put(o, "drift_percent", number(r->drift.percent));
		put(o, "drift_ci95_percent",
		    pair(r->drift.ci95_percent[0], r->drift.ci95_percent[1]));
	}
	return o;
}

void report_json_print(FILE *out, json *o)
{
	fprintf(out, "%s\n",
		json_object_to_json_string_ext(
			o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
}

int report_json_check(const char *path, struct fail *f)
{
	return outfile_check("--json", path, f);
}

/* Takes @o. */
static int write_json(const char *path, json *o, struct fail *f)
{
	struct outfile file;
	int ret = outfile_open(&file, "--json", path, f);

	if (!ret) {
		report_json_print(file.out, o);
		ret = outfile_commit(&file, f);
	}
	json_object_put(o);
	return ret;
}

int report_json(const char *path, const struct session *s, const struct conditions *cs,
		const struct result *r, struct fail *f)
{
	struct utsname uts;

	uname(&uts);
	return write_json(path,
			  report_json_object(r, uts.nodename, options_json(s->options),
					     conditions_json(cs)),
			  f);
}

int report_json_conditions(const char *path, const struct conditions *cs, struct fail *f)
{
	json *o = json_object_new_object();

	put(o, "schema", count(REPORT_SCHEMA));
	put(o, "ngbench", text(PLUGCLOCK_VERSION));
	put(o, "conditions", conditions_json(cs));
	return write_json(path, o, f);
}
