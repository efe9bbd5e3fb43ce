/* SPDX-License-Identifier: MIT */
/* median.h - medians and their 95 % intervals, from order statistics */
#ifndef BENCH_MEDIAN_H
#define BENCH_MEDIAN_H

#include <stdlib.h>
#include <string.h>

#define MAX_PASSES 2000

struct middle {
	double median, low, high, min, max;
};

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* middle_of() - of @n values, 1 to MAX_PASSES of them. Context: one thread. */
static inline struct middle middle_of(const double *values, unsigned int n)
{
	static double sorted[MAX_PASSES];
	/* Half the interval in ranks: 1.96 * sqrt(n) / 2, and integers will do. */
	unsigned int half = 0;
	struct middle m;

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	while ((half + 1) * (half + 1) <= n)
		half++;
	half = half < (n - 1) / 2 ? half + 1 : (n - 1) / 2;
	m.median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	m.low = sorted[(n - 1) / 2 - half];
	m.high = sorted[n / 2 + half];
	m.min = sorted[0];
	m.max = sorted[n - 1];
	return m;
}

#endif
