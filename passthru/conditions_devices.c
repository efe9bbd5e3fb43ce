// SPDX-License-Identifier: MIT
/* The devices' formats, and what their queues are set to. */
#include "conditions.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "sysfs.h"

struct subject {
	struct conditions *cs;
	const struct session *s;
	const struct device *d;
	unsigned int kernel; /* KERNEL_CODE() */
	bool several;
};

/* "name", or "prefix.name" where there are several devices. */
static const char *name_of(const struct subject *sub, char buf[96], const char *prefix,
			   const char *name)
{
	snprintf(buf, 96, "%.64s%s%.30s", sub->several ? prefix : "",
		 sub->several ? "." : "", name);
	return buf;
}

static void add_format(const struct subject *sub)
{
	static const char *const kinds[] = {
		[DEVICE_NG] = "NVMe generic device",
		[DEVICE_BLOCK] = "block device",
		[DEVICE_FILE] = "file",
		[DEVICE_NULL] = "null device",
		[DEVICE_PRETEND] = "no device",
	};
	const struct device *d = sub->d;
	const struct command_format *fmt = &d->format;
	char name[96];

	condition_add(sub->cs, name_of(sub, name, d->path, "device"), "", "%s, %s%s%s",
		      d->path, kinds[d->kind], d->disk[0] ? " on " : "", d->disk);
	condition_add(sub->cs, name_of(sub, name, d->path, "lbas"), "",
		      "%llu of %u bytes", (unsigned long long)fmt->nsze, fmt->lba_bytes);
	if (d->kind != DEVICE_NG)
		return;
	if (fmt->meta_bytes)
		condition_add(sub->cs, name_of(sub, name, d->path, "metadata"), "",
			      "%u bytes per LBA, %s", fmt->meta_bytes,
			      fmt->meta_extended ? "extended LBA" : "separate");
	else
		condition_add(sub->cs, name_of(sub, name, d->path, "metadata"), "",
			      "none");
	if (fmt->protection)
		condition_add(sub->cs, name_of(sub, name, d->path, "protection"), "",
			      "type %u, transferred and not checked", fmt->protection);
	else
		condition_add(sub->cs, name_of(sub, name, d->path, "protection"), "",
			      "none");
	name_of(sub, name, d->path, "mdts");
	if (fmt->mdts_bytes > 0)
		condition_add(sub->cs, name, "", "%lld KiB",
			      (long long)fmt->mdts_bytes / 1024);
	else
		condition_add(sub->cs, name, "", "%s",
			      fmt->mdts_bytes ? "unknown" : "no limit");
}

/* What may be said about a queue attribute that reads @text. */

static void advise_iostats(const struct subject *sub, const char *text)
{
	/* Passthrough is not charged from 6.8 on, but for iostats_passthrough. */
	if (!strcmp(text, "0") ||
	    (sub->s->engine->passthrough && sub->kernel >= KERNEL_CODE(6, 8, 0)))
		return;
	condition_advise(sub->cs,
			 "stamps each I/O: --ab iostats measures what that costs, echo 0 "
			 ">/sys/block/%s/queue/iostats ends it",
			 sub->d->disk);
}

static void advise_iostats_passthrough(const struct subject *sub, const char *text)
{
	if (strcmp(text, "0") && sub->s->engine->passthrough)
		condition_advise(sub->cs,
				 "stamps each I/O: --ab stats measures what that costs, "
				 "echo 0 >/sys/block/%s/queue/iostats_passthrough ends "
				 "it",
				 sub->d->disk);
}

static void advise_wbt(const struct subject *sub, const char *text)
{
	/* Before 6.8 the stamps stay once they are on, see queue_stats. */
	if (strcmp(text, "0") && !sub->s->engine->passthrough &&
	    sub->kernel >= KERNEL_CODE(6, 8, 0))
		condition_advise(sub->cs,
				 "writeback throttling follows each I/O: echo 0 "
				 ">/sys/block/%s/queue/wbt_lat_usec ends it",
				 sub->d->disk);
}

static void advise_scheduler(const struct subject *sub, const char *text)
{
	if (strstr(text, "[none]") || !strcmp(text, "none"))
		return;
	condition_advise(
		sub->cs, "an I/O scheduler %s: echo none >/sys/block/%s/queue/scheduler",
		sub->s->engine->passthrough
			? "stamps requests that it never sees"
			: "sorts and stamps what a fast drive takes in any order",
		sub->d->disk);
}

static void advise_nomerges(const struct subject *sub, const char *text)
{
	if (!strcmp(text, "0") && !sub->s->engine->passthrough && sub->s->options->random)
		condition_advise(sub->cs,
				 "each read looks for one to merge with, random ones in "
				 "vain: echo 2 >/sys/block/%s/queue/nomerges",
				 sub->d->disk);
}

static void advise_nr_requests(const struct subject *sub, const char *text)
{
	const struct options *o = sub->s->options;
	unsigned long limit = strtoul(text, NULL, 10);

	/* A thread's depth is shared among its devices; threads may have queues apart. */
	if (limit && o->threads >= o->nr_devices && o->depth > limit)
		condition_advise(sub->cs,
				 "fewer than -d%u: what is beyond waits in kernel "
				 "threads, and polled ones spin: use -d%lu",
				 o->depth, limit);
}

static const struct {
	const char *name;
	void (*advise)(const struct subject *sub, const char *text);
} attributes[] = {
	{"io_poll", NULL},
	{"iostats", advise_iostats},
	{"iostats_passthrough", advise_iostats_passthrough},
	{"wbt_lat_usec", advise_wbt},
	{"scheduler", advise_scheduler},
	{"nomerges", advise_nomerges},
	{"rq_affinity", NULL},
	{"nr_requests", advise_nr_requests},
	{"max_hw_sectors_kb", NULL},
};

/* QUEUE_FLAG_STATS is only to be seen in debugfs, by root. */
static void add_queue_stats(const struct subject *sub)
{
	char path[128], text[256], name[96];

	snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/state", sub->d->disk);
	if (sysfs_read(text, sizeof(text), path))
		return;
	condition_add(sub->cs, name_of(sub, name, sub->d->disk, "queue_stats"), "", "%s",
		      strstr(text, "|STATS") || !strncmp(text, "STATS", 5) ? "on"
									   : "off");
	if (!strcmp(condition_effective(sub->cs, name), "on") &&
	    (!sub->s->engine->passthrough || sub->kernel < KERNEL_CODE(6, 8, 0)))
		condition_advise(sub->cs, "stamps each I/O%s",
				 sub->kernel < KERNEL_CODE(6, 8, 0)
					 ? ", and no switch ends it: Linux 6.8 spares "
					   "passthrough, kpatch/6.1 has the same for 6.1"
					 : ": wbt or blk-throttle have turned it on");
}

static void add_queue(const struct subject *sub)
{
	const char *disk = sub->d->disk;
	char path[160], name[96], text[96];

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", disk,
			 attributes[i].name);
		if (sysfs_read(text, sizeof(text), path))
			continue;
		condition_add(sub->cs, name_of(sub, name, disk, attributes[i].name), "",
			      "%s", text);
		if (attributes[i].advise && sub->s->engine->touches_block)
			attributes[i].advise(sub, text);
	}
	add_queue_stats(sub);
}

/* Hardware queues that are polled, as debugfs tells root; -1: it does not. */
static int count_poll_queues(const char *disk)
{
	char path[160], text[32];
	const struct dirent *e;
	int n = 0, seen = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s", disk);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((e = readdir(dir))) {
		if (strncmp(e->d_name, "hctx", 4))
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/debug/block/%s/%.32s/type",
			 disk, e->d_name);
		if (sysfs_read(text, sizeof(text), path))
			continue;
		seen++;
		n += !strcmp(text, "poll");
	}
	closedir(dir);
	return seen ? n : -1;
}

static void add_poll_queues(const struct subject *sub)
{
	const struct device *d = sub->d;
	char name[96], asked[32];
	int n = count_poll_queues(d->disk);

	if (strncmp(d->disk, "nvme", 4))
		return;
	(void)sysfs_read(asked, sizeof(asked), "/sys/module/nvme/parameters/poll_queues");
	name_of(sub, name, d->disk, "nvme.poll_queues");
	if (n >= 0)
		condition_add(sub->cs, name, asked, "%d", n);
	else
		condition_add(sub->cs, name, asked, "%s",
			      d->io_poll == 1   ? "1 or more"
			      : d->io_poll == 0 ? "0"
						: "unknown");
}

static bool disk_is_new(const struct session *s, unsigned int i)
{
	for (unsigned int k = 0; k < i; k++)
		if (!strcmp(s->devices[k].disk, s->devices[i].disk))
			return false;
	return s->devices[i].disk[0];
}

void conditions_add_devices(struct conditions *cs, const struct session *s)
{
	struct utsname uts;

	uname(&uts);
	for (unsigned int i = 0; i < s->nr_devices; i++) {
		const struct subject sub = {
			.cs = cs,
			.s = s,
			.d = &s->devices[i],
			.kernel = kernel_code(&uts),
			.several = s->nr_devices > 1,
		};

		add_format(&sub);
		if (!disk_is_new(s, i))
			continue;
		add_queue(&sub);
		add_poll_queues(&sub);
	}
}
