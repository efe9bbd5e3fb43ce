// SPDX-License-Identifier: MIT
#include "ab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "clockreads.h"
#include "pause.h"
#include "stats.h"
#include "ticker.h"
#include "units.h"

#define DEFAULT_RUNTIME_S 10
#define MIN_SLICE_NS      (10 * 1000000ull)
#define MIN_WARMUP_NS     (100 * 1000000ull)
/* Of the time asked for, until a warm-up that does not come to rest is given up. */
#define WARMUP_SHARE 4
/* What a new crew runs, unmeasured, before each slice of its own: caches, page tables. */
#define LEAD_SHARE 8
/* Of a slice, for pricing a clock read in each round. */
#define CLOCK_SHARE 2
/* Into a slice, before its IOPS are worth showing. */
#define SHOW_AFTER_NS (100 * 1000000ull)

struct ab {
	const struct session *s;
	struct crew **crew;
	struct knob *k;
	struct result *r;
	uint64_t slice_ns;
	uint64_t random;  /* state of the generator */
	uint64_t errors;  /* bad completions, of all crews so far */
	uint64_t end_ns;  /* about when the last round will be over; 0: in the warm-up */
	uint64_t show_ns; /* when the line on a terminal is due */
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

static void show(struct ab *ab, const struct knob_arm *arm, double iops)
{
	uint64_t now_ns = clock_ns();
	char text[32];

	if (now_ns < ab->show_ns)
		return;
	ab->show_ns = now_ns + NS_PER_S;
	units_format_iops(text, iops);
	if (ab->end_ns)
		ticker_show(
			"round %u of %u, %s: IOPS=%s, %llu s left", ab->r->nr_rounds + 1,
			ab->s->options->rounds, arm->name, text,
			(unsigned long long)(ab->end_ns > now_ns
						     ? (ab->end_ns - now_ns) / NS_PER_S
						     : 0));
	else
		ticker_show("warm-up, %s: IOPS=%s", arm->name, text);
}

/* Until then, with a line on a terminal each second. */
static enum pause_end pause_and_show(struct ab *ab, const struct knob_arm *arm,
				     uint64_t until_ns)
{
	uint64_t start_ns = clock_ns();
	enum pause_end end;

	do {
		uint64_t next_ns = start_ns + SHOW_AFTER_NS;

		if (next_ns < ab->show_ns)
			next_ns = ab->show_ns;
		end = pause_until(*ab->crew, next_ns < until_ns ? next_ns : until_ns);
		show(ab, arm,
		     (double)crew_counts(*ab->crew).completed * 1e9 /
			     (double)(clock_ns() - start_ns));
	} while (end == PAUSE_TIME && clock_ns() < until_ns);
	return end;
}

/* Errors count over all crews. */
static int add_errors(struct ab *ab, const struct slice *slice, struct fail *f)
{
	ab->errors += slice->errors;
	if (ab->errors <= ab->s->options->max_errors)
		return 0;
	return fail(f, STATUS_FAILED, "%s (%llu failed in all); result invalid",
		    slice->first_error, (unsigned long long)ab->errors);
}

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
	crew_begin(*ab->crew, &arm->pace, WORKER_NO_END);
	(void)pause_until(*ab->crew, clock_ns() + ab->slice_ns / LEAD_SHARE);
	return crew_end(*ab->crew, &lead, NULL, f) || add_errors(ab, &lead, f) ? -1 : 0;
}

static int run_slice(struct ab *ab, unsigned int i, uint64_t ns,
		     struct histogram *latency, struct part *p, struct fail *f)
{
	const struct knob_arm *arm = &ab->k->arms[i];
	struct knob_counts before, after;

	if (knob_set(ab->k, arm, f) || fresh_crew(ab, arm, f))
		return -1;
	before = knob_counts(ab->k);
	crew_begin(*ab->crew, &arm->pace, WORKER_NO_END);
	p->end = pause_and_show(ab, arm, clock_ns() + ns);
	if (crew_end(*ab->crew, &p->slice, latency, f) || add_errors(ab, &p->slice, f))
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
		ticker_show("counting clock reads, %s", arm->name);
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
	uint64_t clock_reads;
	struct effect effect;
	unsigned int slices;
};

static void add_part(struct arm_result *arm, struct sums *sums, const struct part *p)
{
	arm->ios += p->slice.ios;
	arm->time_ns += p->slice.time_ns;
	arm->errors += p->slice.errors;
	if (!arm->first_error[0])
		snprintf(arm->first_error, sizeof(arm->first_error), "%s",
			 p->slice.first_error);
	sums->clock_reads += p->slice.clock_reads;
	if (p->slice.iops > arm->iops_max)
		arm->iops_max = p->slice.iops;
	sums->iops_seconds += p->slice.iops * (double)p->slice.time_ns;
	sums->effect.accounted += p->effect.accounted;
	sums->effect.cached += p->effect.cached;
	sums->slices++;
}

/*
 * What a clock read takes, in turn with the arms and by the same threads, so that it gets
 * dearer with them on a machine that others use, too.
 */
static int price_clock(struct ab *ab, double *ns, struct fail *f)
{
	const struct pace pace = {.only_clock = true};
	struct slice slice;

	crew_begin(*ab->crew, &pace, WORKER_NO_END);
	(void)pause_until(*ab->crew, clock_ns() + ab->slice_ns / CLOCK_SHARE);
	if (crew_end(*ab->crew, &slice, NULL, f))
		return -1;
	*ns = slice.clock_reads ? (double)slice.time_ns * crew_size(*ab->crew) /
					  (double)slice.clock_reads
				: NAN;
	return 0;
}

/*
 * The arms in an order that is drawn anew for each round. With always the same one
 * whatever comes and goes at a round's own pace (a hypervisor's quota, a timer) would
 * fall on the same arm each time and be taken for a difference.
 */
static void shuffle(struct ab *ab, unsigned int order[RESULT_MAX_ARMS])
{
	for (unsigned int i = 0; i < ab->k->nr_arms; i++) {
		unsigned int at;

		/* xorshift64, Marsaglia 2003 */
		ab->random ^= ab->random << 13;
		ab->random ^= ab->random >> 7;
		ab->random ^= ab->random << 17;
		at = (unsigned int)((ab->random >> 32) % (i + 1));
		order[i] = order[at];
		order[at] = i;
	}
}

static int run_round(struct ab *ab, unsigned int round, struct sums *sums,
		     enum pause_end *end, struct fail *f)
{
	struct part parts[2 * RESULT_MAX_ARMS] = {0};
	unsigned int order[RESULT_MAX_ARMS] = {0};
	struct result *r = ab->r;
	unsigned int n = ab->k->nr_arms;

	shuffle(ab, order);
	for (unsigned int i = 0; i < 2 * n; i++) {
		unsigned int arm = order[i < n ? i : 2 * n - 1 - i];
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
	if (price_clock(ab, &r->clock_rounds[round], f))
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		const struct part *forth = &parts[i], *back = &parts[2 * n - 1 - i];
		struct arm_result *arm = &r->arms[order[i]];

		arm->rounds[round] = (forth->slice.iops + back->slice.iops) / 2;
		add_part(arm, &sums[order[i]], forth);
		add_part(arm, &sums[order[i]], back);
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
		arm->own_reads_per_io = (double)sums[i].clock_reads / (double)arm->ios;
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
		struct session own = *s;
		struct crew *c;

		if (!k->arms[i].options)
			continue;
		own.options = k->arms[i].options;
		if (session_check_memory(&own, f))
			return -1;
		c = crew_open(k->arms[i].options, s->engine, s->devices, f);
		if (!c)
			return -1;
		crew_close(c);
	}
	return 0;
}

static int measure(const struct session *s, struct crew **c, struct knob *k,
		   struct result *r, struct fail *f)
{
	const struct options *o = s->options;
	struct ab ab = {.s = s,
			.crew = c,
			.k = k,
			.r = r,
			.slice_ns = slice_of(s, k),
			.random = clock_ns() | 1};
	struct sums sums[RESULT_MAX_ARMS] = {0};
	enum pause_end end = PAUSE_TIME;

	snprintf(r->knob, sizeof(r->knob), "%s", k->name);
	for (unsigned int i = 0; i < k->nr_arms; i++)
		if (!result_add_arm(r, k->arms[i].name, k->arms[i].pace.lat != LAT_OFF,
				    o->rounds))
			return fail(f, STATUS_FAILED, "out of memory");
	r->clock_rounds = calloc(o->rounds, sizeof(*r->clock_rounds));
	if (!r->clock_rounds)
		return fail(f, STATUS_FAILED, "out of memory");
	if (warm_up(&ab, f) || prove(&ab, f))
		return -1;
	ab.end_ns =
		clock_ns() +
		(ab.slice_ns * 2 * k->nr_arms + ab.slice_ns / CLOCK_SHARE) * o->rounds;
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
	return ab_compare(r, o->threads, s->engine->touches_block, f);
}

int ab_run(const struct session *s, struct crew **c, struct knob *k, struct result *r,
	   struct fail *f)
{
	int ret = measure(s, c, k, r, f);

	ticker_clear();
	return ret;
}
