// SPDX-License-Identifier: MIT
/* Writeback throttling, which sits in the way of reads, too. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "knob_queue.h"
#include "sysfs.h"
#include "units.h"

/* off, on (the kernel's default), or a latency in us. */
static int parse_wbt(const struct knob *k, struct knob_arm *arm, const struct session *s,
		     struct fail *f)
{
	uint64_t us;

	(void)s;
	arm->on = true;
	if (!strcmp(arm->name, "on")) {
		snprintf(arm->value, sizeof(arm->value), "-1");
		return 0;
	}
	if (!strcmp(arm->name, "off"))
		us = 0;
	else if (units_parse_count(arm->name, &us) || us > 1000000000)
		return fail(f, STATUS_USAGE,
			    "--ab %s: %s must be off, on, or a latency in us", k->name,
			    arm->name);
	snprintf(arm->value, sizeof(arm->value), "%llu", (unsigned long long)us);
	arm->on = us;
	return 0;
}

static int hold_wbt(struct knob *k, const struct session *s, struct fail *f)
{
	struct fail why = {0};
	char path[128], text[64];
	int ret = knob_queue_hold(k, s, "wbt_lat_usec", ATTR_WBT, false, &why);

	if (!ret)
		return 0;
	snprintf(path, sizeof(path), "/sys/block/%s/queue/wbt_lat_usec",
		 s->devices[k->nr_disks].disk);
	/*
	 * A queue without writeback throttling answers so. The first write would start it,
	 * and its statistics, which nothing but a reboot would end.
	 */
	if (s->engine->touches_block && sysfs_read(text, sizeof(text), path) == -EINVAL)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: %s has no writeback throttling to switch, and once "
			    "started it could not be taken away again",
			    k->name, path);
	return fail(f, why.status, "%s", why.why);
}

/*
 * Reads are seen by writeback throttling on their way through the queue. Passthrough
 * was up to 6.7, where its throttling also had a stamp taken for each request.
 */
static int verify_wbt(const struct knob *k, const struct result *r, struct fail *f)
{
	double reads[RESULT_MAX_ARMS], on, off;

	if (!k->passthrough)
		return 0;
	for (unsigned int i = 0; i < k->nr_arms; i++)
		reads[i] = r->arms[i].clock_reads_per_io;
	knob_extremes(k, reads, &on, &off);
	if (isnan(on))
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: clock reads cannot be counted (%s): nothing shows "
			    "that writeback throttling sees passthrough on this kernel",
			    k->name, r->clock_reads_why);
	if (on > 0.5)
		return 0;
	return fail(f, STATUS_NOT_POSSIBLE,
		    "--ab %s: writeback throttling does not see this path: %.2f clock "
		    "reads per I/O with it on, so that no request is stamped for it; "
		    "kernels from 6.8 on leave passthrough out",
		    k->name, on);
}

const struct knob_kind knob_wbt = {
	.parse = parse_wbt,
	.hold = hold_wbt,
	.set = knob_queue_set,
	.counts = knob_queue_counts,
	.verify = verify_wbt,
};
