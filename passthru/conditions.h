/* SPDX-License-Identifier: MIT */
/*
 * Under what conditions a figure was got: asked for, and in force
 */
#ifndef NGBENCH_CONDITIONS_H
#define NGBENCH_CONDITIONS_H

#include "crew.h"
#include "session.h"

#define CONDITIONS_MAX 64

struct condition {
	char name[48];
	char asked[48];     /* "" where nobody can ask */
	char effective[96]; /* "unknown" where it cannot be read */
};

struct conditions {
	unsigned int n;
	struct condition list[CONDITIONS_MAX];
};

/*
 * conditions_collect() - look at the machine, the devices and the rings
 *
 * Read before any knob is switched. Attributes of several devices are named
 * after their disks.
 */
void conditions_collect(struct conditions *cs, const struct session *s,
			const struct crew *c);

#endif
