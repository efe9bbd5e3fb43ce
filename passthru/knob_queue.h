/* SPDX-License-Identifier: MIT */
/*
 * An attribute below /sys/block/DISK/queue, of every disk of the session at once
 */
#ifndef NGBENCH_KNOB_QUEUE_H
#define NGBENCH_KNOB_QUEUE_H

#include "knob_kind.h"

/*
 * knob_queue_hold() - take hold of @attr in the queue of every disk
 *
 * @needs: iostats must be on as well for it to do anything.
 * Errors:  those of attr_hold(); STATUS_NOT_POSSIBLE: a device has no such queue.
 * Returns: 0 or -1 with @f set; k->nr_disks disks are held then, for knob_close().
 */
int knob_queue_hold(struct knob *k, const struct session *s, const char *attr,
		    enum attr_form form, bool needs, struct fail *f);

/* knob_queue_set() and knob_queue_counts() - as in struct knob_kind. */
int knob_queue_set(const struct knob *k, const struct knob_arm *arm, struct fail *f);
struct knob_counts knob_queue_counts(const struct knob *k);

#endif
