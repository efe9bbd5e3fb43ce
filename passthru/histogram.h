/* SPDX-License-Identifier: MIT */
/*
 * Latency histogram: 64 equal steps per power of two
 *
 * A value is reported as the middle of its step, at most 0.8 % from the truth;
 * below 64 ns it is exact. One writer; merge after it is done.
 */
#ifndef NGBENCH_HISTOGRAM_H
#define NGBENCH_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_STEP_BITS 6
#define HISTOGRAM_STEPS     (1u << HISTOGRAM_STEP_BITS)
/* Values from 2^40 ns (18 minutes) on share the last step; max_ns stays exact. */
#define HISTOGRAM_MAX_BITS 40
#define HISTOGRAM_SIZE     ((HISTOGRAM_MAX_BITS - HISTOGRAM_STEP_BITS + 1) * HISTOGRAM_STEPS)

struct histogram {
	uint64_t count;
	uint64_t sum_ns;
	uint64_t max_ns;
	uint64_t steps[HISTOGRAM_SIZE];
};

/* Where a value is counted. */
static inline unsigned int histogram_index(uint64_t ns)
{
	unsigned int shift;

	if (ns < HISTOGRAM_STEPS)
		return (unsigned int)ns;
	shift = 63u - (unsigned int)__builtin_clzll(ns) - HISTOGRAM_STEP_BITS;
	if (shift > HISTOGRAM_MAX_BITS - HISTOGRAM_STEP_BITS - 1)
		return HISTOGRAM_SIZE - 1;
	return (shift << HISTOGRAM_STEP_BITS) + (unsigned int)(ns >> shift);
}

/* histogram_step_ns() - the middle of step @i; histogram_index() leads back to @i. */
uint64_t histogram_step_ns(unsigned int i);

/* histogram_add() - count @times I/Os of @ns each. */
static inline void histogram_add(struct histogram *h, uint64_t ns, uint64_t times)
{
	h->count += times;
	h->sum_ns += ns * times;
	if (ns > h->max_ns)
		h->max_ns = ns;
	h->steps[histogram_index(ns)] += times;
}

/* histogram_merge() - add all of @from to @into. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/*
 * histogram_percentile() - the value in ns that @percent of the I/Os do not exceed
 *
 * @percent: above 0, at most 100. Returns 0 for an empty histogram.
 */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/* histogram_mean() - the exact mean in ns; 0 for an empty histogram. */
double histogram_mean(const struct histogram *h);

/* The percentiles that t/io_uring prints, in its order. */
#define HISTOGRAM_PERCENTILES 17
extern const double histogram_percentiles[HISTOGRAM_PERCENTILES];

#endif
