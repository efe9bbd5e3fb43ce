/* SPDX-License-Identifier: MIT */
/*
 * Small files of /sys and /proc
 */
#ifndef NGBENCH_SYSFS_H
#define NGBENCH_SYSFS_H

#include <stddef.h>

/*
 * sysfs_read() - the first line of a file, without its newline and blanks before it
 *
 * Returns: 0, or -errno with @buf set to "".
 */
int sysfs_read(char *buf, size_t len, const char *path);

/* sysfs_read_long() - a decimal number, or @otherwise where there is none to read. */
long sysfs_read_long(const char *path, long otherwise);

/*
 * sysfs_disk() - the name under /sys/block that belongs to a device node
 *
 * "ng0n1" gives "nvme0n1", a partition gives its disk.
 * Returns: 0, or -ENOENT with @disk set to "".
 */
int sysfs_disk(char disk[64], char type, unsigned int major, unsigned int minor);

#endif
