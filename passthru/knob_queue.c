// SPDX-License-Identifier: MIT
#include "knob_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfs.h"

#define SYSFS_KNOB "sysfs:"

static int hold_attr(struct knob *k, struct attr *a, const char *disk, const char *attr,
		     enum attr_form form, struct fail *f)
{
	a->form = form;
	snprintf(a->path, sizeof(a->path), "/sys/block/%s/queue/%s", disk, attr);
	return attr_hold(a, k->name, &k->undo, f);
}

int knob_queue_hold(struct knob *k, const struct session *s, const char *attr,
		    enum attr_form form, bool needs, struct fail *f)
{
	k->attr = attr;
	k->disks = calloc(s->nr_devices, sizeof(*k->disks));
	if (!k->disks)
		return fail(f, STATUS_FAILED, "out of memory");
	for (unsigned int i = 0; i < s->nr_devices; i++) {
		const char *disk = s->devices[i].disk;
		struct knob_disk *d = &k->disks[k->nr_disks];
		bool known = false;

		if (!s->engine->touches_block || !disk[0])
			return fail(f, STATUS_NOT_POSSIBLE,
				    "--ab %s: the %s engine on %s goes through no queue "
				    "of the block layer, whose attribute this is",
				    k->name, s->engine->name, s->devices[i].path);
		/* Two partitions have one disk. */
		for (unsigned int n = 0; n < k->nr_disks; n++)
			known |= !strcmp(k->disks[n].disk, disk);
		if (known)
			continue;
		snprintf(d->disk, sizeof(d->disk), "%s", disk);
		if ((needs && hold_attr(k, &d->needs, disk, "iostats", ATTR_FLAG, f)) ||
		    hold_attr(k, &d->attr, disk, attr, form, f))
			return -1;
		k->nr_disks++;
	}
	return 0;
}

int knob_queue_set(const struct knob *k, const struct knob_arm *arm, struct fail *f)
{
	for (unsigned int i = 0; i < k->nr_disks; i++) {
		const struct knob_disk *d = &k->disks[i];

		if ((d->needs.fd && attr_switch(&d->needs, k->name, "1", f)) ||
		    attr_switch(&d->attr, k->name, arm->value, f))
			return -1;
	}
	return 0;
}

struct knob_counts knob_queue_counts(const struct knob *k)
{
	struct knob_counts sum = {.accounted = 0, .cached = -1};

	for (unsigned int i = 0; i < k->nr_disks; i++) {
		char path[128], line[256];
		long long reads = 0;

		snprintf(path, sizeof(path), "/sys/block/%s/stat", k->disks[i].disk);
		if (sysfs_read(line, sizeof(line), path) ||
		    sscanf(line, "%lld", &reads) != 1) {
			sum.accounted = -1;
			break;
		}
		sum.accounted += reads;
	}
	return sum;
}

static int parse_text(const struct knob *k, struct knob_arm *arm, const struct session *s,
		      struct fail *f)
{
	(void)k;
	(void)s;
	(void)f;
	snprintf(arm->value, sizeof(arm->value), "%s", arm->name);
	return 0;
}

static int hold_sysfs(struct knob *k, const struct session *s, struct fail *f)
{
	const char *attr = k->name + strlen(SYSFS_KNOB);

	if (!attr[0] || attr[0] == '.' || strchr(attr, '/'))
		return fail(f, STATUS_USAGE,
			    "--ab %s: must name a file in /sys/block/DISK/queue, as in "
			    "sysfs:nomerges=0:2",
			    k->name);
	return knob_queue_hold(k, s, attr, ATTR_TEXT, false, f);
}

const struct knob_kind knob_sysfs = {
	.parse = parse_text,
	.hold = hold_sysfs,
	.set = knob_queue_set,
	.counts = knob_queue_counts,
};
