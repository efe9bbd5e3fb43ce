// SPDX-License-Identifier: MIT
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sysfs_read(char *buf, size_t len, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	buf[0] = 0;
	if (fd < 0)
		return -errno;
	n = read(fd, buf, len - 1);
	if (n < 0) {
		n = -errno;
		close(fd);
		return (int)n;
	}
	close(fd);
	buf[n] = 0;
	n = (ssize_t)strcspn(buf, "\n");
	while (n && buf[n - 1] == ' ')
		n--;
	buf[n] = 0;
	return 0;
}

long sysfs_read_long(const char *path, long otherwise)
{
	char text[64], *end;
	long value;

	if (sysfs_read(text, sizeof(text), path) || !text[0])
		return otherwise;
	value = strtol(text, &end, 10);
	return *end ? otherwise : value;
}

int sysfs_disk(char disk[64], char type, unsigned int major, unsigned int minor)
{
	char link[64], real[PATH_MAX], probe[PATH_MAX + 16];
	const char *name;
	unsigned int ctrl, ns;
	int used = 0;

	disk[0] = 0;
	snprintf(link, sizeof(link), "/sys/dev/%s/%u:%u", type == 'c' ? "char" : "block",
		 major, minor);
	if (!realpath(link, real))
		return -ENOENT;
	name = basename(real);
	if (type == 'c') {
		if (sscanf(name, "ng%un%u%n", &ctrl, &ns, &used) != 2 || name[used])
			return -ENOENT;
		snprintf(disk, 64, "nvme%un%u", ctrl, ns);
	} else {
		snprintf(probe, sizeof(probe), "%s/partition", real);
		if (!access(probe, F_OK)) {
			real[name - real - 1] = 0;
			name = basename(real);
		}
		snprintf(disk, 64, "%.63s", name);
	}
	snprintf(probe, sizeof(probe), "/sys/block/%s", disk);
	if (!access(probe, F_OK))
		return 0;
	disk[0] = 0;
	return -ENOENT;
}
