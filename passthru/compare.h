/* SPDX-License-Identifier: MIT */
/*
 * How one result differs from an earlier one of the same settings
 */
#ifndef NGBENCH_COMPARE_H
#define NGBENCH_COMPARE_H

#include "fail.h"
#include "result.h"

/* B against A, in per cent of A, with the 95 % interval. */
struct compared {
	const char *arm;
	bool of_gap; /* of arm b's ratio to the first arm, not of its IOPS */
	double percent, low, high;
	double a, b; /* what changed: IOPS, or the gap in per cent */
};

/* One per arm, and one per arm but the first. */
#define COMPARE_MAX_CHANGES (2 * RESULT_MAX_ARMS - 1)

/*
 * compare_results() - each arm against the same arm, and each gap against the same gap
 *
 * The arms of @a and @b are the same ones. Samples are the rounds, or the
 * seconds of a plain run; the two runs' are not paired, and the interval is
 * Welch's of their logarithms, so that B against A mirrors A against B. A gap
 * is an arm's ratio to the first arm round by round: what the setting costs.
 * Errors:  STATUS_NOT_POSSIBLE: a plain run of fewer than two whole seconds.
 *          STATUS_FAILED: a second without an I/O; out of memory.
 * Returns: the number of changes, or -1 with @f set.
 */
int compare_results(const struct result *a, const struct result *b,
		    struct compared changes[COMPARE_MAX_CHANGES], struct fail *f);

/*
 * compare_worst() - the change that is a regression beyond @limit_percent, the
 * worst by its interval; NULL where there is none
 *
 * A regression is one whose whole interval is below -@limit_percent. A gap that
 * grew is none where the arm itself got faster: then only the first gained more.
 */
const struct compared *compare_worst(const struct compared *changes, unsigned int n,
				     double limit_percent);

#endif
