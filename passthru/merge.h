/* SPDX-License-Identifier: MIT */
/*
 * The results of many hosts as one
 */
#ifndef NGBENCH_MERGE_H
#define NGBENCH_MERGE_H

#include "fail.h"
#include "result.h"
#include "saved.h"

struct json_object;

/* How long the hosts measured at the same time, of all the time that one did. */
struct together {
	double together_s, all_s; /* both 0 where the files do not say */
};

/*
 * merge_check() - refuse files that cannot be added up
 *
 * Errors:  STATUS_USAGE: one run twice, an already merged file.
 *          STATUS_NOT_POSSIBLE: other settings, see comparable(), or another
 *          number of rounds.
 * Returns: 0 or -1 with @f set.
 */
int merge_check(const struct saved *list, unsigned int n, struct fail *f);

/* merge_lacks_latency() - the first file without latencies of arm @arm; NULL: none. */
const char *merge_lacks_latency(const struct saved *list, unsigned int n,
				unsigned int arm);

/*
 * merge_results() - add up IOPS arm by arm, round by round and second by second
 *
 * What the kernel counted per I/O is averaged over the I/Os. Latencies are those of
 * all I/Os, where every file has them. Comparisons are made anew, of the summed rounds.
 * @into:   initialised; the caller's to end with result_done().
 * Errors:  STATUS_FAILED: out of memory.
 * Returns: 0 or -1 with @f set.
 */
int merge_results(struct result *into, const struct saved *list, unsigned int n,
		  struct fail *f);

struct together merge_together(const struct saved *list, unsigned int n);

/* merge_json() - the form of 'run --json', and 'hosts'. The caller's to put. */
struct json_object *merge_json(const struct result *merged, const struct saved *list,
			       unsigned int n);

#endif
