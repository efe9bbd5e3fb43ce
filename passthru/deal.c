// SPDX-License-Identifier: MIT
#include "deal.h"

#include <stdio.h>
#include <string.h>

#include "units.h"

static void set_target(struct target *t, const struct device *d, const struct options *o,
		       unsigned int thread)
{
	memset(t, 0, sizeof(*t));
	t->device = d;
	t->fd = d->fd;
	if (o->random)
		/* Any odd start does; each thread gets its own. */
		t->random = (0x9e3779b97f4a7c15ull * (thread + 1)) | 1;
	else
		/* Sequential threads on one device start at different places. */
		t->position = d->range.positions / o->threads * thread;
}

unsigned int deal_targets(struct target *targets, const struct device *devices,
			  const struct options *o, unsigned int thread, bool reads_device)
{
	unsigned int each, more, next = 0, n = 0;

	if (!reads_device) {
		set_target(&targets[0], &devices[0], o, thread);
		return 1;
	}
	each = o->threads / o->nr_devices;
	more = each ? o->threads % o->nr_devices : 0;
	if (!each)
		each = 1;
	for (unsigned int i = 0; i < o->nr_devices; i++) {
		unsigned int shares = each + (i < more);

		for (unsigned int k = 0; k < shares; k++)
			if ((next + k) % o->threads == thread)
				set_target(&targets[n++], &devices[i], o, thread);
		next += shares;
	}
	return n;
}

int deal_cpu_near(const struct device *d, unsigned int nth)
{
	static unsigned int cpus[OPTIONS_MAX_CPUS];
	char path[64], list[4096];
	FILE *in;
	int n = 0;

	if (d->numa_node < 0)
		return -1;
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist",
		 d->numa_node);
	in = fopen(path, "re");
	if (!in)
		return -1;
	if (fgets(list, sizeof(list), in)) {
		list[strcspn(list, "\n")] = 0;
		n = units_parse_cpus(list, cpus, OPTIONS_MAX_CPUS);
	}
	fclose(in);
	return n > 0 ? (int)cpus[nth % (unsigned int)n] : -1;
}
