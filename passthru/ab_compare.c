// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "ab.h"
#include "stats.h"

static struct change change_of(struct interval i)
{
	return (struct change){100 * expm1(i.mean),
			       {100 * expm1(i.low), 100 * expm1(i.high)}};
}

/* Rounds in which the two arms' ratio stands apart from the others. */
static void note_outliers(struct comparison *cmp, const double *ratio, unsigned int n)
{
	cmp->nr_outliers = 0;
	for (unsigned int i = 0; i < n; i++)
		if (stats_stands_apart(ratio, n, i)) {
			if (cmp->nr_outliers < RESULT_MAX_OUTLIERS)
				cmp->outliers[cmp->nr_outliers] = i;
			cmp->nr_outliers++;
		}
}

/* Clock reads per I/O of @b less those of @a. */
static double reads_gap(const struct arm_result *a, const struct arm_result *b,
			bool touches_block)
{
	double own = b->own_reads_per_io - a->own_reads_per_io;

	return touches_block ? own + b->clock_reads_per_io - a->clock_reads_per_io : own;
}

/* Takes what the clock reads took out of the differences @ns. */
static void explain(const struct result *r, struct comparison *cmp, double *ns)
{
	struct interval rest;

	for (unsigned int i = 0; i < r->nr_rounds; i++)
		ns[i] -= cmp->reads_gap * (r->clock_rounds ? r->clock_rounds[i] : NAN);
	rest = stats_interval(ns, r->nr_rounds);
	cmp->rest_ns = rest.mean;
	cmp->rest_ci95_ns[0] = rest.low;
	cmp->rest_ci95_ns[1] = rest.high;
}

static void compare(struct result *r, unsigned int b, unsigned int workers,
		    bool touches_block, double *ratio, double *ns)
{
	struct comparison *cmp = &r->comparisons[r->nr_comparisons++];
	const double *base = r->arms[0].rounds, *with = r->arms[b].rounds;
	struct change percent;
	struct interval n;

	for (unsigned int i = 0; i < r->nr_rounds; i++) {
		ratio[i] = log(with[i] / base[i]);
		ns[i] = workers * 1e9 * (1 / with[i] - 1 / base[i]);
	}
	percent = change_of(stats_interval(ratio, r->nr_rounds));
	n = stats_interval(ns, r->nr_rounds);
	*cmp = (struct comparison){
		.a = 0,
		.b = b,
		.diff_percent = percent.percent,
		.ci95_percent = {percent.ci95_percent[0], percent.ci95_percent[1]},
		.diff_ns_per_io = n.mean,
		.ci95_ns = {n.low, n.high},
		.drift = change_of(stats_drift(ratio, r->nr_rounds)),
	};
	note_outliers(cmp, ratio, r->nr_rounds);
	cmp->reads_gap = reads_gap(&r->arms[0], &r->arms[b], touches_block);
	cmp->explained_ns = cmp->reads_gap * r->clock_read_ns;
	explain(r, cmp, ns);
}

/* How the pace of all arms together went from the first round to the last. */
static struct change common_drift(const struct result *r, double *pace)
{
	for (unsigned int i = 0; i < r->nr_rounds; i++) {
		pace[i] = 0;
		for (unsigned int a = 0; a < r->nr_arms; a++)
			pace[i] += log(r->arms[a].rounds[i]) / r->nr_arms;
	}
	return change_of(stats_drift(pace, r->nr_rounds));
}

int ab_compare(struct result *r, unsigned int workers, bool touches_block, struct fail *f)
{
	double *ratio = calloc(r->nr_rounds, sizeof(*ratio));
	double *ns = calloc(r->nr_rounds, sizeof(*ns));
	int ret = 0;

	if (!ratio || !ns) {
		ret = fail(f, STATUS_FAILED, "out of memory");
		goto out;
	}
	r->clock_read_ns = r->clock_rounds
				   ? stats_interval(r->clock_rounds, r->nr_rounds).mean
				   : NAN;
	for (unsigned int a = 0; a < r->nr_arms; a++)
		r->arms[a].spread_percent =
			100 * stats_spread(r->arms[a].rounds, r->nr_rounds);
	for (unsigned int b = 1; b < r->nr_arms; b++)
		compare(r, b, workers, touches_block, ratio, ns);
	r->drift = common_drift(r, ratio);
out:
	free(ns);
	free(ratio);
	return ret;
}
