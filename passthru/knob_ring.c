// SPDX-License-Identifier: MIT
/* Knobs that turn the shape of the ring: each arm has options, and a crew, of its own. */
#include <stdlib.h>
#include <string.h>

#include "knob_kind.h"
#include "ring.h"
#include "units.h"

static int own_options(struct knob_arm *arm, const struct session *s, struct fail *f)
{
	arm->options = malloc(sizeof(*arm->options));
	if (!arm->options)
		return fail(f, STATUS_FAILED, "out of memory");
	*arm->options = *s->options;
	return 0;
}

static int parse_poll(const struct knob *k, struct knob_arm *arm, const struct session *s,
		      struct fail *f)
{
	if (knob_parse_switch(k, arm, s, f) || own_options(arm, s, f))
		return -1;
	arm->options->polled = arm->on ? CHOICE_ON : CHOICE_OFF;
	return 0;
}

static int hold_poll(struct knob *k, const struct session *s, struct fail *f)
{
	if (!s->engine->can_poll)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: the %s engine has nothing to poll", k->name,
			    s->engine->name);
	for (unsigned int a = 0; a < k->nr_arms; a++)
		for (unsigned int i = 0; i < s->nr_devices; i++)
			if (device_check_polled(&s->devices[i], k->arms[a].options, f))
				return -1;
	return 0;
}

static int take_count(const struct knob *k, const struct knob_arm *arm, unsigned int max,
		      unsigned int *value, struct fail *f)
{
	uint64_t n;

	if (units_parse_count(arm->name, &n) || !n || n > max)
		return fail(f, STATUS_USAGE, "--ab %s: %s must be from 1 to %u", k->name,
			    arm->name, max);
	*value = (unsigned int)n;
	return 0;
}

static int parse_batch(const struct knob *k, struct knob_arm *arm,
		       const struct session *s, struct fail *f)
{
	unsigned int n = 0;

	if (take_count(k, arm, s->options->depth, &n, f) || own_options(arm, s, f))
		return -1;
	arm->options->submit_batch = arm->options->complete_batch = n;
	return 0;
}

/* The batches are those of the command line, or the depth where that is less. */
static int parse_depth(const struct knob *k, struct knob_arm *arm,
		       const struct session *s, struct fail *f)
{
	unsigned int n = 0;

	if (take_count(k, arm, RING_MAX_DEPTH, &n, f) || own_options(arm, s, f))
		return -1;
	arm->options->depth = n;
	if (arm->options->submit_batch > n)
		arm->options->submit_batch = n;
	if (arm->options->complete_batch > n)
		arm->options->complete_batch = n;
	return 0;
}

static int parse_fixedbufs(const struct knob *k, struct knob_arm *arm,
			   const struct session *s, struct fail *f)
{
	if (knob_parse_switch(k, arm, s, f) || own_options(arm, s, f))
		return -1;
	arm->options->fixed_buffers = arm->on;
	return 0;
}

static int hold_fixedbufs(struct knob *k, const struct session *s, struct fail *f)
{
	if (!s->engine->reads_device)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: the %s engine has no buffers that could be "
			    "registered",
			    k->name, s->engine->name);
	if (s->options->vectored)
		return fail(f, STATUS_USAGE,
			    "--ab %s: vectored reads (-V1) use no registered buffers",
			    k->name);
	return 0;
}

const struct knob_kind knob_poll = {.parse = parse_poll, .hold = hold_poll};
const struct knob_kind knob_batch = {.parse = parse_batch};
const struct knob_kind knob_depth = {.parse = parse_depth};
const struct knob_kind knob_fixedbufs = {
	.parse = parse_fixedbufs,
	.hold = hold_fixedbufs,
};
