// SPDX-License-Identifier: MIT
#include "histogram_json.h"

#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct json_object json;

/* The steps of a run on one line, not a number on each: json-c's serializer for an array. */
static int print_steps(json *steps, struct printbuf *out, int level, int flags)
{
	size_t n = json_object_array_length(steps);

	(void)level;
	(void)flags;
	sprintbuf(out, "[");
	for (size_t i = 0; i < n; i++)
		sprintbuf(out, "%s%s", i ? "," : "",
			  json_object_to_json_string_ext(
				  json_object_array_get_idx(steps, i),
				  JSON_C_TO_STRING_PLAIN));
	return sprintbuf(out, "]");
}

static json *steps_json(const struct histogram *h)
{
	json *steps = json_object_new_array();

	for (unsigned int i = 0; i < HISTOGRAM_SIZE; i++) {
		json *step;

		if (!h->steps[i])
			continue;
		step = json_object_new_array_ext(2);
		json_object_array_add(step, json_object_new_uint64(histogram_step_ns(i)));
		json_object_array_add(step, json_object_new_uint64(h->steps[i]));
		json_object_array_add(steps, step);
	}
	return steps;
}

void histogram_json_on_a_line(json *o)
{
	json *steps;

	if (json_object_object_get_ex(o, "histogram", &steps) &&
	    json_object_is_type(steps, json_type_array))
		json_object_set_serializer(steps, print_steps, NULL, NULL);
}

json *histogram_json(const struct histogram *h)
{
	json *o = json_object_new_object(), *list = json_object_new_object();

	json_object_object_add(o, "count", json_object_new_uint64(h->count));
	json_object_object_add(o, "mean_ns", json_object_new_double(histogram_mean(h)));
	json_object_object_add(o, "max_ns", json_object_new_uint64(h->max_ns));
	for (unsigned int i = 0; i < HISTOGRAM_PERCENTILES; i++) {
		uint64_t ns = histogram_percentile(h, histogram_percentiles[i]);
		char name[16];

		snprintf(name, sizeof(name), "%g", histogram_percentiles[i]);
		json_object_object_add(list, name, json_object_new_uint64(ns));
	}
	json_object_object_add(o, "percentiles_ns", list);
	json_object_object_add(o, "histogram", steps_json(h));
	histogram_json_on_a_line(o);
	return o;
}

static bool whole(json *value, uint64_t *to)
{
	if (!json_object_is_type(value, json_type_int) ||
	    json_object_get_int64(value) < 0)
		return false;
	*to = json_object_get_uint64(value);
	return true;
}

static bool whole_member(json *o, const char *name, uint64_t *to)
{
	json *value;

	return json_object_object_get_ex(o, name, &value) && whole(value, to);
}

static const char *read_steps(json *steps, struct histogram *h)
{
	size_t n = json_object_array_length(steps);
	uint64_t left = h->count;
	unsigned int next = 0;

	for (size_t k = 0; k < n; k++) {
		json *step = json_object_array_get_idx(steps, k);
		uint64_t ns, times;
		unsigned int i;

		if (!json_object_is_type(step, json_type_array) ||
		    json_object_array_length(step) != 2 ||
		    !whole(json_object_array_get_idx(step, 0), &ns) ||
		    !whole(json_object_array_get_idx(step, 1), &times) || !times)
			return "has a step that is no pair of ns and a count";
		i = histogram_index(ns);
		if (histogram_step_ns(i) != ns)
			return "has a step that is none of its form";
		if (i < next)
			return "has steps that do not rise";
		if (times > left)
			return "counts more in its steps than in all";
		left -= times;
		h->steps[i] = times;
		next = i + 1;
	}
	return left ? "counts less in its steps than in all" : NULL;
}

const char *histogram_from_json(json *o, struct histogram *h)
{
	json *steps, *mean;
	double sum;

	if (!whole_member(o, "count", &h->count) ||
	    !whole_member(o, "max_ns", &h->max_ns))
		return "has a count or max_ns that is no number from 0 up";
	if (!json_object_object_get_ex(o, "mean_ns", &mean) ||
	    !(json_object_is_type(mean, json_type_double) ||
	      json_object_is_type(mean, json_type_int)))
		return "has a mean_ns that is no number";
	sum = json_object_get_double(mean) * (double)h->count;
	if (!(sum >= 0 && sum < 0x1p63) ||
	    json_object_get_double(mean) > (double)h->max_ns * (1 + 1e-9))
		return "has a mean_ns that cannot be";
	h->sum_ns = (uint64_t)llround(sum);
	if (!json_object_object_get_ex(o, "histogram", &steps) ||
	    !json_object_is_type(steps, json_type_array))
		return "has a histogram that is no list";
	return read_steps(steps, h);
}
