// SPDX-License-Identifier: MIT
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void result_init(struct result *r)
{
	memset(r, 0, sizeof(*r));
	r->clock_read_ns = NAN;
}

struct arm_result *result_add_arm(struct result *r, const char *name, bool latency,
				  unsigned int rounds)
{
	struct arm_result *arm = &r->arms[r->nr_arms++];

	memset(arm, 0, sizeof(*arm));
	snprintf(arm->name, sizeof(arm->name), "%s", name);
	arm->clock_reads_per_io = arm->accounted_per_io = arm->cached_per_io = NAN;
	if (latency) {
		arm->latency = calloc(1, sizeof(*arm->latency));
		if (!arm->latency)
			return NULL;
	}
	if (rounds) {
		arm->rounds = calloc(rounds, sizeof(*arm->rounds));
		if (!arm->rounds)
			return NULL;
	}
	return arm;
}

int result_add_second(struct arm_result *arm, double iops)
{
	/* Room for 64 and then for each power of two. */
	bool full = !arm->nr_seconds ||
		    (arm->nr_seconds >= 64 && !(arm->nr_seconds & (arm->nr_seconds - 1)));

	if (full) {
		size_t room = arm->nr_seconds ? 2ul * arm->nr_seconds : 64;
		double *more = realloc(arm->seconds, room * sizeof(*more));

		if (!more)
			return -1;
		arm->seconds = more;
	}
	arm->seconds[arm->nr_seconds++] = iops;
	return 0;
}

void result_done(struct result *r)
{
	for (unsigned int i = 0; i < r->nr_arms; i++) {
		free(r->arms[i].latency);
		free(r->arms[i].rounds);
		free(r->arms[i].seconds);
	}
	free(r->clock_rounds);
	memset(r, 0, sizeof(*r));
}
