// SPDX-License-Identifier: MIT
/* Knobs that turn nothing outside this program: how its loop stamps and spins. */
#include <string.h>

#include "knob_kind.h"
#include "units.h"

/* A millisecond per I/O: more would only be a slow run. */
#define MAX_DELAY_NS 1000000u

static int parse_lat(const struct knob *k, struct knob_arm *arm, const struct session *s,
		     struct fail *f)
{
	(void)s;
	for (unsigned int i = 0; i < 3; i++)
		if (!strcmp(arm->name, lat_mode_names[i])) {
			arm->pace.lat = (enum lat_mode)i;
			return 0;
		}
	return fail(f, STATUS_USAGE, "--ab %s: %s must be off, clock or cached", k->name,
		    arm->name);
}

static int parse_delay(const struct knob *k, struct knob_arm *arm,
		       const struct session *s, struct fail *f)
{
	uint64_t ns;

	(void)s;
	if (units_parse_count(arm->name, &ns) || ns > MAX_DELAY_NS)
		return fail(f, STATUS_USAGE, "--ab %s: %s must be ns per I/O, up to %u",
			    k->name, arm->name, MAX_DELAY_NS);
	arm->pace.delay_ns = (unsigned int)ns;
	return 0;
}

static int parse_anything(const struct knob *k, struct knob_arm *arm,
			  const struct session *s, struct fail *f)
{
	(void)k;
	(void)arm;
	(void)s;
	(void)f;
	return 0;
}

const struct knob_kind knob_lat = {.parse = parse_lat};
const struct knob_kind knob_delay = {.parse = parse_delay};
const struct knob_kind knob_none = {.parse = parse_anything};
