/* SPDX-License-Identifier: MIT */
/*
 * One open device or file: what it is, how large, and where sysfs keeps it
 */
#ifndef NGBENCH_DEVICE_H
#define NGBENCH_DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "command.h"
#include "fail.h"
#include "options.h"

enum device_kind {
	DEVICE_NG,      /* NVMe generic character device, /dev/ngXnY */
	DEVICE_BLOCK,   /* block device */
	DEVICE_FILE,    /* regular file */
	DEVICE_NULL,    /* /dev/null */
	DEVICE_PRETEND, /* nothing: for no-ops */
};

struct device {
	const char *path; /* as given; the caller's */
	enum device_kind kind;
	int fd;
	struct command_format format; /* blocks and files: nsid 0, no metadata */
	struct command_range range;
	char disk[64];  /* name under /sys/block, "" where there is none */
	int numa_node;  /* -1: unknown */
	long max_bytes; /* largest transfer, 0: unknown */
	int io_poll;    /* queue/io_poll, -1: unknown */
	dev_t dev;      /* what two names of one device share: its number, and ino 0; */
	ino_t ino;      /* of a file, its file system and inode */
};

/*
 * device_open() - open for reading, identify, and check against the options
 *
 * /dev/null is a namespace of 1 GiB with 512-byte LBAs.
 * Errors:  STATUS_USAGE: no such path, a directory, FIFO or other thing that is
 *          no device, empty, smaller than a block, a block size that does not
 *          fit, a block path with -u1 or an ng path with -u0 (the message names
 *          the matching node), /dev/null with -u0, -p1 with buffered I/O;
 *          STATUS_NOT_POSSIBLE: no permission, no O_DIRECT there, polling asked
 *          for by -p1 and no poll queue.
 * Returns: 0 or -1 with @f set; then @d holds nothing to close.
 */
int device_open(struct device *d, const char *path, const struct options *o,
		struct fail *f);

/*
 * device_check_polled() - can @d be read as @o asks for it: polled or not?
 *
 * Errors:  those of device_open() for -p1.
 */
int device_check_polled(const struct device *d, const struct options *o, struct fail *f);

/* device_pretend() - what the nop engine reads: nothing, of the form of /dev/null. */
int device_pretend(struct device *d, const struct options *o, struct fail *f);

/* device_close() - takes a zeroed struct. */
void device_close(struct device *d);

#endif
