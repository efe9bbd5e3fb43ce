// SPDX-License-Identifier: MIT
#include "conditions.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <plugclock.h>

#include "ktime.h"
#include "sysfs.h"

__attribute__((format(printf, 4, 5))) static void
add(struct conditions *cs, const char *name, const char *asked, const char *fmt, ...)
{
	struct condition *c = &cs->list[cs->n];
	va_list ap;

	if (cs->n == CONDITIONS_MAX)
		return;
	cs->n++;
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->asked, sizeof(c->asked), "%s", asked);
	va_start(ap, fmt);
	vsnprintf(c->effective, sizeof(c->effective), fmt, ap);
	va_end(ap);
}

static void add_file(struct conditions *cs, const char *name, const char *path)
{
	char text[96];

	add(cs, name, "", "%s", sysfs_read(text, sizeof(text), path) ? "unknown" : text);
}

static void add_machine(struct conditions *cs)
{
	static const char *const detectors[] = {
		[PLUGCLOCK_DETECTOR_NONE] = "none",
		[PLUGCLOCK_DETECTOR_USER] = "user",
		[PLUGCLOCK_DETECTOR_EXACT] = "exact",
	};
	struct utsname uts;
	struct rlimit lim;

	uname(&uts);
	add(cs, "kernel", "", "%s", uts.release);
	add_file(cs, "clocksource",
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	add_file(cs, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	add_file(cs, "io_uring_disabled", "/proc/sys/kernel/io_uring_disabled");
	if (!getrlimit(RLIMIT_MEMLOCK, &lim)) {
		if (lim.rlim_cur == RLIM_INFINITY)
			add(cs, "memlock", "", "unlimited");
		else
			add(cs, "memlock", "", "%llu KiB",
			    (unsigned long long)lim.rlim_cur / 1024);
	}
	/* Only a kernel with our series and its debug switch has it. */
	if (ktime_state())
		add(cs, "blk_ktime", "", "%s", ktime_state());
	add(cs, "plugclock_detector", "", "%s", detectors[plugclock_detector()]);
}

static void add_disk(struct conditions *cs, const struct device *d, bool several)
{
	static const char *const attrs[] = {
		"io_poll",   "iostats",  "iostats_passthrough", "wbt_lat_usec",
		"scheduler", "nomerges", "rq_affinity",         "max_hw_sectors_kb",
	};
	char path[160], name[160], text[96];

	add(cs, several ? d->path : "device", "", "%s%s%s, %llu LBAs of %u bytes",
	    d->path, d->disk[0] ? " on " : "", d->disk,
	    (unsigned long long)d->format.nsze, d->format.lba_bytes);
	if (d->format.meta_bytes)
		add(cs, "metadata", "", "%u bytes per LBA, %s", d->format.meta_bytes,
		    d->format.meta_extended ? "extended LBA" : "separate");
	for (size_t i = 0; d->disk[0] && i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", d->disk, attrs[i]);
		if (sysfs_read(text, sizeof(text), path))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", several ? d->disk : "",
			 several ? "." : "", attrs[i]);
		add(cs, name, "", "%s", text);
	}
	if (d->numa_node >= 0)
		add(cs, "numa_node", "", "%d", d->numa_node);
}

static void add_ring(struct conditions *cs, const struct session *s, const struct ring *r)
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
	static const char *const choices[] = {"0", "1", "auto"};
	const struct options *o = s->options;

	add(cs, "engine", o->engine ? o->engine : "auto", "%s", s->engine->name);
	add(cs, "polled", choices[s->polled_asked], "%d",
	    !!(r->setup_flags & IORING_SETUP_IOPOLL));
	add(cs, "registered_ring", o->registered_ring ? "1" : "0", "%d",
	    !!(r->enter_flags & IORING_ENTER_REGISTERED_RING));
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		add(cs, flags[i].name, "auto", "%d", !!(r->setup_flags & flags[i].flag));
}

void conditions_collect(struct conditions *cs, const struct session *s,
			const struct crew *c)
{
	memset(cs, 0, sizeof(*cs));
	add_machine(cs);
	add_ring(cs, s, crew_ring(c));
	for (unsigned int i = 0; i < s->nr_devices; i++)
		add_disk(cs, &s->devices[i], s->nr_devices > 1);
	if (!strcmp(s->engine->name, "nvme"))
		add_file(cs, "nvme.poll_queues",
			 "/sys/module/nvme/parameters/poll_queues");
}
