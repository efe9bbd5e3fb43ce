/* SPDX-License-Identifier: MIT */
/*
 * Were two results got by the same settings?
 */
#ifndef NGBENCH_COMPARABLE_H
#define NGBENCH_COMPARABLE_H

#include <stdio.h>

#include "fail.h"
#include "saved.h"

/*
 * comparable() - refuse results whose figures do not belong side by side
 *
 * The same are to be: the knob and its arms, the options (but not how long it
 * ran), the engine, polling, and how many hosts were merged.
 * Errors:  STATUS_NOT_POSSIBLE, with all that differs.
 * Returns: 0 or -1 with @f set.
 */
int comparable(const struct saved *a, const struct saved *b, struct fail *f);

/*
 * comparable_notes() - a line for each condition that differs, such as the kernel
 *
 * These may well be what is compared. Returns the number of lines.
 */
unsigned int comparable_notes(FILE *out, const struct saved *a, const struct saved *b);

#endif
