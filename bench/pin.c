// SPDX-License-Identifier: MIT
#include "pin.h"

#include <errno.h>

static cpu_set_t allowed;
static int nr_cpus;

int pin_init(void)
{
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	nr_cpus = CPU_COUNT(&allowed);
	return nr_cpus;
}

int pin_cpus(void)
{
	return nr_cpus;
}

int pin_start(struct pin *p, int i)
{
	cpu_set_t one;
	int skip = i % nr_cpus;

	CPU_ZERO(&one);
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (CPU_ISSET(cpu, &allowed) && !skip--) {
			CPU_SET(cpu, &one);
			break;
		}
	}
	p->pinned = 0;
	if (sched_getaffinity(0, sizeof(p->before), &p->before) ||
	    sched_setaffinity(0, sizeof(one), &one))
		return -errno;
	p->pinned = 1;
	return 0;
}

void pin_finish(struct pin *p)
{
	if (p->pinned)
		sched_setaffinity(0, sizeof(p->before), &p->before);
	p->pinned = 0;
}
