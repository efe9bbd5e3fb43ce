// SPDX-License-Identifier: MIT
#include "report.h"

#include <math.h>

#include "units.h"

/* Less of a drift is not worth a line, however certain. */
#define DRIFT_PERCENT 0.5

/* Which columns have anything to show. */
struct columns {
	bool kernel_reads, own_reads, latency;
};

static bool holds_0(const double ci[2])
{
	return !(ci[0] > 0 || ci[1] < 0);
}

static void print_head(FILE *out, const struct session *s, const struct conditions *cs,
		       const struct result *r)
{
	fprintf(out,
		"\nLinux %s, clock source %s, %.1f ns a read, engine %s, detector %s\n"
		"%s: %u rounds, each arm twice in each, after %.1f s of warm-up%s%s\n\n",
		condition_effective(cs, "kernel"), condition_effective(cs, "clocksource"),
		r->clock_read_ns, s->engine->name,
		condition_effective(cs, "plugclock_detector"), r->knob, r->nr_rounds,
		r->warmup_s, s->options->threads > 1 ? "; ns/IO per thread" : "",
		r->complete ? "" : "; STOPPED EARLY by a signal");
}

static void print_reads(FILE *out, bool shown, double reads)
{
	if (shown && isnan(reads))
		fprintf(out, " %14s", "n/a");
	else if (shown)
		fprintf(out, " %14.2f", reads);
}

static void print_arm(FILE *out, const struct columns *has, const struct arm_result *arm)
{
	char iops[32];

	fprintf(out, "%-12s %10s %6.1f %% %10.1f", arm->name,
		units_format_iops(iops, arm->iops_mean), arm->spread_percent,
		arm->ns_per_io);
	print_reads(out, has->kernel_reads, arm->clock_reads_per_io);
	print_reads(out, has->own_reads, arm->own_reads_per_io);
	if (has->latency && arm->latency && arm->latency->count)
		fprintf(out, " %10llu %10llu",
			(unsigned long long)histogram_percentile(arm->latency, 50),
			(unsigned long long)histogram_percentile(arm->latency, 99));
	else if (has->latency)
		fprintf(out, " %10s %10s", "-", "-");
	fputc('\n', out);
}

static void print_arms(FILE *out, const struct session *s, const struct result *r)
{
	struct columns has = {.kernel_reads = s->engine->touches_block};

	for (unsigned int i = 0; i < r->nr_arms; i++) {
		has.own_reads |= r->arms[i].own_reads_per_io > 0;
		has.latency |= r->arms[i].latency && r->arms[i].latency->count;
	}
	fprintf(out, "%-12s %10s %8s %10s", r->knob, "IOPS", "spread", "ns/IO");
	if (has.kernel_reads)
		fprintf(out, " %14s", "clock reads/IO");
	if (has.own_reads)
		fprintf(out, " %14s", has.kernel_reads ? "own" : "clock reads/IO");
	if (has.latency)
		fprintf(out, " %10s %10s", "p50 ns", "p99 ns");
	fputc('\n', out);
	for (unsigned int i = 0; i < r->nr_arms; i++)
		print_arm(out, &has, &r->arms[i]);
}

/* What of a difference that is shown the clock reads explain. */
static void print_attribution(FILE *out, const struct result *r,
			      const struct comparison *c)
{
	const double *rest = c->rest_ci95_ns;

	if (isnan(c->explained_ns))
		fputs("    what clock reads have to do with it is not known\n", out);
	else if (fabs(c->reads_gap) < 0.01)
		fputs("    clock reads explain none of it: both make as many\n", out);
	else
		fprintf(out,
			"    %.2f clock reads/IO %s, %.1f ns each, explain %+.1f ns of "
			"it; "
			"%+.1f ns [%+.1f, %+.1f] %s\n",
			fabs(c->reads_gap), c->reads_gap > 0 ? "more" : "fewer",
			r->clock_read_ns, c->explained_ns, c->rest_ns, rest[0], rest[1],
			holds_0(rest) ? "is left, which may be nothing"
				      : "is something else");
}

static void print_comparison(FILE *out, const struct result *r,
			     const struct comparison *c)
{
	const char *a = r->arms[c->a].name, *b = r->arms[c->b].name;
	bool shown = !holds_0(c->ci95_percent);

	if (shown)
		fprintf(out, "%s is %s than %s", b,
			c->diff_percent < 0 ? "slower" : "faster", a);
	else
		fprintf(out, "%s against %s: no difference shown, the interval holds 0",
			b, a);
	fprintf(out, ": IOPS %+.2f %% [%+.2f, %+.2f], %+.1f ns/IO [%+.1f, %+.1f]\n",
		c->diff_percent, c->ci95_percent[0], c->ci95_percent[1],
		c->diff_ns_per_io, c->ci95_ns[0], c->ci95_ns[1]);
	if (shown)
		print_attribution(out, r, c);
	if (c->nr_outliers) {
		fprintf(out, "    %u round%s apart, counted in:", c->nr_outliers,
			c->nr_outliers == 1 ? " stands" : "s stand");
		for (unsigned int i = 0; i < c->nr_outliers && i < RESULT_MAX_OUTLIERS;
		     i++)
			fprintf(out, " %u", c->outliers[i] + 1);
		fputc('\n', out);
	}
	if (!holds_0(c->drift.ci95_percent) && fabs(c->drift.percent) >= DRIFT_PERCENT)
		fprintf(out,
			"    the difference itself drifted by %+.1f %% [%+.1f, %+.1f] "
			"from "
			"the first round to the last\n",
			c->drift.percent, c->drift.ci95_percent[0],
			c->drift.ci95_percent[1]);
}

/* Whatever else a reader should know before trusting the figures. */
static void print_doubts(FILE *out, const struct session *s, const struct result *r)
{
	if (!r->steady)
		fprintf(out,
			"the pace still climbed or fell after %.1f s of warm-up; a "
			"longer "
			"-r warms up for longer\n",
			r->warmup_s);
	if (!holds_0(r->drift.ci95_percent) && fabs(r->drift.percent) >= DRIFT_PERCENT)
		fprintf(out,
			"all arms drifted by %+.1f %% [%+.1f, %+.1f] in IOPS from the "
			"first "
			"round to the last\n",
			r->drift.percent, r->drift.ci95_percent[0],
			r->drift.ci95_percent[1]);
	for (unsigned int i = 0; i < r->nr_arms; i++)
		if (r->arms[i].errors)
			fprintf(out, "%s: %llu of %llu errors allowed; the first: %s\n",
				r->arms[i].name, (unsigned long long)r->arms[i].errors,
				(unsigned long long)s->options->max_errors,
				r->arms[i].first_error);
	if (s->engine->touches_block && r->clock_reads_why[0])
		fprintf(out, "clock reads/IO n/a: %s\n", r->clock_reads_why);
}

void report_ab(FILE *out, const struct session *s, const struct conditions *cs,
	       const struct result *r)
{
	print_head(out, s, cs, r);
	print_arms(out, s, r);
	if (!isnan(r->arms[0].cached_per_io)) {
		fputs("stamps from the cached clock per I/O:", out);
		for (unsigned int i = 0; i < r->nr_arms; i++)
			fprintf(out, "%s %s %.2f", i ? "," : "", r->arms[i].name,
				r->arms[i].cached_per_io);
		fputc('\n', out);
	}
	fputs("\n95 % intervals in brackets:\n", out);
	for (unsigned int i = 0; i < r->nr_comparisons; i++)
		print_comparison(out, r, &r->comparisons[i]);
	print_doubts(out, s, r);
}
