/* SPDX-License-Identifier: MIT */
/*
 * What an A/B run turns: the settings of its arms, applied, verified, put back
 */
#ifndef NGBENCH_KNOB_H
#define NGBENCH_KNOB_H

#include <stdbool.h>

#include "attr.h"
#include "fail.h"
#include "options.h"
#include "result.h"
#include "session.h"
#include "worker.h"

struct knob_arm {
	char name[32]; /* the setting as it was given */
	struct pace pace;
	bool on;                 /* of knobs that are off and on */
	char value[32];          /* of queue attributes: what is written there */
	struct options *options; /* of the ring's shape: the arm's own; else NULL */
};

/* A disk whose queue attribute is switched. */
struct knob_disk {
	char disk[64];
	struct attr attr;
	struct attr needs; /* iostats, where the attribute is nothing without it */
};

struct knob {
	char name[RESULT_KNOB_LEN];
	const struct knob_kind *kind;
	unsigned int nr_arms;
	struct knob_arm arms[RESULT_MAX_ARMS];
	bool passthrough; /* the session's engine */
	const char *attr; /* queue attribute that is switched; NULL: none */
	unsigned int nr_disks;
	struct knob_disk *disks;
	struct attr ktime; /* the kernel's own, one for all devices */
	int undo;          /* of the first change, -1: nothing was changed */
};

/*
 * knob_open() - parse KNOB[=A:B[:C...]] and take hold of what it switches
 *
 * Nothing is switched yet. A device's attribute is locked, so that a second
 * run cannot turn it meanwhile, and what it holds is remembered as an undo.
 * Errors:  STATUS_USAGE: unknown knob, setting, fewer than 2 or more than 8 arms;
 *          STATUS_NOT_POSSIBLE: the engine or device has no such setting, no
 *          permission, another run holds it.
 * Context: the main thread.
 * Returns: 0 or -1 with @f set; then nothing is held.
 */
int knob_open(struct knob *k, const char *text, const struct session *s, struct fail *f);

/*
 * knob_set() - switch to an arm and read back that it took
 *
 * An arm with options of its own is switched by running it on a crew of its own.
 * Errors:  STATUS_NOT_POSSIBLE: refused, or reads back as something else.
 */
int knob_set(struct knob *k, const struct knob_arm *arm, struct fail *f);

/* What the kernel has counted since boot, over all devices; -1: not for this knob. */
struct knob_counts {
	long long accounted; /* reads, by /sys/block/X/stat */
	long long cached;    /* stamps, as ktime_cached() */
};

struct knob_counts knob_counts(const struct knob *k);

/*
 * knob_verify() - did the switch reach this I/O?
 *
 * Looks at what each arm of @r did. Statistics: accounted_per_io, the reads that
 * /sys/block/X/stat counted per read done, is about 1 with them on and 0 with them
 * off; before 6.8 passthrough is charged the clock reads without being counted
 * there, so that a gap in clock_reads_per_io is as good. For ktime cached_per_io is
 * looked at, see ktime_verify().
 * Errors:  STATUS_NOT_POSSIBLE, with what was seen.
 */
int knob_verify(const struct knob *k, const struct result *r, struct fail *f);

/* knob_close() - put back what was found and let go; takes a zeroed struct. */
int knob_close(struct knob *k, struct fail *f);

#endif
