// SPDX-License-Identifier: MIT
/* The cached clock of a kernel with our series, switched by its debugfs file. */
#include "knob_kind.h"
#include "ktime.h"

static int hold(struct knob *k, const struct session *s, struct fail *f)
{
	if (!s->engine->touches_block)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab ktime: the %s engine does not go through the block "
			    "layer, whose clock this is",
			    s->engine->name);
	return ktime_hold(&k->ktime, &k->undo, f);
}

static int set(const struct knob *k, const struct knob_arm *arm, struct fail *f)
{
	return attr_switch(&k->ktime, k->name, arm->value, f);
}

static struct knob_counts counts(const struct knob *k)
{
	(void)k;
	return (struct knob_counts){.accounted = -1, .cached = ktime_cached()};
}

static int verify(const struct knob *k, const struct result *r, struct fail *f)
{
	double cached[RESULT_MAX_ARMS], on, off;

	for (unsigned int i = 0; i < k->nr_arms; i++)
		cached[i] = r->arms[i].cached_per_io;
	knob_extremes(k, cached, &on, &off);
	return ktime_verify(on, off, f);
}

const struct knob_kind knob_ktime = {
	.parse = knob_parse_switch,
	.hold = hold,
	.set = set,
	.counts = counts,
	.verify = verify,
};
