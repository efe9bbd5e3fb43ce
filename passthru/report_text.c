// SPDX-License-Identifier: MIT
#include "report.h"

#include <math.h>

#include "units.h"

void report_head(FILE *out, const struct session *s, const struct conditions *cs,
		 const struct crew *c)
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
	if (o->cpus_auto)
		for (unsigned int i = 0; i < crew_size(c); i++)
			fprintf(out, "%s%d%s",
				i ? "," : "--cpus auto: ", crew_member(c, i).cpu,
				i + 1 < crew_size(c) ? "" : "\n");
	fputs(o->notes, out);
	report_conditions_short(out, cs);
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

/* Within 1 % a rate is met: the last batch may lie beyond the end. */
static void print_rate(FILE *out, unsigned int asked, double iops)
{
	char text[32];

	if (asked)
		fprintf(out, "Rate: %s of %u IOPS asked for%s\n",
			units_format_iops(text, iops), asked,
			fabs(iops / asked - 1) <= 0.01 ? "" : ", NOT MET");
}

void report_plain(FILE *out, const struct session *s, const struct result *r)
{
	const struct arm_result *arm = &r->arms[0];
	char text[32];

	fprintf(out, "Mean IOPS=%s over %.2f s, %.1f ns/IO, %llu I/Os\n",
		units_format_iops(text, arm->iops_mean), (double)arm->time_ns / 1e9,
		arm->ns_per_io, (unsigned long long)arm->ios);
	print_rate(out, s->options->rate, arm->iops_mean);
	if (arm->errors)
		fprintf(out, "Errors=%llu of %llu allowed; the first: %s\n",
			(unsigned long long)arm->errors,
			(unsigned long long)s->options->max_errors, arm->first_error);
	if (!isnan(arm->clock_reads_per_io))
		fprintf(out, "Clock reads/IO=%.2f\n", arm->clock_reads_per_io);
	else
		fprintf(out, "Clock reads/IO=n/a: %s\n", r->clock_reads_why);
	if (arm->latency && arm->latency->count)
		print_percentiles(out, arm->latency);
}
