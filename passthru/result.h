/* SPDX-License-Identifier: MIT */
/*
 * What was measured, for the reports
 */
#ifndef NGBENCH_RESULT_H
#define NGBENCH_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"

#define RESULT_MAX_ARMS 8
#define RESULT_KNOB_LEN 64

struct arm_result {
	char name[32];
	double iops_mean;          /* over all measured time */
	double iops_max;           /* of a second, or of a slice */
	double ns_per_io;          /* per thread */
	uint64_t ios;              /* in the measured time */
	uint64_t time_ns;          /* measured */
	uint64_t errors;           /* bad completions */
	char first_error[256];     /* what the first of them was */
	double clock_reads_per_io; /* NAN: see clock_reads_why */
	double accounted_per_io;   /* of /sys/block/X/stat; NAN: not looked at */
	double own_reads_per_io;   /* clock reads of ngbench itself, for its stamps */
	double cached_per_io;      /* stamps of --ab ktime; NAN: not looked at */
	double spread_percent;     /* standard deviation of the rounds over their mean */
	double *rounds;            /* IOPS of each round; NULL for a plain run */
	double *seconds;           /* IOPS of each whole second; NULL for an A/B run */
	unsigned int nr_seconds;
	struct histogram *latency; /* NULL: not kept */
};

/* A change in per cent, and its 95 % interval. */
struct change {
	double percent, ci95_percent[2];
};

#define RESULT_MAX_OUTLIERS 16

/* Arm b against arm a, paired by round. */
struct comparison {
	unsigned int a, b; /* numbers of the arms */
	double diff_percent, ci95_percent[2];
	double diff_ns_per_io, ci95_ns[2];
	double reads_gap;    /* clock reads per I/O that b makes more; NAN: not known */
	double explained_ns; /* what these take, per I/O; NAN: not known */
	double rest_ns, rest_ci95_ns[2]; /* the difference less that, paired by round */
	struct change drift;      /* of b over a, from the first round to the last */
	unsigned int nr_outliers; /* rounds that stand apart, counted in all the same */
	unsigned int outliers[RESULT_MAX_OUTLIERS]; /* the first of them, from 0 */
};

struct result {
	bool valid;
	bool complete;                       /* false: a signal ended it early */
	char why[512];                       /* not valid: the reason */
	char knob[RESULT_KNOB_LEN];          /* "" for a plain run */
	double started_unix_s, ended_unix_s; /* of the wall clock; 0: not known */
	unsigned int nr_arms, nr_rounds;
	struct arm_result arms[RESULT_MAX_ARMS];
	double clock_read_ns; /* what clock_gettime() took, mean of the rounds */
	double *clock_rounds; /* and in each; NULL: not looked at */
	double warmup_s;
	bool steady;         /* the pace was, when the warm-up ended */
	struct change drift; /* of all arms' pace, from the first round to the last */
	unsigned int nr_comparisons;
	struct comparison comparisons[RESULT_MAX_ARMS];
	char clock_reads_why[160]; /* why clock reads are not known, "" if they are */
};

/* result_init() - no arms; result_add_arm() - one more, zeroed, its NULLs filled in. */
void result_init(struct result *r);

/* Returns the arm, or NULL when out of memory. @latency: keep a histogram. */
struct arm_result *result_add_arm(struct result *r, const char *name, bool latency,
				  unsigned int rounds);

/* result_add_second() - one more whole second. Returns 0, or -1 when out of memory. */
int result_add_second(struct arm_result *arm, double iops);

void result_done(struct result *r);

#endif
