// SPDX-License-Identifier: MIT
/* Where the threads run, and how that goes with the devices. */
#include "conditions.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sysfs.h"
#include "units.h"

/* One more than --cpus takes. */
#define CPUS 4096

struct cpus {
	bool has[CPUS];
	unsigned int count;
	bool pinned; /* each thread to one CPU */
};

static void add_thread(struct cpus *cpus, int tid)
{
	size_t bytes = CPU_ALLOC_SIZE(CPUS);
	cpu_set_t *set = CPU_ALLOC(CPUS);

	if (set && !sched_getaffinity(tid, bytes, set)) {
		cpus->pinned = cpus->pinned && CPU_COUNT_S(bytes, set) == 1;
		for (unsigned int i = 0; i < CPUS; i++)
			if (CPU_ISSET_S(i, bytes, set) && !cpus->has[i]) {
				cpus->has[i] = true;
				cpus->count++;
			}
	}
	CPU_FREE(set);
}

/* The governor of the CPUs, the first that is not "performance" if they differ. */
static void add_governor(struct conditions *cs, const struct cpus *cpus)
{
	char path[96], text[64], found[64] = "";

	for (unsigned int i = 0; i < CPUS; i++) {
		if (!cpus->has[i])
			continue;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", i);
		if (sysfs_read(text, sizeof(text), path))
			continue;
		if (!found[0] || strcmp(text, "performance"))
			snprintf(found, sizeof(found), "%s", text);
		if (strcmp(text, "performance"))
			break;
	}
	condition_add(cs, "governor", "", "%s", found[0] ? found : "unknown");
	if (found[0] && strcmp(found, "performance"))
		condition_advise(cs, "the clock rate follows the load: cpupower "
				     "frequency-set -g performance");
}

static bool is_on_node(unsigned int cpu, int node)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/node%d", cpu, node);
	return !access(path, F_OK);
}

static void add_nodes(struct conditions *cs, const struct session *s,
		      const struct cpus *cpus)
{
	for (unsigned int i = 0; i < s->nr_devices; i++) {
		const struct device *d = &s->devices[i];
		char name[96] = "numa_node";
		unsigned int away = 0;

		if (!d->disk[0])
			continue;
		if (s->nr_devices > 1)
			snprintf(name, sizeof(name), "%.64s.numa_node", d->path);
		if (d->numa_node < 0) {
			condition_add(cs, name, "", "none");
			continue;
		}
		condition_add(cs, name, "", "%d", d->numa_node);
		for (unsigned int k = 0; k < CPUS; k++)
			away += cpus->has[k] && !is_on_node(k, d->numa_node);
		/* Threads of several devices need not be near each of them. */
		if (away == cpus->count || (away && s->nr_devices == 1))
			condition_advise(cs,
					 "threads %s on another node than the device: "
					 "-P1 keeps them near it",
					 away == cpus->count ? "run" : "may run");
	}
}

void conditions_add_cpus(struct conditions *cs, const struct session *s,
			 const struct crew *c)
{
	const struct options *o = s->options;
	static struct cpus cpus;
	static bool wanted[CPUS];
	char asked[96] = "any", list[192];

	cpus = (struct cpus){.pinned = true};
	memset(wanted, 0, sizeof(wanted));
	for (unsigned int i = 0; c && i < crew_size(c); i++)
		add_thread(&cpus, crew_member(c, i).tid);
	if (!c)
		add_thread(&cpus, 0);
	units_format_cpus(list, sizeof(list), cpus.has, CPUS);
	for (unsigned int i = 0; i < o->nr_cpus; i++)
		wanted[o->cpus[i]] = true;
	if (o->nr_cpus)
		units_format_cpus(asked, sizeof(asked), wanted, CPUS);
	else if (o->numa)
		snprintf(asked, sizeof(asked), "near the device");
	condition_add(cs, "cpus", asked, "%s%s", list,
		      cpus.pinned ? ", threads pinned" : "");
	if (o->threads > cpus.count)
		condition_advise(cs, "%u threads share %u CPU%s: -n%u gives each its own",
				 o->threads, cpus.count, cpus.count == 1 ? "" : "s",
				 cpus.count);
	add_governor(cs, &cpus);
	add_nodes(cs, s, &cpus);
}
