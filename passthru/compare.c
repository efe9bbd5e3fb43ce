// SPDX-License-Identifier: MIT
#include "compare.h"

#include <math.h>
#include <stdlib.h>

#include "stats.h"

/* Logarithms of an arm's samples, or of its ratio to @base where that is not NULL. */
struct samples {
	double *logs;
	unsigned int n;
};

static int samples_take(struct samples *s, const struct result *r, unsigned int arm,
			bool gap, struct fail *f)
{
	const struct arm_result *of = &r->arms[arm];
	const double *values = r->knob[0] ? of->rounds : of->seconds;

	s->n = r->knob[0] ? r->nr_rounds : of->nr_seconds;
	s->logs = calloc(s->n ? s->n : 1, sizeof(*s->logs));
	if (!s->logs)
		return fail(f, STATUS_FAILED, "out of memory");
	for (unsigned int i = 0; i < s->n; i++) {
		if (values[i] <= 0)
			return fail(f, STATUS_FAILED,
				    "compare: second %u of a run is without an I/O: its "
				    "device stalled, and such a mean has no interval",
				    i + 1);
		s->logs[i] = log(gap ? values[i] / r->arms[0].rounds[i] : values[i]);
	}
	if (s->n < 2)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "compare: a plain run of fewer than two whole seconds has no "
			    "interval; run both with -r 10 or more");
	return 0;
}

static double gap_percent(const struct result *r, unsigned int arm)
{
	double logs = 0;

	for (unsigned int i = 0; i < r->nr_rounds; i++)
		logs += log(r->arms[arm].rounds[i] / r->arms[0].rounds[i]) / r->nr_rounds;
	return 100 * expm1(logs);
}

static int change_of(const struct result *a, const struct result *b, unsigned int arm,
		     bool gap, struct compared *c, struct fail *f)
{
	struct samples sa = {0}, sb = {0};
	struct interval i;
	int ret = -1;

	if (samples_take(&sa, a, arm, gap, f) || samples_take(&sb, b, arm, gap, f))
		goto free;
	i = stats_welch(sa.logs, sa.n, sb.logs, sb.n);
	*c = (struct compared){
		.arm = b->arms[arm].name,
		.of_gap = gap,
		.percent = 100 * expm1(i.mean),
		.low = 100 * expm1(i.low),
		.high = 100 * expm1(i.high),
		.a = gap ? gap_percent(a, arm) : a->arms[arm].iops_mean,
		.b = gap ? gap_percent(b, arm) : b->arms[arm].iops_mean,
	};
	ret = 0;
free:
	free(sb.logs);
	free(sa.logs);
	return ret;
}

int compare_results(const struct result *a, const struct result *b,
		    struct compared changes[COMPARE_MAX_CHANGES], struct fail *f)
{
	int n = 0;

	for (unsigned int i = 0; i < a->nr_arms; i++)
		if (change_of(a, b, i, false, &changes[n++], f))
			return -1;
	for (unsigned int i = 1; i < a->nr_arms; i++)
		if (change_of(a, b, i, true, &changes[n++], f))
			return -1;
	return n;
}

/* Did the arm of a gap get faster by itself? */
static bool arm_gained(const struct compared *changes, unsigned int n,
		       const struct compared *gap)
{
	/* Arms come first, then the gaps of all but the first arm, in the same order. */
	const struct compared *arm = gap - (n - 1) / 2;

	return arm >= changes && arm->low > 0;
}

const struct compared *compare_worst(const struct compared *changes, unsigned int n,
				     double limit_percent)
{
	const struct compared *worst = NULL;

	for (const struct compared *c = changes; c < changes + n; c++) {
		if (c->high >= -limit_percent || (c->of_gap && arm_gained(changes, n, c)))
			continue;
		if (!worst || c->high < worst->high)
			worst = c;
	}
	return worst;
}
