/* SPDX-License-Identifier: MIT */
/*
 * One setting of the kernel, held by one run: switched, read back, put back
 */
#ifndef NGBENCH_ATTR_H
#define NGBENCH_ATTR_H

#include "fail.h"

/* How what was written reads back. */
enum attr_form {
	ATTR_FLAG, /* 0 or not 0: iostats_passthrough reads 4 for 1 in some releases */
	ATTR_TEXT, /* as written, or in brackets among others, as in queue/scheduler */
	ATTR_WBT,  /* as written; -1, which stands for the default, as what that is */
};

struct attr {
	char path[128];
	enum attr_form form;
	int fd; /* the undo's; 0: not held */
};

/*
 * attr_hold() - take hold of @a->path, for the knob named @knob
 *
 * The file is locked, so that a second run cannot turn it meanwhile, and what it
 * holds becomes an undo; nothing is switched yet. @undo: the number of the first
 * undo of the knob, set where it is below 0.
 * Errors:  STATUS_NOT_POSSIBLE: no such file, no permission, another run holds it,
 *          what it holds could not be put back;
 *          STATUS_FAILED: it cannot be read.
 * Context: the main thread.
 * Returns: 0 or -1 with @f set; then @a is not held.
 */
int attr_hold(struct attr *a, const char *knob, int *undo, struct fail *f);

/*
 * attr_switch() - write @value to a held attribute and read back that it took
 *
 * Errors:  STATUS_NOT_POSSIBLE: refused, or reads back as something else.
 */
int attr_switch(const struct attr *a, const char *knob, const char *value,
		struct fail *f);

#endif
