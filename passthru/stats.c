// SPDX-License-Identifier: MIT
#include "stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

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
