// SPDX-License-Identifier: MIT
#include "report.h"

#include <math.h>
#include <string.h>

#include "units.h"

void report_head(FILE *out, const struct session *s, const struct crew *c)
{
	const struct options *o = s->options;
	const struct ring *r = crew_ring(c);

	for (unsigned int i = 0; i < crew_size(c); i++) {
		struct crew_member m = crew_member(c, i);

		fprintf(out, "submitter=%u, tid=%d, file=%s, node=%d\n", i, m.tid, m.path,
			m.node);
	}
	fprintf(out,
		"polled=%d, fixedbufs=%d/0, register_files=%d, buffered=%d, QD=%u\n"
		"Engine=io_uring, sq_ring=%u, cq_ring=%u\n",
		o->polled == CHOICE_ON, o->fixed_buffers, o->registered_files, !o->direct,
		o->depth, r->sq_mask + 1, r->cq_mask + 1);
	fputs(o->notes, out);
}

static double scaled(uint64_t ns, bool usec)
{
	return usec ? ceil((double)ns / 1000) : (double)ns;
}

/* As t/io_uring prints them: four decimals, five to a line, usec from 2 us up. */
static void print_percentiles(FILE *out, const struct histogram *h)
{
	uint64_t low = histogram_percentile(h, histogram_percentiles[0]);
	uint64_t high =
		histogram_percentile(h, histogram_percentiles[HISTOGRAM_PERCENTILES - 1]);
	bool usec = low > 2000 && high > 99999;

	fprintf(out, "    percentiles (%s):\n     |", usec ? "usec" : "nsec");
	for (unsigned int i = 0; i < HISTOGRAM_PERCENTILES; i++) {
		if (i && i % 3 == 0)
			fputs("\n     |", out);
		fprintf(out, " %8.4fth=[%7.0f]%s", histogram_percentiles[i],
			scaled(histogram_percentile(h, histogram_percentiles[i]), usec),
			i + 1 < HISTOGRAM_PERCENTILES ? "," : "\n");
	}
	fprintf(out, "Latency mean=%.0f ns, max=%llu ns, %llu I/Os\n", histogram_mean(h),
		(unsigned long long)h->max_ns, (unsigned long long)h->count);
}

void report_plain(FILE *out, const struct result *r)
{
	const struct arm_result *arm = &r->arms[0];
	char text[32];

	fprintf(out, "Mean IOPS=%s over %.2f s, %.1f ns/IO, %llu I/Os\n",
		units_format_iops(text, arm->iops_mean), (double)arm->time_ns / 1e9,
		arm->ns_per_io, (unsigned long long)arm->ios);
	if (!isnan(arm->clock_reads_per_io))
		fprintf(out, "Clock reads/IO=%.2f\n", arm->clock_reads_per_io);
	else
		fprintf(out, "Clock reads/IO=n/a: %s\n", r->clock_reads_why);
	if (arm->latency && arm->latency->count)
		print_percentiles(out, arm->latency);
}

static const char *condition(const struct conditions *cs, const char *name)
{
	for (unsigned int i = 0; i < cs->n; i++)
		if (!strcmp(cs->list[i].name, name))
			return cs->list[i].effective;
	return "unknown";
}

static void print_arm(FILE *out, const struct result *r, const struct arm_result *arm)
{
	char iops[32], best[32];

	fprintf(out, "%-10s %10s %10s %10.1f", arm->name,
		units_format_iops(iops, arm->iops_mean),
		units_format_iops(best, arm->iops_max), arm->ns_per_io);
	if (isnan(arm->clock_reads_per_io))
		fprintf(out, " %14s", "n/a");
	else
		fprintf(out, " %14.2f", arm->clock_reads_per_io);
	if (arm->latency && arm->latency->count)
		fprintf(out, " %10llu %10llu",
			(unsigned long long)histogram_percentile(arm->latency, 50),
			(unsigned long long)histogram_percentile(arm->latency, 99));
	else
		fprintf(out, " %10s %10s", "-", "-");
	fputc('\n', out);
	(void)r;
}

static void print_comparison(FILE *out, const struct result *r,
			     const struct comparison *c)
{
	const char *a = r->arms[c->a].name, *b = r->arms[c->b].name;

	fprintf(out,
		"%s against %s: IOPS %+.2f %% [%+.2f, %+.2f], %+.1f ns/IO [%+.1f, "
		"%+.1f]: ",
		b, a, c->diff_percent, c->ci95_percent[0], c->ci95_percent[1],
		c->diff_ns_per_io, c->ci95_ns[0], c->ci95_ns[1]);
	if (c->ci95_percent[0] <= 0 && c->ci95_percent[1] >= 0)
		fputs("no difference shown, the interval holds 0\n", out);
	else
		fprintf(out, "%s is %s\n", b, c->diff_percent < 0 ? "slower" : "faster");
}

void report_ab(FILE *out, const struct session *s, const struct conditions *cs,
	       const struct result *r)
{
	fprintf(out,
		"\nLinux %s, clock source %s, engine %s, detector %s\n"
		"%s: %u rounds, each arm twice in each; ns/IO per thread%s\n\n"
		"%-10s %10s %10s %10s %14s %10s %10s\n",
		condition(cs, "kernel"), condition(cs, "clocksource"), s->engine->name,
		condition(cs, "plugclock_detector"), r->knob, r->nr_rounds,
		r->complete ? "" : "; STOPPED EARLY by a signal", r->knob, "IOPS", "max",
		"ns/IO", "clock reads/IO", "p50 ns", "p99 ns");
	for (unsigned int i = 0; i < r->nr_arms; i++)
		print_arm(out, r, &r->arms[i]);
	if (!isnan(r->arms[0].cached_per_io)) {
		fputs("stamps from the cached clock per I/O:", out);
		for (unsigned int i = 0; i < r->nr_arms; i++)
			fprintf(out, "%s %s %.2f", i ? "," : "", r->arms[i].name,
				r->arms[i].cached_per_io);
		fputc('\n', out);
	}
	fputs("\n95 % intervals:\n", out);
	for (unsigned int i = 0; i < r->nr_comparisons; i++)
		print_comparison(out, r, &r->comparisons[i]);
	if (r->clock_reads_why[0])
		fprintf(out, "clock reads/IO n/a: %s\n", r->clock_reads_why);
}
