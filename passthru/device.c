// SPDX-License-Identifier: MIT
#include "device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sysfs.h"

static long queue_long(const struct device *d, const char *attr, long otherwise)
{
	char path[128];

	if (!d->disk[0])
		return otherwise;
	snprintf(path, sizeof(path), "/sys/block/%s/%s", d->disk, attr);
	return sysfs_read_long(path, otherwise);
}

static int classify(struct device *d, const struct stat *st, struct fail *f)
{
	const dev_t null = makedev(1, 3);
	char type = S_ISCHR(st->st_mode) ? 'c' : 'b';
	dev_t dev = S_ISREG(st->st_mode) ? st->st_dev : st->st_rdev;

	sysfs_disk(d->disk, type, major(dev), minor(dev));
	if (S_ISREG(st->st_mode))
		d->kind = DEVICE_FILE;
	else if (S_ISBLK(st->st_mode))
		d->kind = DEVICE_BLOCK;
	else if (S_ISCHR(st->st_mode) && st->st_rdev == null)
		d->kind = DEVICE_NULL;
	else if (S_ISCHR(st->st_mode) && d->disk[0])
		d->kind = DEVICE_NG;
	else
		return fail(f, STATUS_USAGE,
			    "%s: %s; a device is /dev/ngXnY, a block device, a file or "
			    "/dev/null",
			    d->path,
			    S_ISDIR(st->st_mode)    ? "is a directory"
			    : S_ISFIFO(st->st_mode) ? "is a FIFO"
			    : S_ISSOCK(st->st_mode) ? "is a socket"
						    : "is no NVMe generic device");
	return 0;
}

/* -u against what the path is, naming the node that was meant. */
static int check_passthrough(const struct device *d, enum choice passthrough,
			     struct fail *f)
{
	unsigned int ctrl, ns;

	if (passthrough == CHOICE_OFF && d->kind == DEVICE_NG)
		return fail(f, STATUS_USAGE,
			    "%s: takes passthrough only; its block device is /dev/%s",
			    d->path, d->disk);
	if (passthrough == CHOICE_OFF && d->kind == DEVICE_NULL)
		return fail(f, STATUS_USAGE,
			    "%s: takes passthrough only (a read of it is no I/O); leave "
			    "-u0 out",
			    d->path);
	if (passthrough != CHOICE_ON || d->kind == DEVICE_NG || d->kind == DEVICE_NULL)
		return 0;
	if (d->kind == DEVICE_BLOCK && sscanf(d->disk, "nvme%un%u", &ctrl, &ns) == 2)
		return fail(f, STATUS_USAGE,
			    "%s: -u1 needs the generic device of this namespace: "
			    "/dev/ng%un%u",
			    d->path, ctrl, ns);
	return fail(f, STATUS_USAGE, "%s: -u1 needs an NVMe generic device, /dev/ngXnY",
		    d->path);
}

static int open_failure(const struct device *d, const struct stat *st, int err,
			struct fail *f)
{
	if (err == EINVAL && d->kind == DEVICE_FILE)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "%s: its file system has no direct I/O; use -O0", d->path);
	if (err == EACCES && geteuid())
		return fail(f, STATUS_NOT_POSSIBLE,
			    "%s: permission denied: mode %04o, owner %u, group %u, you "
			    "are %u",
			    d->path, st->st_mode & 07777u, st->st_uid, st->st_gid,
			    geteuid());
	if (err == EACCES || err == EPERM)
		return fail(
			f, STATUS_NOT_POSSIBLE,
			"%s: %s although the mode allows it: a security module or the "
			"container's device list forbids it",
			d->path, strerror(err));
	return fail(f, STATUS_NOT_POSSIBLE, "%s: %s", d->path, strerror(err));
}

static int identify_block(struct device *d, const struct stat *st,
			  const struct options *o, struct fail *f)
{
	uint64_t bytes = (uint64_t)st->st_size;
	unsigned int ctrl, ns;

	if (d->kind == DEVICE_BLOCK && ioctl(d->fd, BLKGETSIZE64, &bytes))
		return fail(f, STATUS_NOT_POSSIBLE, "%s: reading its size: %s", d->path,
			    strerror(errno));
	if (!bytes && d->kind == DEVICE_BLOCK &&
	    sscanf(d->disk, "nvme%un%u", &ctrl, &ns) == 2)
		return fail(
			f, STATUS_NOT_POSSIBLE,
			"%s: has no size as a block device, as with a metadata format "
			"that the block layer cannot take; read /dev/ng%un%u",
			d->path, ctrl, ns);
	if (!bytes)
		return fail(f, STATUS_USAGE, "%s: is empty; nothing to read there",
			    d->path);
	d->format.lba_bytes = 512;
	if (o->direct)
		d->format.lba_bytes =
			(uint32_t)queue_long(d, "queue/logical_block_size", 512);
	d->format.nsze = bytes / d->format.lba_bytes;
	return 0;
}

static void pretend(struct device *d)
{
	d->format = (struct command_format){
		.nsid = 1,
		.nsze = 1u << 21,
		.lba_bytes = 512,
	};
}

int device_check_polled(const struct device *d, const struct options *o, struct fail *f)
{
	if (o->polled != CHOICE_ON)
		return 0;
	if (d->kind == DEVICE_NULL)
		return fail(f, STATUS_NOT_POSSIBLE, "%s: cannot be polled; use -p0",
			    d->path);
	if (d->kind != DEVICE_NG && !o->direct)
		return fail(f, STATUS_USAGE,
			    "%s: polled reads must be direct; use -O1, or -p0 with -O0",
			    d->path);
	if (d->io_poll == 0)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "%s: no poll queue (queue/io_poll of %s is 0); for NVMe boot "
			    "with "
			    "nvme.poll_queues=1 or more, or use -p0",
			    d->path, d->disk);
	return 0;
}

static int check_size(struct device *d, const struct options *o, struct fail *f)
{
	if (command_range(&d->range, &d->format, o->block_bytes, d->path, f))
		return -1;
	d->max_bytes = queue_long(d, "queue/max_hw_sectors_kb", 0) * 1024;
	if (d->kind == DEVICE_NG && d->max_bytes && d->range.data_bytes > d->max_bytes)
		return fail(f, STATUS_USAGE,
			    "%s: block size %u is beyond its largest transfer (MDTS) of "
			    "%ld bytes",
			    d->path, o->block_bytes, d->max_bytes);
	return 0;
}

int device_open(struct device *d, const char *path, const struct options *o,
		struct fail *f)
{
	int flags = O_RDONLY | O_CLOEXEC;
	struct stat st;

	memset(d, 0, sizeof(*d));
	d->path = path;
	d->fd = -1;
	if (stat(path, &st))
		return fail(f, errno == EACCES ? STATUS_NOT_POSSIBLE : STATUS_USAGE,
			    "%s: %s%s", path, strerror(errno),
			    strncmp(path, "/dev/ng", 7)
				    ? ""
				    : "; 'ls /dev/ng*' shows what there is (Linux 5.13 "
				      "or newer)");
	d->dev = S_ISREG(st.st_mode) ? st.st_dev : st.st_rdev;
	d->ino = S_ISREG(st.st_mode) ? st.st_ino : 0;
	if (classify(d, &st, f) || check_passthrough(d, o->passthrough, f))
		return -1;
	d->io_poll = (int)queue_long(d, "queue/io_poll", -1);
	d->numa_node = (int)queue_long(d, "device/numa_node", -1);
	if (device_check_polled(d, o, f))
		return -1;
	if (d->kind == DEVICE_BLOCK || d->kind == DEVICE_FILE)
		flags |= o->direct ? O_DIRECT : 0;
	d->fd = open(path, flags);
	if (d->fd < 0)
		return open_failure(d, &st, errno, f);
	if (d->kind == DEVICE_NULL)
		pretend(d);
	else if (d->kind == DEVICE_NG ? identify_namespace(&d->format, d->fd, path, f)
				      : identify_block(d, &st, o, f))
		goto close;
	if (check_size(d, o, f))
		goto close;
	return 0;
close:
	device_close(d);
	return -1;
}

int device_pretend(struct device *d, const struct options *o, struct fail *f)
{
	memset(d, 0, sizeof(*d));
	d->path = "nop";
	d->kind = DEVICE_PRETEND;
	d->fd = -1;
	d->io_poll = d->numa_node = -1;
	pretend(d);
	return check_size(d, o, f);
}

void device_close(struct device *d)
{
	if (d->path && d->fd >= 0)
		close(d->fd);
	memset(d, 0, sizeof(*d));
	d->fd = -1;
}
