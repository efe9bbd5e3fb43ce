/* SPDX-License-Identifier: MIT */
/*
 * One on-off setting of the kernel, held by one run: switched, read back, put back
 */
#ifndef NGBENCH_ATTR_H
#define NGBENCH_ATTR_H

#include <stdbool.h>

#include "fail.h"

struct attr {
	char path[128];
	int fd; /* the undo's; 0: not held */
};

/*
 * attr_hold() - take hold of @a->path, for the knob named @knob
 *
 * The file is locked, so that a second run cannot turn it meanwhile, and what it
 * holds becomes an undo; nothing is switched yet. @undo: the number of the first
 * undo of the knob, set where it is below 0.
 * Errors:  STATUS_NOT_POSSIBLE: no such file, no permission, another run holds it;
 *          STATUS_FAILED: it cannot be read.
 * Context: the main thread.
 * Returns: 0 or -1 with @f set; then @a is not held.
 */
int attr_hold(struct attr *a, const char *knob, int *undo, struct fail *f);

/*
 * attr_switch() - write 1 or 0 to a held attribute and read back that it took
 *
 * Errors:  STATUS_NOT_POSSIBLE: refused, or reads back as something else.
 */
int attr_switch(const struct attr *a, const char *knob, bool on, struct fail *f);

#endif
