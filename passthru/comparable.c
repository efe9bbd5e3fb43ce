// SPDX-License-Identifier: MIT
#include "comparable.h"

#include <json-c/json.h>
#include <string.h>

typedef struct json_object json;

/* What differs, as one line. */
struct list {
	char text[320];
	size_t used;
};

static const char *shown(json *value)
{
	return json_object_to_json_string_ext(value, JSON_C_TO_STRING_NOSLASHESCAPE);
}

static void differs(struct list *l, const char *name, const char *a, const char *b)
{
	int n;

	if (l->used >= sizeof(l->text))
		return;
	n = snprintf(l->text + l->used, sizeof(l->text) - l->used, "%s%s %s and %s",
		     l->used ? ", " : "", name, a, b);
	l->used += (size_t)n;
}

static void differ_in_number(struct list *l, const char *name, unsigned int a,
			     unsigned int b)
{
	char na[16], nb[16];

	snprintf(na, sizeof(na), "%u", a);
	snprintf(nb, sizeof(nb), "%u", b);
	if (a != b)
		differs(l, name, na, nb);
}

static json *part(const struct saved *s, const char *name)
{
	json *o = NULL;

	json_object_object_get_ex(s->root, name, &o);
	return o;
}

/* How long it ran decides the width of the interval, no more. */
static bool decides_no_pace(const char *option)
{
	return !strcmp(option, "runtime_s") || !strcmp(option, "io_count") ||
	       !strcmp(option, "max_errors");
}

/* Results from before --sqpoll do not have it, and are of rings without. */
static bool submits_by_kernel(const struct saved *s)
{
	json *value;

	return json_object_object_get_ex(part(s, "options"), "sqpoll", &value) &&
	       json_object_get_boolean(value);
}

static void compare_options(struct list *l, const struct saved *a, const struct saved *b)
{
	json *with = part(b, "options");

	json_object_object_foreach(part(a, "options"), name, value)
	{
		json *other;

		if (decides_no_pace(name) || !strcmp(name, "sqpoll") ||
		    !json_object_object_get_ex(with, name, &other) ||
		    json_object_equal(value, other))
			continue;
		differs(l, name, shown(value), shown(other));
	}
	if (submits_by_kernel(a) != submits_by_kernel(b))
		differs(l, "sqpoll", submits_by_kernel(a) ? "true" : "false",
			submits_by_kernel(b) ? "true" : "false");
}

static void compare_arms(struct list *l, const struct result *a, const struct result *b)
{
	differ_in_number(l, "number of arms", a->nr_arms, b->nr_arms);
	for (unsigned int i = 0; a->nr_arms == b->nr_arms && i < a->nr_arms; i++)
		if (strcmp(a->arms[i].name, b->arms[i].name))
			differs(l, "arm", a->arms[i].name, b->arms[i].name);
}

int comparable(const struct saved *a, const struct saved *b, struct fail *f)
{
	static const char *const same[] = {"engine", "polled"};
	const char *ka = a->result.knob[0] ? a->result.knob : "none, a plain run,";
	const char *kb = b->result.knob[0] ? b->result.knob : "none, a plain run";
	struct list l = {.used = 0};

	if (strcmp(a->result.knob, b->result.knob))
		differs(&l, "knob", ka, kb);
	else
		compare_arms(&l, &a->result, &b->result);
	compare_options(&l, a, b);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (strcmp(saved_condition(a, same[i]), saved_condition(b, same[i])))
			differs(&l, same[i], saved_condition(a, same[i]),
				saved_condition(b, same[i]));
	differ_in_number(&l, "number of merged hosts", saved_hosts(a), saved_hosts(b));
	if (!l.used)
		return 0;
	return fail(f, STATUS_NOT_POSSIBLE,
		    "%s and %s are not of the same settings: %s; run both with the same",
		    a->path, b->path, l.text);
}

unsigned int comparable_notes(FILE *out, const struct saved *a, const struct saved *b)
{
	unsigned int lines = 0;

	json_object_object_foreach(part(a, "conditions"), name, value)
	{
		json *other, *now;

		if (!json_object_object_get_ex(part(b, "conditions"), name, &other) ||
		    !json_object_is_type(value, json_type_object) ||
		    !json_object_object_get_ex(value, "effective", &now) ||
		    !json_object_object_get_ex(other, "effective", &other) ||
		    json_object_equal(now, other))
			continue;
		fprintf(out, "%s: %s in A, ", name, shown(now));
		fprintf(out, "%s in B\n", shown(other));
		lines++;
	}
	return lines;
}
