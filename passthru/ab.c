// SPDX-License-Identifier: MIT
#include "ab.h"

#include <math.h>

#include "clock.h"
#include "clockreads.h"
#include "pause.h"
#include "stats.h"

#define DEFAULT_RUNTIME_S 10
#define MIN_SLICE_NS      (10 * 1000000ull)
#define MIN_WARMUP_NS     (100 * 1000000ull)
/* Of the time asked for, until a warm-up that does not come to rest is given up. */
#define WARMUP_SHARE 4
/* What a new crew runs, unmeasured, before each slice of its own: caches, page tables. */
#define LEAD_SHARE 8

struct ab {
	const struct session *s;
	struct crew **crew;
	struct knob *k;
	struct result *r;
	uint64_t slice_ns;
};

/* What the kernel counted per I/O in a slice; NAN where the knob has no such count. */
struct effect {
	double accounted, cached;
};

/* One slice of one arm. */
struct part {
	struct slice slice;
	struct effect effect;
	enum pause_end end;
};

static double per_io(long long before, long long after, uint64_t ios)
{
	return before >= 0 && after >= 0 && ios ? (double)(after - before) / (double)ios
						: NAN;
}

/*
 * A crew of its own for an arm that has options of its own, afresh for each slice: where
 * its memory lies differs each time and so is noise that the interval covers. Crews that
 * stayed would keep what luck they had with their pages, as a difference between the arms,
 * and all their buffers would have to be had at once.
 */
static int fresh_crew(struct ab *ab, const struct knob_arm *arm, struct fail *f)
{
	struct slice lead;

	if (!arm->options)
		return 0;
	crew_close(*ab->crew);
	*ab->crew = crew_open(arm->options, ab->s->engine, ab->s->devices, f);
	if (!*ab->crew)
		return -1;
	crew_begin(*ab->crew, &arm->pace);
	(void)pause_until(*ab->crew, clock_ns() + ab->slice_ns / LEAD_SHARE);
	return crew_end(*ab->crew, &lead, NULL, f);
}

static int run_slice(struct ab *ab, unsigned int i, uint64_t ns,
		     struct histogram *latency, struct part *p, struct fail *f)
{
	const struct knob_arm *arm = &ab->k->arms[i];
	struct knob_counts before, after;

	if (knob_set(ab->k, arm, f) || fresh_crew(ab, arm, f))
		return -1;
	before = knob_counts(ab->k);
	crew_begin(*ab->crew, &arm->pace);
	p->end = pause_until(*ab->crew, clock_ns() + ns);
	if (crew_end(*ab->crew, &p->slice, latency, f))
		return -1;
	after = knob_counts(ab->k);
	p->effect.accounted = per_io(before.accounted, after.accounted, p->slice.all_ios);
	p->effect.cached = per_io(before.cached, after.cached, p->slice.all_ios);
	return 0;
}

static int stopped_early(struct fail *f)
{
	return fail(f, STATUS_FAILED, "stopped by a signal during the warm-up");
}

/* Each arm in turn, unmeasured, until the pace no longer climbs or falls. */
static int warm_up(struct ab *ab, struct fail *f)
{
	uint64_t ns = ab->slice_ns > MIN_WARMUP_NS ? ab->slice_ns : MIN_WARMUP_NS;
	uint64_t limit_ns =
		ab->slice_ns * ab->k->nr_arms * 2 * ab->s->options->rounds / WARMUP_SHARE;
	uint64_t start_ns = clock_ns();
	double paces[STATS_STEADY_VALUES];
	struct result *r = ab->r;
	unsigned int n = 0;

	do {
		double pace = 0;

		for (unsigned int i = 0; i < ab->k->nr_arms; i++) {
			struct part p;

			if (run_slice(ab, i, ns, NULL, &p, f))
				return -1;
			if (p.end != PAUSE_TIME)
				return stopped_early(f);
			r->arms[i].accounted_per_io = p.effect.accounted;
			r->arms[i].cached_per_io = p.effect.cached;
			pace += p.slice.ns_per_io;
		}
		paces[n++ % STATS_STEADY_VALUES] = pace;
		r->warmup_s = (double)(clock_ns() - start_ns) / 1e9;
		r->steady = n >= STATS_STEADY_VALUES && stats_steady(paces, n);
	} while (!r->steady &&
		 (n < STATS_STEADY_VALUES || clock_ns() - start_ns < limit_ns));
	return 0;
}

/* The clock reads of each arm; then: is there a difference to measure? */
static int prove(struct ab *ab, struct fail *f)
{
	for (unsigned int i = 0; i < ab->k->nr_arms; i++) {
		const struct knob_arm *arm = &ab->k->arms[i];

		if (knob_set(ab->k, arm, f) || fresh_crew(ab, arm, f))
			return -1;
		clockreads_pass(ab->s, *ab->crew, &arm->pace, &ab->r->arms[i],
				ab->r->clock_reads_why, sizeof(ab->r->clock_reads_why));
		if (pause_signal())
			return stopped_early(f);
	}
	return knob_verify(ab->k, ab->r, f);
}

/* Sums of one arm, over the slices of whole rounds. */
struct sums {
	double iops_seconds;
	struct effect effect;
	unsigned int slices;
};

static void add_part(struct arm_result *arm, struct sums *sums, const struct part *p)
{
	arm->ios += p->slice.ios;
	arm->time_ns += p->slice.time_ns;
	if (p->slice.iops > arm->iops_max)
		arm->iops_max = p->slice.iops;
	sums->iops_seconds += p->slice.iops * (double)p->slice.time_ns;
	sums->effect.accounted += p->effect.accounted;
	sums->effect.cached += p->effect.cached;
	sums->slices++;
}

static int run_round(struct ab *ab, unsigned int round, struct sums *sums,
		     enum pause_end *end, struct fail *f)
{
	struct part parts[2 * RESULT_MAX_ARMS];
	struct result *r = ab->r;
	unsigned int n = ab->k->nr_arms;

	for (unsigned int i = 0; i < 2 * n; i++) {
		unsigned int arm = i < n ? i : 2 * n - 1 - i;
		struct part *p = &parts[i];

		if (run_slice(ab, arm, ab->slice_ns, r->arms[arm].latency, p, f))
			return -1;
		*end = p->end;
		if (*end != PAUSE_TIME)
			return 0;
		if (!p->slice.ios)
			return fail(
				f, STATUS_FAILED,
				"no completion in a slice of %llu ms; raise -r or lower "
				"--rounds",
				(unsigned long long)(ab->slice_ns / 1000000));
	}
	for (unsigned int i = 0; i < n; i++) {
		const struct part *forth = &parts[i], *back = &parts[2 * n - 1 - i];

		r->arms[i].rounds[round] = (forth->slice.iops + back->slice.iops) / 2;
		add_part(&r->arms[i], &sums[i], forth);
		add_part(&r->arms[i], &sums[i], back);
	}
	r->nr_rounds = round + 1;
	return 0;
}

static void finish_arms(const struct ab *ab, const struct sums *sums)
{
	for (unsigned int i = 0; i < ab->k->nr_arms; i++) {
		struct arm_result *arm = &ab->r->arms[i];

		arm->iops_mean = sums[i].iops_seconds / (double)arm->time_ns;
		arm->ns_per_io = ab->s->options->threads * 1e9 / arm->iops_mean;
		arm->accounted_per_io = sums[i].effect.accounted / sums[i].slices;
		arm->cached_per_io = sums[i].effect.cached / sums[i].slices;
	}
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
	for (unsigned int i = 0; i < k->nr_arms; i++) {
		struct crew *c;

		if (!k->arms[i].options)
			continue;
		c = crew_open(k->arms[i].options, s->engine, s->devices, f);
		if (!c)
			return -1;
		crew_close(c);
	}
	return 0;
}

int ab_run(const struct session *s, struct crew **c, struct knob *k, struct result *r,
	   struct fail *f)
{
	const struct options *o = s->options;
	struct ab ab = {.s = s, .crew = c, .k = k, .r = r, .slice_ns = slice_of(s, k)};
	struct sums sums[RESULT_MAX_ARMS] = {0};
	enum pause_end end = PAUSE_TIME;

	snprintf(r->knob, sizeof(r->knob), "%s", k->name);
	for (unsigned int i = 0; i < k->nr_arms; i++)
		if (!result_add_arm(r, k->arms[i].name, k->arms[i].pace.lat != LAT_OFF,
				    o->rounds))
			return fail(f, STATUS_FAILED, "out of memory");
	if (warm_up(&ab, f) || prove(&ab, f))
		return -1;
	for (unsigned int round = 0; round < o->rounds && end == PAUSE_TIME; round++)
		if (run_round(&ab, round, sums, &end, f))
			return -1;
	if (r->nr_rounds < 2)
		return fail(f, STATUS_FAILED,
			    "stopped by a signal before two rounds were whole");
	r->complete = r->nr_rounds == o->rounds;
	finish_arms(&ab, sums);
	/* Again, since the run was longer than its warm-up. */
	if (knob_verify(k, r, f))
		return -1;
	return ab_compare(r, o->threads, f);
}
