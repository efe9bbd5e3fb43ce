// SPDX-License-Identifier: MIT
#include "knob.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ktime.h"
#include "sysfs.h"
#include "undo.h"
#include "units.h"

/* A millisecond per I/O: more would only be a slow run. */
#define MAX_DELAY_NS 1000000u

/* The arms that a knob gets without '=', and what each knob switches. */
static const struct known {
	const char *name;
	const char *settings;
	enum {
		TURNS_PACE,   /* nothing outside this program */
		TURNS_DISKS,  /* a queue attribute, on or off */
		TURNS_KERNEL, /* one switch for all */
	} turns;
} known_knobs[] = {
	{"lat", "off:clock:cached", TURNS_PACE}, {"iostats", "off:on", TURNS_DISKS},
	{"stats", "off:on", TURNS_DISKS},        {"ktime", "off:on", TURNS_KERNEL},
	{"delay", "0:50", TURNS_PACE},           {"none", "first:second", TURNS_PACE},
};

static const struct known *find_known(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(known_knobs) / sizeof(known_knobs[0]); i++)
		if (strlen(known_knobs[i].name) == len &&
		    !strncmp(known_knobs[i].name, text, len))
			return &known_knobs[i];
	return NULL;
}

static int parse_setting(const struct known *known, struct knob_arm *arm, struct fail *f)
{
	uint64_t ns;

	if (!strcmp(known->name, "lat")) {
		for (unsigned int i = 0; i < 3; i++)
			if (!strcmp(arm->name, lat_mode_names[i])) {
				arm->pace.lat = (enum lat_mode)i;
				return 0;
			}
		return fail(f, STATUS_USAGE, "--ab lat: %s must be off, clock or cached",
			    arm->name);
	}
	if (!strcmp(known->name, "delay")) {
		if (units_parse_count(arm->name, &ns) || ns > MAX_DELAY_NS)
			return fail(f, STATUS_USAGE,
				    "--ab delay: %s must be ns per I/O, up to %u",
				    arm->name, MAX_DELAY_NS);
		arm->pace.delay_ns = (unsigned int)ns;
		return 0;
	}
	if (known->turns == TURNS_PACE)
		return 0;
	arm->on = !strcmp(arm->name, "on") || !strcmp(arm->name, "1");
	if (!arm->on && strcmp(arm->name, "off") && strcmp(arm->name, "0"))
		return fail(f, STATUS_USAGE, "--ab %s: %s must be on or off", known->name,
			    arm->name);
	return 0;
}

static int parse_arms(struct knob *k, const struct known *known, const char *settings,
		      enum lat_mode lat, struct fail *f)
{
	for (const char *at = settings; at; k->nr_arms++) {
		size_t len = strcspn(at, ":");
		struct knob_arm *arm = &k->arms[k->nr_arms];

		if (k->nr_arms == RESULT_MAX_ARMS)
			return fail(f, STATUS_USAGE, "--ab %s: at most %d settings",
				    known->name, RESULT_MAX_ARMS);
		if (!len || len >= sizeof(arm->name))
			return fail(f, STATUS_USAGE,
				    "--ab %s=%s: a setting is empty or too long",
				    known->name, settings);
		memcpy(arm->name, at, len);
		arm->pace.lat = lat;
		for (unsigned int i = 0; i < k->nr_arms; i++)
			if (!strcmp(k->arms[i].name, arm->name))
				return fail(f, STATUS_USAGE,
					    "--ab %s: %s stands there twice", known->name,
					    arm->name);
		if (parse_setting(known, arm, f))
			return -1;
		at = at[len] ? at + len + 1 : NULL;
	}
	if (k->nr_arms < 2)
		return fail(f, STATUS_USAGE,
			    "--ab %s: needs two settings or more, as in %s=%s",
			    known->name, known->name, known->settings);
	return 0;
}

/* What charges statistics to this path: passthrough has its own switch from 6.13 on. */
static const char *stats_attr(const struct session *s)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/%s/queue/iostats_passthrough",
		 s->devices[0].disk);
	return s->engine->passthrough && !access(path, F_OK) ? "iostats_passthrough"
							     : "iostats";
}

static int hold_queue(struct knob *k, struct attr *a, const char *disk, const char *attr,
		      struct fail *f)
{
	snprintf(a->path, sizeof(a->path), "/sys/block/%s/queue/%s", disk, attr);
	return attr_hold(a, k->name, &k->undo, f);
}

static int hold_disks(struct knob *k, const struct session *s, struct fail *f)
{
	if (!s->engine->touches_block || !s->devices[0].disk[0])
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: the %s engine on %s has no block-layer statistics "
			    "to switch",
			    k->name, s->engine->name, s->devices[0].path);
	k->attr = strcmp(k->name, "stats") ? k->name : stats_attr(s);
	k->disks = calloc(s->nr_devices, sizeof(*k->disks));
	if (!k->disks)
		return fail(f, STATUS_FAILED, "out of memory");
	for (unsigned int i = 0; i < s->nr_devices; i++) {
		const char *disk = s->devices[i].disk;
		struct knob_disk *d = &k->disks[k->nr_disks];
		bool known = false;

		/* Two partitions have one disk. */
		for (unsigned int n = 0; n < k->nr_disks; n++)
			known |= !strcmp(k->disks[n].disk, disk);
		if (known)
			continue;
		snprintf(d->disk, sizeof(d->disk), "%s", disk);
		if (strcmp(k->attr, "iostats") &&
		    hold_queue(k, &d->needs, disk, "iostats", f))
			return -1;
		if (hold_queue(k, &d->attr, disk, k->attr, f))
			return -1;
		k->nr_disks++;
	}
	return 0;
}

static int hold_ktime(struct knob *k, const struct session *s, struct fail *f)
{
	if (!s->engine->touches_block)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab ktime: the %s engine does not go through the block "
			    "layer, whose clock this is",
			    s->engine->name);
	return ktime_hold(&k->ktime, &k->undo, f);
}

int knob_open(struct knob *k, const char *text, const struct session *s, struct fail *f)
{
	size_t len = strcspn(text, "=");
	const struct known *known = find_known(text, len);
	struct fail ignored = {0};

	memset(k, 0, sizeof(*k));
	k->undo = -1;
	if (!known)
		return fail(f, STATUS_USAGE,
			    "--ab %.*s: no such knob; there are lat, iostats, stats, "
			    "ktime, delay, none",
			    (int)len, text);
	k->name = known->name;
	if (parse_arms(k, known, text[len] ? text + len + 1 : known->settings,
		       s->options->lat, f))
		return -1;
	if ((known->turns == TURNS_DISKS && hold_disks(k, s, f)) ||
	    (known->turns == TURNS_KERNEL && hold_ktime(k, s, f))) {
		(void)knob_close(k, &ignored);
		return -1;
	}
	return 0;
}

int knob_set(struct knob *k, const struct knob_arm *arm, struct fail *f)
{
	for (unsigned int i = 0; i < k->nr_disks; i++) {
		const struct knob_disk *d = &k->disks[i];

		if ((d->needs.fd && attr_switch(&d->needs, k->name, true, f)) ||
		    attr_switch(&d->attr, k->name, arm->on, f))
			return -1;
	}
	return k->ktime.fd ? attr_switch(&k->ktime, k->name, arm->on, f) : 0;
}

static long long accounted(const struct knob *k)
{
	long long sum = k->nr_disks ? 0 : -1;

	for (unsigned int i = 0; i < k->nr_disks; i++) {
		char path[128], line[256];
		long long reads = 0;

		snprintf(path, sizeof(path), "/sys/block/%s/stat", k->disks[i].disk);
		if (sysfs_read(line, sizeof(line), path) ||
		    sscanf(line, "%lld", &reads) != 1)
			return -1;
		sum += reads;
	}
	return sum;
}

struct knob_counts knob_counts(const struct knob *k)
{
	return (struct knob_counts){
		.accounted = accounted(k),
		.cached = k->ktime.fd ? ktime_cached() : -1,
	};
}

/* The least figure of the on arms and the most of the off arms; NAN if one is unknown. */
static void extremes(const struct knob *k, const double *figures, double *on, double *off)
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

static int verify_disks(const struct knob *k, const struct result *r, struct fail *f)
{
	double counted_on, counted_off, reads_on, reads_off;
	double counted[RESULT_MAX_ARMS], reads[RESULT_MAX_ARMS];

	for (unsigned int i = 0; i < k->nr_arms; i++) {
		counted[i] = r->arms[i].accounted_per_io;
		reads[i] = r->arms[i].clock_reads_per_io;
	}
	extremes(k, counted, &counted_on, &counted_off);
	extremes(k, reads, &reads_on, &reads_off);
	if (counted_off > 0.1)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: with %s off, /sys/block/%s/stat still counts %.2f "
			    "of each "
			    "read: another program reads the device, or the switch has "
			    "no effect",
			    k->name, k->attr, k->disks[0].disk, counted_off);
	if (counted_on > 0.9 || reads_on - reads_off > 0.5)
		return 0;
	if (isnan(reads_on))
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: with %s on, /sys/block/%s/stat counts %.2f of each "
			    "read, and "
			    "clock reads cannot be counted (%s): nothing shows that the "
			    "switch "
			    "reaches this path",
			    k->name, k->attr, k->disks[0].disk, counted_on,
			    r->clock_reads_why);
	return fail(f, STATUS_NOT_POSSIBLE,
		    "--ab %s: %s switches nothing on this path: on, /sys/block/%s/stat "
		    "counts "
		    "%.2f of each read, at %.2f clock reads against %.2f off; this "
		    "kernel charges "
		    "no statistics to it",
		    k->name, k->attr, k->disks[0].disk, counted_on, reads_on, reads_off);
}

int knob_verify(const struct knob *k, const struct result *r, struct fail *f)
{
	double cached[RESULT_MAX_ARMS], on, off;

	if (k->nr_disks)
		return verify_disks(k, r, f);
	if (!k->ktime.fd)
		return 0;
	for (unsigned int i = 0; i < k->nr_arms; i++)
		cached[i] = r->arms[i].cached_per_io;
	extremes(k, cached, &on, &off);
	return ktime_verify(on, off, f);
}

int knob_close(struct knob *k, struct fail *f)
{
	int ret = 0;

	if (k->undo >= 0 && k->name) {
		int err = undo_now(k->undo);

		if (err)
			ret = fail(f, STATUS_FAILED,
				   "--ab %s: putting back %s: %s; set it by hand",
				   k->name,
				   k->ktime.fd ? k->ktime.path : k->disks[0].attr.path,
				   strerror(-err));
	}
	free(k->disks);
	memset(k, 0, sizeof(*k));
	k->undo = -1;
	return ret;
}
