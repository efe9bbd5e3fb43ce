// SPDX-License-Identifier: MIT
#include "histogram.h"

#include <math.h>

const double histogram_percentiles[HISTOGRAM_PERCENTILES] = {
	1.0,  5.0,  10.0, 20.0, 30.0, 40.0, 50.0,  60.0,  70.0,
	80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99,
};

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	into->count += from->count;
	into->sum_ns += from->sum_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	for (unsigned int i = 0; i < HISTOGRAM_SIZE; i++)
		into->steps[i] += from->steps[i];
}

uint64_t histogram_step_ns(unsigned int i)
{
	unsigned int shift;

	if (i < 2 * HISTOGRAM_STEPS)
		return i;
	shift = (i >> HISTOGRAM_STEP_BITS) - 1;
	return ((uint64_t)(i - (shift << HISTOGRAM_STEP_BITS)) << shift) +
	       (1ull << shift) / 2;
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
	uint64_t need = (uint64_t)ceil((double)h->count * percent / 100.0);
	uint64_t seen = 0;

	for (unsigned int i = 0; h->count && i < HISTOGRAM_SIZE; i++) {
		seen += h->steps[i];
		if (seen >= need && h->steps[i])
			return i == HISTOGRAM_SIZE - 1 || histogram_step_ns(i) > h->max_ns
				       ? h->max_ns
				       : histogram_step_ns(i);
	}
	return h->max_ns;
}

double histogram_mean(const struct histogram *h)
{
	return h->count ? (double)h->sum_ns / (double)h->count : 0;
}
