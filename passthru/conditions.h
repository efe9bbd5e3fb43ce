/* SPDX-License-Identifier: MIT */
/*
 * Under what conditions a figure was got: asked for, and in force
 */
#ifndef NGBENCH_CONDITIONS_H
#define NGBENCH_CONDITIONS_H

#include "condition.h"
#include "crew.h"
#include "session.h"

/*
 * conditions_collect() - look at the machine, the rings and the devices
 *
 * Read before any knob is switched. Where there are several devices, names begin with
 * the device's path, or with its disk's name for what the disk has.
 * @c: NULL where no ring could be had; what the kernel grants is then left out.
 * @cs: empty; conditions_done() frees it.
 */
void conditions_collect(struct conditions *cs, const struct session *s,
			const struct crew *c);

/* Its parts. */
void conditions_add_machine(struct conditions *cs, const struct session *s);
void conditions_add_cpus(struct conditions *cs, const struct session *s,
			 const struct crew *c);
void conditions_add_devices(struct conditions *cs, const struct session *s);

#endif
