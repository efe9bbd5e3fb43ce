// SPDX-License-Identifier: MIT
#include "run.h"

#include "clock.h"
#include "clockreads.h"
#include "pause.h"
#include "ticker.h"
#include "units.h"

/* Seconds without a completion until the run is given up. */
#define STALL_LIMIT_S 30

static void print_second(FILE *out, const struct session *s,
			 const struct crew_counts *did, double iops)
{
	char text[32];

	ticker_clear();
	fprintf(out, "IOPS=%s, ", units_format_iops(text, iops));
	if (s->engine->reads_device || s->engine->aim)
		fprintf(out, "BW=%s, ",
			units_format_bandwidth(text, iops * s->options->block_bytes));
	fprintf(out, "IOS/call=%llu/%llu\n",
		(unsigned long long)(did->calls ? did->submitted / did->calls : 0),
		(unsigned long long)(did->calls ? did->completed / did->calls : 0));
}

/* What a terminal shows until the next line. */
static void show_left(const struct options *o, unsigned int second,
		      const struct crew_counts *now)
{
	if (o->io_count)
		ticker_show("%llu of %llu I/Os left",
			    (unsigned long long)(o->io_count - now->completed),
			    (unsigned long long)o->io_count);
	else if (o->runtime_s)
		ticker_show("%u s left", o->runtime_s - second);
}

/* The seconds of the run. Returns how it ended. */
static enum pause_end watch(const struct session *s, struct crew *c, FILE *out,
			    struct arm_result *arm, struct fail *f)
{
	uint64_t start_ns = clock_ns(), last_ns = start_ns;
	struct crew_counts last = {0};
	unsigned int stalled = 0;

	for (unsigned int second = 1;; second++) {
		enum pause_end end = pause_until(c, start_ns + second * NS_PER_S);
		struct crew_counts now = crew_counts(c), did;
		uint64_t now_ns = clock_ns();
		double iops;

		if (end != PAUSE_TIME)
			return end;
		did.submitted = now.submitted - last.submitted;
		did.completed = now.completed - last.completed;
		did.calls = now.calls - last.calls;
		iops = (double)did.completed * 1e9 / (double)(now_ns - last_ns);
		print_second(out, s, &did, iops);
		if (result_add_second(arm, iops)) {
			fail(f, STATUS_FAILED, "out of memory");
			return PAUSE_ERROR;
		}
		if (iops > arm->iops_max)
			arm->iops_max = iops;
		last = now;
		last_ns = now_ns;
		stalled = did.completed ? 0 : stalled + 1;
		if (stalled == STALL_LIMIT_S) {
			fail(f, STATUS_FAILED,
			     "no completion for %u s: lost by the device or its driver; "
			     "see the "
			     "kernel's log",
			     STALL_LIMIT_S);
			return PAUSE_ERROR;
		}
		if (second == s->options->runtime_s)
			return PAUSE_TIME;
		/* Its reader is gone, as behind 'ngbench | head'. */
		if (ferror(out))
			return PAUSE_SIGNAL;
		show_left(s->options, second, &now);
	}
}

int run_plain(const struct session *s, struct crew *c, FILE *out, struct result *r,
	      struct fail *f)
{
	static const char *const reasons[] = {
		[PAUSE_TIME] = "timeout",
		[PAUSE_SIGNAL] = "signal",
		[PAUSE_ERROR] = "error",
		[PAUSE_DONE] = "I/O count",
	};
	const struct options *o = s->options;
	const struct pace pace = pace_of(o);
	struct arm_result *arm =
		result_add_arm(r, lat_mode_names[pace.lat], pace.lat != LAT_OFF, 0);
	struct slice slice;
	enum pause_end end;
	char text[32];
	int ret;

	if (!arm)
		return fail(f, STATUS_FAILED, "out of memory");
	crew_begin(c, &pace, o->io_count ? o->io_count : WORKER_NO_END);
	end = watch(s, c, out, arm, f);
	ticker_clear();
	ret = crew_end(c, &slice, arm->latency, f);
	arm->iops_mean = slice.iops;
	arm->ns_per_io = slice.ns_per_io;
	arm->ios = slice.ios;
	arm->errors = slice.errors;
	snprintf(arm->first_error, sizeof(arm->first_error), "%s", slice.first_error);
	arm->own_reads_per_io = (double)slice.clock_reads / (double)slice.ios;
	arm->time_ns = slice.time_ns;
	if (arm->iops_max < slice.iops && slice.time_ns < NS_PER_S)
		arm->iops_max = slice.iops;
	fprintf(out, "Exiting on %s\nMaximum IOPS=%s\n", reasons[end],
		units_format_iops(text, arm->iops_max));
	if (ret || f->status)
		return -1;
	if (!slice.ios)
		return fail(f, STATUS_FAILED,
			    "nothing was measured: no read completed after the first %u, "
			    "which fill the queue; raise -r or lower -d",
			    o->depth);
	if (o->io_count)
		snprintf(r->clock_reads_why, sizeof(r->clock_reads_why),
			 "counting them would take more reads than --io-count allows");
	else if (end == PAUSE_TIME)
		clockreads_pass(s, c, &pace, arm, r->clock_reads_why,
				sizeof(r->clock_reads_why));
	else
		snprintf(r->clock_reads_why, sizeof(r->clock_reads_why),
			 "stopped by a signal");
	r->complete =
		o->io_count ? end == PAUSE_DONE : end == PAUSE_TIME || !o->runtime_s;
	return f->status ? -1 : 0;
}
