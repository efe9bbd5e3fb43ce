/* SPDX-License-Identifier: MIT */
#ifndef NGBENCH_STATS_H
#define NGBENCH_STATS_H

#include <stdbool.h>

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

/* stats_spread() - the standard deviation of @n values over their mean; 0 for one. */
double stats_spread(const double *values, unsigned int n);

/*
 * stats_drift() - how far a straight line through @n values goes from first to last
 *
 * With its 95 % interval (least squares, Student's t with n - 2 degrees of
 * freedom), which is infinite for fewer than three values.
 */
struct interval stats_drift(const double *values, unsigned int n);

/*
 * stats_stands_apart() - is value @i an outlier among the @n?
 *
 * Further from the median than 3.5 standard deviations, which are taken from the
 * median of the distances, so that an outlier does not hide itself or another
 * (Iglewicz and Hoaglin 1993). Logarithms of ratios: what is within 0.1 % of
 * the median never is one.
 */
bool stats_stands_apart(const double *values, unsigned int n, unsigned int i);

/*
 * stats_steady() - has a pace come to rest?
 *
 * @last holds the last STATS_STEADY_VALUES of @n values, value k at k modulo
 * that. They have unless they climb or fall all along, by more than 0.5 %.
 */
#define STATS_STEADY_VALUES 3
bool stats_steady(const double *last, unsigned int n);

/*
 * stats_welch() - the mean of @b less that of @a, unpaired, and its 95 % interval
 *
 * Welch's: the two may differ in number and in spread. With fewer than two
 * values in either the interval is infinite.
 */
struct interval stats_welch(const double *a, unsigned int na, const double *b,
			    unsigned int nb);

#endif
