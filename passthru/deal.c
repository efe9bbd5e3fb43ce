// SPDX-License-Identifier: MIT
#include "deal.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "sysfs.h"
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

/* The CPUs of the device's node. Returns how many, 0 where they are unknown. */
static unsigned int cpus_of_node(const struct device *d,
				 unsigned int cpus[OPTIONS_MAX_CPUS])
{
	char path[64], list[4096];
	int n;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist",
		 d->numa_node);
	if (d->numa_node < 0 || sysfs_read(list, sizeof(list), path))
		return 0;
	n = units_parse_cpus(list, cpus, OPTIONS_MAX_CPUS);
	return n > 0 ? (unsigned int)n : 0;
}

int deal_cpu_near(const struct device *d, unsigned int nth)
{
	static unsigned int cpus[OPTIONS_MAX_CPUS];
	unsigned int n = cpus_of_node(d, cpus);

	return n ? (int)cpus[nth % n] : -1;
}

/* The first of the CPUs that share a core with @cpu? Where it is unknown, yes. */
static bool leads_core(unsigned int cpu)
{
	unsigned int siblings[64];
	char path[96], list[256];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
	return sysfs_read(list, sizeof(list), path) ||
	       units_parse_cpus(list, siblings, 64) < 1 || siblings[0] == cpu;
}

/* Keep those of @cpus that are allowed, one of each core first. Returns how many. */
static unsigned int choose(unsigned int *cpus, unsigned int n, const cpu_set_t *allowed)
{
	unsigned int chosen[OPTIONS_MAX_CPUS] = {0}, count = 0;

	for (int lead = 1; lead >= 0; lead--)
		for (unsigned int i = 0; i < n; i++)
			if (cpus[i] < CPU_SETSIZE && CPU_ISSET(cpus[i], allowed) &&
			    leads_core(cpus[i]) == lead)
				chosen[count++] = cpus[i];
	memcpy(cpus, chosen, count * sizeof(*cpus));
	return count;
}

int deal_cpu_auto(const struct device *d, unsigned int nth)
{
	static unsigned int cpus[OPTIONS_MAX_CPUS];
	cpu_set_t allowed;
	unsigned int n;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	n = choose(cpus, cpus_of_node(d, cpus), &allowed);
	if (!n) {
		for (unsigned int i = 0; i < OPTIONS_MAX_CPUS; i++)
			cpus[i] = i;
		n = choose(cpus, OPTIONS_MAX_CPUS, &allowed);
	}
	return n ? (int)cpus[nth % n] : -1;
}
