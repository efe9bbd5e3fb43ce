// SPDX-License-Identifier: MIT
#include "ab.h"

#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "clockreads.h"
#include "pause.h"
#include "stats.h"

#define DEFAULT_RUNTIME_S 10
#define MIN_SLICE_NS      (10 * 1000000ull)
#define MIN_WARMUP_NS     (100 * 1000000ull)

/* What the kernel counted per I/O in a slice; NAN where the knob has no such count. */
struct effect {
	double accounted, cached;
};

static double per_io(long long before, long long after, uint64_t ios)
{
	return before >= 0 && after >= 0 && ios ? (double)(after - before) / (double)ios
						: NAN;
}

static int run_slice(struct crew *c, struct knob *k, unsigned int i, uint64_t ns,
		     struct slice *slice, struct histogram *latency,
		     struct effect *effect, enum pause_end *end, struct fail *f)
{
	struct knob_counts before, after;

	if (knob_set(k, &k->arms[i], f))
		return -1;
	before = knob_counts(k);
	crew_begin(c, &k->arms[i].pace);
	*end = pause_until(c, clock_ns() + ns);
	if (crew_end(c, slice, latency, f))
		return -1;
	after = knob_counts(k);
	effect->accounted = per_io(before.accounted, after.accounted, slice->all_ios);
	effect->cached = per_io(before.cached, after.cached, slice->all_ios);
	return 0;
}

/* Each arm once, unmeasured, and its clock reads; then: is there a difference to measure?
 */
static int warm_up(const struct session *s, struct crew *c, struct knob *k,
		   uint64_t slice_ns, struct result *r, struct fail *f)
{
	uint64_t ns = slice_ns > MIN_WARMUP_NS ? slice_ns : MIN_WARMUP_NS;
	struct slice slice;
	enum pause_end end;

	for (unsigned int i = 0; i < k->nr_arms; i++) {
		struct arm_result *arm = &r->arms[i];
		struct effect effect;

		if (run_slice(c, k, i, ns, &slice, NULL, &effect, &end, f))
			return -1;
		arm->accounted_per_io = effect.accounted;
		arm->cached_per_io = effect.cached;
		clockreads_pass(s, c, &k->arms[i].pace, arm, r->clock_reads_why,
				sizeof(r->clock_reads_why));
		if (pause_signal())
			return fail(f, STATUS_FAILED,
				    "stopped by a signal during the warm-up");
	}
	return knob_verify(k, r, f);
}

/* Sums of one arm, over the slices of whole rounds. */
struct sums {
	double iops_seconds;
	struct effect effect;
	unsigned int slices;
};

static int run_round(struct crew *c, struct knob *k, uint64_t slice_ns,
		     unsigned int round, struct result *r, struct sums *sums,
		     enum pause_end *end, struct fail *f)
{
	struct slice slices[2 * RESULT_MAX_ARMS];
	struct effect effects[2 * RESULT_MAX_ARMS];
	unsigned int n = k->nr_arms;

	for (unsigned int i = 0; i < 2 * n; i++) {
		unsigned int arm = i < n ? i : 2 * n - 1 - i;

		if (run_slice(c, k, arm, slice_ns, &slices[i], r->arms[arm].latency,
			      &effects[i], end, f))
			return -1;
		if (*end != PAUSE_TIME)
			return 0;
		if (!slices[i].ios)
			return fail(
				f, STATUS_FAILED,
				"no completion in a slice of %llu ms; raise -r or lower "
				"--rounds",
				(unsigned long long)(slice_ns / 1000000));
	}
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int at[2] = {i, 2 * n - 1 - i};
		const struct slice *pair[2] = {&slices[at[0]], &slices[at[1]]};
		struct arm_result *arm = &r->arms[i];

		arm->rounds[round] = (pair[0]->iops + pair[1]->iops) / 2;
		for (unsigned int h = 0; h < 2; h++) {
			arm->ios += pair[h]->ios;
			arm->time_ns += pair[h]->time_ns;
			if (pair[h]->iops > arm->iops_max)
				arm->iops_max = pair[h]->iops;
			sums[i].iops_seconds += pair[h]->iops * (double)pair[h]->time_ns;
			sums[i].effect.accounted += effects[at[h]].accounted;
			sums[i].effect.cached += effects[at[h]].cached;
		}
		sums[i].slices += 2;
	}
	r->nr_rounds = round + 1;
	return 0;
}

static void finish_arms(const struct crew *c, const struct knob *k, struct result *r,
			const struct sums *sums)
{
	for (unsigned int i = 0; i < k->nr_arms; i++) {
		struct arm_result *arm = &r->arms[i];

		arm->iops_mean = sums[i].iops_seconds / (double)arm->time_ns;
		arm->ns_per_io = crew_size(c) * 1e9 / arm->iops_mean;
		arm->accounted_per_io = sums[i].effect.accounted / sums[i].slices;
		arm->cached_per_io = sums[i].effect.cached / sums[i].slices;
	}
}

int ab_compare(struct result *r, unsigned int workers, struct fail *f)
{
	double *ratio = calloc(r->nr_rounds, sizeof(*ratio));
	double *ns = calloc(r->nr_rounds, sizeof(*ns));

	if (!ratio || !ns) {
		free(ratio);
		free(ns);
		return fail(f, STATUS_FAILED, "out of memory");
	}
	for (unsigned int b = 1; b < r->nr_arms; b++) {
		struct comparison *cmp = &r->comparisons[r->nr_comparisons++];
		const double *base = r->arms[0].rounds, *with = r->arms[b].rounds;
		struct interval p, n;

		for (unsigned int i = 0; i < r->nr_rounds; i++) {
			ratio[i] = log(with[i] / base[i]);
			ns[i] = workers * 1e9 * (1 / with[i] - 1 / base[i]);
		}
		p = stats_interval(ratio, r->nr_rounds);
		n = stats_interval(ns, r->nr_rounds);
		*cmp = (struct comparison){
			.a = 0,
			.b = b,
			.diff_percent = 100 * expm1(p.mean),
			.ci95_percent = {100 * expm1(p.low), 100 * expm1(p.high)},
			.diff_ns_per_io = n.mean,
			.ci95_ns = {n.low, n.high},
		};
	}
	free(ns);
	free(ratio);
	return 0;
}

static uint64_t slice_of(const struct session *s, const struct knob *k)
{
	const struct options *o = s->options;
	uint64_t runtime_s = o->runtime_s ? o->runtime_s : DEFAULT_RUNTIME_S;

	return runtime_s * NS_PER_S / (2ull * o->rounds * k->nr_arms);
}

int ab_check(const struct session *s, const struct knob *k, struct fail *f)
{
	if (slice_of(s, k) < MIN_SLICE_NS)
		return fail(f, STATUS_USAGE,
			    "--rounds %u: leaves less than 10 ms for a slice; raise -r "
			    "or lower --rounds",
			    s->options->rounds);
	return 0;
}

int ab_run(const struct session *s, struct crew *c, struct knob *k, struct result *r,
	   struct fail *f)
{
	const struct options *o = s->options;
	uint64_t slice_ns = slice_of(s, k);
	struct sums sums[RESULT_MAX_ARMS] = {0};
	enum pause_end end = PAUSE_TIME;

	r->knob = k->name;
	if (ab_check(s, k, f))
		return -1;
	for (unsigned int i = 0; i < k->nr_arms; i++)
		if (!result_add_arm(r, k->arms[i].name, k->arms[i].pace.lat != LAT_OFF,
				    o->rounds))
			return fail(f, STATUS_FAILED, "out of memory");
	if (warm_up(s, c, k, slice_ns, r, f))
		return -1;
	for (unsigned int round = 0; round < o->rounds && end == PAUSE_TIME; round++)
		if (run_round(c, k, slice_ns, round, r, sums, &end, f))
			return -1;
	if (r->nr_rounds < 2)
		return fail(f, STATUS_FAILED,
			    "stopped by a signal before two rounds were whole");
	r->complete = r->nr_rounds == o->rounds;
	finish_arms(c, k, r, sums);
	/* Again, since the run was longer than its warm-up. */
	if (knob_verify(k, r, f))
		return -1;
	return ab_compare(r, crew_size(c), f);
}
