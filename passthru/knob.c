// SPDX-License-Identifier: MIT
#include "knob.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knob_kind.h"
#include "restore.h"
#include "undo.h"

/* The knobs, and the arms that each gets without '='. */
static const struct known {
	const char *name; /* one that ends in ':' is followed by an attribute's name */
	const char *settings;
	const struct knob_kind *kind;
} known_knobs[] = {
	{"lat", "off:clock:cached", &knob_lat},
	{"stats", "off:on", &knob_stats},
	{"iostats", "off:on", &knob_iostats},
	{"iostats_passthrough", "off:on", &knob_iostats_passthrough},
	{"wbt", "off:on", &knob_wbt},
	{"ktime", "off:on", &knob_ktime},
	{"poll", "off:on", &knob_poll},
	{"batch", "1:32", &knob_batch},
	{"depth", "1:128", &knob_depth},
	{"fixedbufs", "off:on", &knob_fixedbufs},
	{"sysfs:", NULL, &knob_sysfs},
	{"delay", "0:50", &knob_delay},
	{"none", "first:second", &knob_none},
};

#define NR_KNOWN (sizeof(known_knobs) / sizeof(known_knobs[0]))

static const struct known *find_known(const char *text, size_t len)
{
	for (size_t i = 0; i < NR_KNOWN; i++) {
		size_t has = strlen(known_knobs[i].name);
		bool open = known_knobs[i].name[has - 1] == ':';

		if ((open ? has <= len : has == len) &&
		    !strncmp(known_knobs[i].name, text, has))
			return &known_knobs[i];
	}
	return NULL;
}

static int unknown(const char *text, size_t len, struct fail *f)
{
	char names[256] = "";

	for (size_t i = 0; i < NR_KNOWN; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s%s",
			 i ? ", " : "", known_knobs[i].name,
			 known_knobs[i].settings ? "" : "ATTR");
	return fail(f, STATUS_USAGE, "--ab %.*s: no such knob; there are %s",
		    (int)(len < 64 ? len : 64), text, names);
}

int knob_parse_switch(const struct knob *k, struct knob_arm *arm, const struct session *s,
		      struct fail *f)
{
	(void)s;
	arm->on = !strcmp(arm->name, "on") || !strcmp(arm->name, "1");
	if (!arm->on && strcmp(arm->name, "off") && strcmp(arm->name, "0"))
		return fail(f, STATUS_USAGE, "--ab %s: %s must be on or off", k->name,
			    arm->name);
	snprintf(arm->value, sizeof(arm->value), "%d", arm->on);
	return 0;
}

static int parse_arms(struct knob *k, const struct known *known, const char *settings,
		      const struct session *s, struct fail *f)
{
	for (const char *at = settings; at;) {
		size_t len = strcspn(at, ":");
		struct knob_arm *arm = &k->arms[k->nr_arms];

		if (k->nr_arms == RESULT_MAX_ARMS)
			return fail(f, STATUS_USAGE, "--ab %s: at most %d settings",
				    k->name, RESULT_MAX_ARMS);
		if (!len || len >= sizeof(arm->name))
			return fail(f, STATUS_USAGE,
				    "--ab %s=%s: a setting is empty or too long", k->name,
				    settings);
		memcpy(arm->name, at, len);
		arm->pace = pace_of(s->options);
		for (unsigned int i = 0; i < k->nr_arms; i++)
			if (!strcmp(k->arms[i].name, arm->name))
				return fail(f, STATUS_USAGE,
					    "--ab %s: %s stands there twice", k->name,
					    arm->name);
		k->nr_arms++;
		if (known->kind->parse(k, arm, s, f))
			return -1;
		at = at[len] ? at + len + 1 : NULL;
	}
	if (k->nr_arms < 2)
		return fail(f, STATUS_USAGE,
			    "--ab %s: needs two settings or more, as in %s=%s", k->name,
			    k->name, known->settings ? known->settings : "A:B");
	return 0;
}

int knob_open(struct knob *k, const char *text, const struct session *s, struct fail *f)
{
	size_t len = strcspn(text, "=");
	const struct known *known = find_known(text, len);
	struct fail ignored = {0};

	memset(k, 0, sizeof(*k));
	k->undo = -1;
	if (!known || len >= sizeof(k->name))
		return unknown(text, len, f);
	memcpy(k->name, text, len);
	k->kind = known->kind;
	k->passthrough = s->engine->passthrough;
	if (parse_arms(k, known, text[len] ? text + len + 1 : known->settings, s, f) ||
	    (k->kind->hold && k->kind->hold(k, s, f))) {
		(void)knob_close(k, &ignored);
		return -1;
	}
	return 0;
}

int knob_set(struct knob *k, const struct knob_arm *arm, struct fail *f)
{
	return k->kind->set ? k->kind->set(k, arm, f) : 0;
}

struct knob_counts knob_counts(const struct knob *k)
{
	return k->kind->counts ? k->kind->counts(k) : (struct knob_counts){-1, -1};
}

void knob_extremes(const struct knob *k, const double *figures, double *on, double *off)
{
	*on = INFINITY;
	*off = -INFINITY;
	for (unsigned int i = 0; i < k->nr_arms; i++) {
		if (isnan(figures[i])) {
			*on = *off = NAN;
			return;
		}
		if (k->arms[i].on)
			*on = fmin(*on, figures[i]);
		else
			*off = fmax(*off, figures[i]);
	}
}

int knob_verify(const struct knob *k, const struct result *r, struct fail *f)
{
	return k->kind->verify ? k->kind->verify(k, r, f) : 0;
}

int knob_close(struct knob *k, struct fail *f)
{
	int ret = 0;

	if (k->kind && k->undo >= 0) {
		int err = undo_now(k->undo);

		if (err)
			ret = fail(f, STATUS_FAILED,
				   "--ab %s: putting back %s: %s; set it by hand",
				   k->name,
				   k->nr_disks ? k->disks[0].attr.path : k->ktime.path,
				   strerror(-err));
	}
	for (unsigned int i = 0; i < k->nr_arms; i++)
		free(k->arms[i].options);
	free(k->disks);
	memset(k, 0, sizeof(*k));
	k->undo = -1;
	return ret;
}
