// SPDX-License-Identifier: MIT
#include "conditions.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The module whose poll queues serve a disk, NULL: it knows none. */
static const char *poll_module(const char *disk)
{
	static const struct {
		const char *disk, *module;
	} modules[] = {{"nvme", "nvme"}, {"nullb", "null_blk"}, {"vd", "virtio_blk"}};

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!strncmp(disk, modules[i].disk, strlen(modules[i].disk)))
			return modules[i].module;
	return NULL;
}

/* Why interrupts complete the reads, where nobody asked for that. */
static void advise_polling(struct conditions *cs, const struct session *s)
{
	const struct device *d = s->devices;
	const char *module;

	if (s->options->polled == CHOICE_ON || s->polled_asked == CHOICE_OFF ||
	    !s->engine->can_poll || !s->engine->reads_device)
		return;
	if (!s->engine->passthrough && !s->options->direct) {
		condition_advise(cs, "buffered reads cannot be polled: -O1");
		return;
	}
	while (d < &s->devices[s->nr_devices - 1] && d->io_poll == 1)
		d++;
	module = poll_module(d->disk);
	if (module)
		condition_advise(cs,
				 "%s has no poll queue: modprobe %s poll_queues=2, or "
				 "%s.poll_queues=2 on the kernel's command line",
				 d->path, module, module);
	else
		condition_advise(cs, "%s lies on a device without poll queues", d->path);
}

static void add_granted(struct conditions *cs, const struct ring *r)
{
	static const struct {
		unsigned int flag;
		const char *name;
	} flags[] = {
		{IORING_SETUP_SINGLE_ISSUER, "SINGLE_ISSUER"},
		{IORING_SETUP_DEFER_TASKRUN, "DEFER_TASKRUN"},
		{IORING_SETUP_COOP_TASKRUN, "COOP_TASKRUN"},
		{IORING_SETUP_NO_SQARRAY, "NO_SQARRAY"},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		condition_add(cs, flags[i].name, "auto", "%d",
			      !!(r->setup_flags & flags[i].flag));
}

/*
 * The kernel's threads run on any CPU that is online, whatever ours are pinned to
 * (io_sq_thread() in 6.1, 6.12 and 7.3).
 */
static void add_sq_threads(struct conditions *cs, const struct options *o,
			   const struct ring *r)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	condition_add(cs, "sqpoll", o->kernel_submits ? "1" : "0", "%d",
		      r ? !!r->sq_flags : o->kernel_submits);
	if (!o->kernel_submits || 2l * o->threads <= cpus)
		return;
	if (cpus < 2)
		condition_advise(cs,
				 "the threads and the kernel's, which spin alike, share "
				 "the only CPU: --sqpoll 0");
	else
		condition_advise(
			cs,
			"%u threads and as many of the kernel, which spin alike, "
			"share %ld CPUs: -n%ld, or --sqpoll 0",
			o->threads, cpus, cpus / 2);
}

static void add_ring(struct conditions *cs, const struct session *s, const struct crew *c)
{
	static const char *const choices[] = {"0", "1", "auto"};
	static const char *const stamps[] = {
		[LAT_OFF] = "no clock is read for an I/O",
		[LAT_CLOCK] = "two clock readings per I/O",
		[LAT_CACHED] = "one clock reading per batch",
	};
	const struct options *o = s->options;
	const struct ring *r = c ? crew_ring(c) : NULL;

	condition_add(cs, "engine", o->engine ? o->engine : "auto", "%s",
		      s->engine->name);
	condition_add(cs, "lat", lat_mode_names[o->lat], "%s", stamps[o->lat]);
	condition_add(cs, "polled", choices[s->polled_asked], "%d",
		      r ? !!(r->setup_flags & IORING_SETUP_IOPOLL)
			: o->polled == CHOICE_ON);
	advise_polling(cs, s);
	add_sq_threads(cs, o, r);
	if (!r)
		return;
	condition_add(cs, "registered_ring", o->registered_ring ? "1" : "0", "%d",
		      !!(r->enter_flags & IORING_ENTER_REGISTERED_RING));
	add_granted(cs, r);
}

void conditions_collect(struct conditions *cs, const struct session *s,
			const struct crew *c)
{
	conditions_add_machine(cs, s);
	conditions_add_cpus(cs, s, c);
	add_ring(cs, s, c);
	conditions_add_devices(cs, s);
}
