// SPDX-License-Identifier: MIT
/* A saved result, checked name by name. */
#include "saved.h"

#include <ctype.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram_json.h"
#include "report.h"

typedef struct json_object json;

/* Where in which file, for messages. */
struct place {
	const char *path;
	char in[32]; /* "arms[2]." or "" */
	struct fail *f;
};

static int wrong(const struct place *p, const char *name, const char *what)
{
	return fail(p->f, STATUS_FAILED, "%s: %s%s: %s", p->path, p->in, name, what);
}

/* A member that must be there and be of @type; else NULL, with the failure set. */
static json *member(const struct place *p, json *o, const char *name, enum json_type type)
{
	json *value;

	if (!json_object_object_get_ex(o, name, &value)) {
		wrong(p, name, "is missing");
		return NULL;
	}
	if (json_object_get_type(value) != type) {
		char what[48];

		snprintf(what, sizeof(what), "is not of type %s",
			 json_type_to_name(type));
		wrong(p, name, what);
		return NULL;
	}
	return value;
}

static bool is_number(json *value)
{
	return json_object_is_type(value, json_type_double) ||
	       json_object_is_type(value, json_type_int);
}

static int positive(const struct place *p, json *o, const char *name, double *to)
{
	json *value;

	if (!json_object_object_get_ex(o, name, &value))
		return wrong(p, name, "is missing");
	*to = json_object_get_double(value);
	if (!is_number(value) || !isfinite(*to) || *to <= 0)
		return wrong(p, name, "is no number above 0");
	return 0;
}

/* A count or measurement, or null where it is not known: NAN. */
static int known_or_not(const struct place *p, json *o, const char *name, double *to)
{
	json *value;

	if (!json_object_object_get_ex(o, name, &value))
		return wrong(p, name, "is missing");
	*to = value ? json_object_get_double(value) : NAN;
	if (value && (!is_number(value) || !isfinite(*to) || *to < 0))
		return wrong(p, name, "is neither null nor a number from 0 up");
	return 0;
}

static int whole(const struct place *p, json *o, const char *name, uint64_t *to)
{
	json *value = member(p, o, name, json_type_int);

	if (!value)
		return -1;
	if (json_object_get_int64(value) < 0)
		return wrong(p, name, "is below 0");
	*to = json_object_get_uint64(value);
	return 0;
}

/* What came later than the form: without it, it is not known. */
static double later(json *o, const char *name)
{
	json *value;

	return json_object_object_get_ex(o, name, &value) && is_number(value)
		       ? json_object_get_double(value)
		       : NAN;
}

/* A list of IOPS; absent is none. A second may be without an I/O, a round not. */
static int figures(const struct place *p, json *o, const char *name, bool may_be_0,
		   double **list, unsigned int *n)
{
	json *a;

	*n = 0;
	if (!json_object_object_get_ex(o, name, &a))
		return 0;
	if (!json_object_is_type(a, json_type_array) || !json_object_array_length(a))
		return wrong(p, name, "is no list of numbers");
	*n = (unsigned int)json_object_array_length(a);
	*list = calloc(*n, sizeof(**list));
	if (!*list)
		return fail(p->f, STATUS_FAILED, "out of memory");
	for (unsigned int i = 0; i < *n; i++) {
		json *value = json_object_array_get_idx(a, i);
		double x = json_object_get_double(value);

		if (!is_number(value) || !isfinite(x) || x < 0 || (x == 0 && !may_be_0))
			return wrong(p, name, "holds what is no rate of I/Os");
		(*list)[i] = x;
	}
	return 0;
}

/* Names are printed and put into plots. */
static int plain_text(const struct place *p, const char *name, const char *text,
		      size_t room)
{
	if (!text[0] || strlen(text) >= room)
		return wrong(p, name, "is empty or too long");
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			return wrong(p, name, "holds a control character");
	return 0;
}

/* Files of an ngbench that wrote no histogram count as without latencies. */
static int read_latency(const struct place *p, json *o, struct arm_result *arm)
{
	const char *what;
	json *latency;

	if (!json_object_object_get_ex(o, "latency", &latency) ||
	    (json_object_is_type(latency, json_type_object) &&
	     !json_object_object_get_ex(latency, "histogram", NULL)))
		return 0;
	if (!json_object_is_type(latency, json_type_object))
		return wrong(p, "latency", "is not of type object");
	arm->latency = calloc(1, sizeof(*arm->latency));
	if (!arm->latency)
		return fail(p->f, STATUS_FAILED, "out of memory");
	what = histogram_from_json(latency, arm->latency);
	return what ? wrong(p, "latency", what) : 0;
}

static int read_arm(struct place *p, json *o, struct result *r, unsigned int i)
{
	struct arm_result *arm;
	unsigned int rounds;
	json *name;

	snprintf(p->in, sizeof(p->in), "arms[%u].", i);
	if (!json_object_is_type(o, json_type_object))
		return wrong(p, "", "is not of type object");
	name = member(p, o, "name", json_type_string);
	if (!name ||
	    plain_text(p, "name", json_object_get_string(name), sizeof(arm->name)))
		return -1;
	arm = result_add_arm(r, json_object_get_string(name), false, 0);
	if (positive(p, o, "iops_mean", &arm->iops_mean) ||
	    positive(p, o, "ns_per_io", &arm->ns_per_io) ||
	    known_or_not(p, o, "iops_max", &arm->iops_max) ||
	    known_or_not(p, o, "clock_reads_per_io", &arm->clock_reads_per_io) ||
	    known_or_not(p, o, "accounted_per_io", &arm->accounted_per_io) ||
	    known_or_not(p, o, "cached_per_io", &arm->cached_per_io) ||
	    whole(p, o, "ios", &arm->ios) || whole(p, o, "time_ns", &arm->time_ns) ||
	    whole(p, o, "errors", &arm->errors) ||
	    figures(p, o, "iops_rounds", false, &arm->rounds, &rounds) ||
	    figures(p, o, "iops_seconds", true, &arm->seconds, &arm->nr_seconds) ||
	    read_latency(p, o, arm))
		return -1;
	arm->own_reads_per_io = later(o, "own_clock_reads_per_io");
	if (json_object_object_get_ex(o, "first_error", &name))
		snprintf(arm->first_error, sizeof(arm->first_error), "%s",
			 json_object_get_string(name));
	if (r->knob[0] && rounds < 2)
		return wrong(p, "iops_rounds", "fewer than two rounds");
	if (i && rounds != r->nr_rounds)
		return wrong(p, "iops_rounds", "not as many as in the first arm");
	r->nr_rounds = rounds;
	p->in[0] = 0;
	return 0;
}

static int read_arms(struct place *p, json *root, struct result *r)
{
	json *arms = member(p, root, "arms", json_type_array);
	size_t n;

	if (!arms)
		return -1;
	n = json_object_array_length(arms);
	if (n < 1 || n > RESULT_MAX_ARMS)
		return wrong(p, "arms", "not one to eight of them");
	for (unsigned int i = 0; i < n; i++)
		if (read_arm(p, json_object_array_get_idx(arms, i), r, i))
			return -1;
	return 0;
}

static int check_head(struct place *p, json *root)
{
	json *version, *valid;

	if (!json_object_is_type(root, json_type_object) ||
	    !json_object_object_get_ex(root, "schema", &version) ||
	    !json_object_object_get_ex(root, "ngbench", NULL))
		return fail(
			p->f, STATUS_FAILED,
			"%s: not a result of ngbench: no 'schema' and 'ngbench' in it; "
			"take what 'ngbench run --json' wrote",
			p->path);
	if (!json_object_is_type(version, json_type_int) ||
	    json_object_get_int64(version) != REPORT_SCHEMA)
		return fail(p->f, STATUS_NOT_POSSIBLE,
			    "%s: its form has another version (schema) than %d; use the "
			    "ngbench that wrote it",
			    p->path, REPORT_SCHEMA);
	valid = member(p, root, "valid", json_type_boolean);
	if (!valid)
		return -1;
	if (!json_object_get_boolean(valid)) {
		json *why;

		json_object_object_get_ex(root, "error", &why);
		return fail(p->f, STATUS_FAILED, "%s: the run was not valid: %s", p->path,
			    json_object_is_type(why, json_type_string)
				    ? json_object_to_json_string_ext(
					      why, JSON_C_TO_STRING_NOSLASHESCAPE)
				    : "no reason given");
	}
	return 0;
}

int saved_read(struct json_object *root, const char *path, struct result *r,
	       struct fail *f)
{
	struct place place = {.path = path, .f = f}, *p = &place;
	json *complete, *knob, *steady;

	if (check_head(p, root))
		return -1;
	complete = member(p, root, "complete", json_type_boolean);
	if (!complete || !member(p, root, "options", json_type_object) ||
	    !member(p, root, "conditions", json_type_object))
		return -1;
	if (!json_object_object_get_ex(root, "knob", &knob))
		return wrong(p, "knob", "is missing");
	if (knob) {
		if (!member(p, root, "knob", json_type_string) ||
		    plain_text(p, "knob", json_object_get_string(knob), RESULT_KNOB_LEN))
			return -1;
		snprintf(r->knob, sizeof(r->knob), "%s", json_object_get_string(knob));
	}
	r->valid = true;
	r->complete = json_object_get_boolean(complete);
	r->started_unix_s = fmax(later(root, "started_unix_s"), 0);
	r->ended_unix_s = fmax(later(root, "ended_unix_s"), 0);
	r->warmup_s = later(root, "warmup_s");
	r->steady = json_object_object_get_ex(root, "steady", &steady) &&
		    json_object_get_boolean(steady);
	return read_arms(p, root, r);
}
