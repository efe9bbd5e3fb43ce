/* SPDX-License-Identifier: MIT */
#ifndef NGBENCH_STATS_H
#define NGBENCH_STATS_H

struct interval {
	double mean, low, high;
};

/*
 * stats_interval() - the mean of @n values and its two-sided 95 % interval
 *
 * Student's t with n - 1 degrees of freedom: right for independent values of
 * about normal spread. With fewer than two values the interval is infinite.
 */
struct interval stats_interval(const double *values, unsigned int n);

#endif
