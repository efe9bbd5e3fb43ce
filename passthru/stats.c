// SPDX-License-Identifier: MIT
#include "stats.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define APART     3.5
#define APART_MIN 0.001
#define STEADY    0.005

struct interval stats_interval(const double *values, unsigned int n)
{
	double mean = 0, squares = 0, half = INFINITY;

	for (unsigned int i = 0; i < n; i++)
		mean += values[i] / n;
	for (unsigned int i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	if (n > 1)
		half = gsl_cdf_tdist_Pinv(0.975, n - 1) * sqrt(squares / (n - 1) / n);
	return (struct interval){mean, mean - half, mean + half};
}

double stats_spread(const double *values, unsigned int n)
{
	return n > 1 ? gsl_stats_sd(values, 1, n) / gsl_stats_mean(values, 1, n) : 0;
}

struct interval stats_drift(const double *values, unsigned int n)
{
	double at, slope, cov00, cov01, cov11, squares, change, half;
	double *x;

	if (n < 3)
		return (struct interval){0, -INFINITY, INFINITY};
	x = malloc(n * sizeof(*x));
	if (!x)
		return (struct interval){NAN, NAN, NAN};
	for (unsigned int i = 0; i < n; i++)
		x[i] = i;
	gsl_fit_linear(x, 1, values, 1, n, &at, &slope, &cov00, &cov01, &cov11, &squares);
	free(x);
	change = slope * (n - 1);
	half = gsl_cdf_tdist_Pinv(0.975, n - 2) * sqrt(cov11) * (n - 1);
	return (struct interval){change, change - half, change + half};
}

bool stats_stands_apart(const double *values, unsigned int n, unsigned int i)
{
	double *work = malloc(n * sizeof(*work));
	double median, distance, sd;

	if (!work)
		return false;
	memcpy(work, values, n * sizeof(*work));
	gsl_sort(work, 1, n);
	median = gsl_stats_median_from_sorted_data(work, 1, n);
	for (unsigned int k = 0; k < n; k++)
		work[k] = fabs(values[k] - median);
	gsl_sort(work, 1, n);
	/* 1.4826: what makes it the standard deviation of normal values. */
	sd = 1.4826 * gsl_stats_median_from_sorted_data(work, 1, n);
	distance = fabs(values[i] - median);
	free(work);
	return distance > APART * sd && distance > APART_MIN;
}

bool stats_steady(const double *last, unsigned int n)
{
	double a = last[n % STATS_STEADY_VALUES];
	double b = last[(n + 1) % STATS_STEADY_VALUES];
	double c = last[(n + 2) % STATS_STEADY_VALUES];

	return (b - a) * (c - b) <= 0 || fabs(c / a - 1) <= STEADY;
}

struct interval stats_welch(const double *a, unsigned int na, const double *b,
			    unsigned int nb)
{
	double diff = gsl_stats_mean(b, 1, nb) - gsl_stats_mean(a, 1, na);
	double half = INFINITY;

	if (na > 1 && nb > 1) {
		double va = gsl_stats_variance(a, 1, na) / na;
		double vb = gsl_stats_variance(b, 1, nb) / nb;
		/* Welch and Satterthwaite's degrees of freedom; without any spread no matter. */
		double df =
			(va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));

		half = va + vb > 0 ? gsl_cdf_tdist_Pinv(0.975, df) * sqrt(va + vb) : 0;
	}
	return (struct interval){diff, diff - half, diff + half};
}
