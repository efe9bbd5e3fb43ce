// SPDX-License-Identifier: MIT
/* Knobs that turn the statistics of the block layer on and off. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "knob_queue.h"

static int hold_iostats(struct knob *k, const struct session *s, struct fail *f)
{
	return knob_queue_hold(k, s, "iostats", ATTR_FLAG, false, f);
}

static int hold_iostats_passthrough(struct knob *k, const struct session *s,
				    struct fail *f)
{
	if (s->engine->touches_block && !s->engine->passthrough)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: %s is not read by passthrough, which alone this "
			    "charges; use iostats, or the /dev/ngXnY of the drive",
			    k->name, s->devices[0].path);
	return knob_queue_hold(k, s, "iostats_passthrough", ATTR_FLAG, true, f);
}

/* What charges statistics to this path: passthrough has its own switch from 6.13 on. */
static int hold_stats(struct knob *k, const struct session *s, struct fail *f)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/%s/queue/iostats_passthrough",
		 s->devices[0].disk);
	if (s->engine->passthrough && !access(path, F_OK))
		return hold_iostats_passthrough(k, s, f);
	return hold_iostats(k, s, f);
}

static int verify_statistics(const struct knob *k, const struct result *r, struct fail *f)
{
	double counted_on, counted_off, reads_on, reads_off;
	double counted[RESULT_MAX_ARMS], reads[RESULT_MAX_ARMS];

	for (unsigned int i = 0; i < k->nr_arms; i++) {
		counted[i] = r->arms[i].accounted_per_io;
		reads[i] = r->arms[i].clock_reads_per_io;
	}
	knob_extremes(k, counted, &counted_on, &counted_off);
	knob_extremes(k, reads, &reads_on, &reads_off);
	if (counted_off > 0.1)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: with %s off, /sys/block/%s/stat still counts %.2f "
			    "of each read: another program reads the device, or the "
			    "switch has no effect",
			    k->name, k->attr, k->disks[0].disk, counted_off);
	if (counted_on > 0.9 || reads_on - reads_off > 0.5)
		return 0;
	if (isnan(reads_on))
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: with %s on, /sys/block/%s/stat counts %.2f of each "
			    "read, and clock reads cannot be counted (%s): nothing shows "
			    "that the switch reaches this path",
			    k->name, k->attr, k->disks[0].disk, counted_on,
			    r->clock_reads_why);
	return fail(f, STATUS_NOT_POSSIBLE,
		    "--ab %s: %s switches nothing on this path: on, /sys/block/%s/stat "
		    "counts %.2f of each read, at %.2f clock reads against %.2f off; "
		    "this kernel charges no statistics to it",
		    k->name, k->attr, k->disks[0].disk, counted_on, reads_on, reads_off);
}

const struct knob_kind knob_iostats = {
	.parse = knob_parse_switch,
	.hold = hold_iostats,
	.set = knob_queue_set,
	.counts = knob_queue_counts,
	.verify = verify_statistics,
};
const struct knob_kind knob_iostats_passthrough = {
	.parse = knob_parse_switch,
	.hold = hold_iostats_passthrough,
	.set = knob_queue_set,
	.counts = knob_queue_counts,
	.verify = verify_statistics,
};
const struct knob_kind knob_stats = {
	.parse = knob_parse_switch,
	.hold = hold_stats,
	.set = knob_queue_set,
	.counts = knob_queue_counts,
	.verify = verify_statistics,
};
