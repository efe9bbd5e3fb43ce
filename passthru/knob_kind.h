/* SPDX-License-Identifier: MIT */
/*
 * The kinds of knobs behind knob.h, a table of functions each
 */
#ifndef NGBENCH_KNOB_KIND_H
#define NGBENCH_KNOB_KIND_H

#include "knob.h"

struct knob_kind {
	/* Take arm->name as a setting; arm->pace is the session's until then. */
	int (*parse)(const struct knob *k, struct knob_arm *arm, const struct session *s,
		     struct fail *f);
	/* Can it be turned here? Take hold of what is switched. NULL: always can. */
	int (*hold)(struct knob *k, const struct session *s, struct fail *f);
	/* NULL for each of these: nothing outside this program is switched. */
	int (*set)(const struct knob *k, const struct knob_arm *arm, struct fail *f);
	struct knob_counts (*counts)(const struct knob *k);
	int (*verify)(const struct knob *k, const struct result *r, struct fail *f);
};

/* Of this program's own pace. */
extern const struct knob_kind knob_lat, knob_delay, knob_none;
/* Attributes below /sys/block/DISK/queue; knob_sysfs takes its from the knob's name. */
extern const struct knob_kind knob_iostats, knob_stats, knob_iostats_passthrough,
	knob_wbt, knob_sysfs;
/* A switch of the kernel, one for all devices. */
extern const struct knob_kind knob_ktime;
/* The shape of the ring: arms have options of their own. */
extern const struct knob_kind knob_poll, knob_batch, knob_depth, knob_fixedbufs;

/* knob_parse_switch() - arm->on from off, on, 0 or 1. */
int knob_parse_switch(const struct knob *k, struct knob_arm *arm, const struct session *s,
		      struct fail *f);

/*
 * knob_extremes() - what is to be told apart of the arms that are on and off
 *
 * @figures: one per arm. @on is the least of those that are on, @off the most of
 * the others; both NAN if one figure is.
 */
void knob_extremes(const struct knob *k, const double *figures, double *on, double *off);

#endif
