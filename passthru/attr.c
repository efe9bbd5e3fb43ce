// SPDX-License-Identifier: MIT
#include "attr.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "sysfs.h"
#include "undo.h"

int attr_hold(struct attr *a, const char *knob, int *undo, struct fail *f)
{
	int fd = open(a->path, O_RDWR | O_CLOEXEC);
	char found[64];
	int ret, i;

	if (fd < 0)
		return fail(f, STATUS_NOT_POSSIBLE, "--ab %s: %s: %s%s", knob, a->path,
			    strerror(errno), errno == EACCES ? "; run as root" : "");
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: %s is held by another run of ngbench", knob,
			    a->path);
	}
	ret = sysfs_read(found, sizeof(found), a->path);
	i = ret ? -1 : undo_add(fd, found);
	if (i < 0) {
		close(fd);
		return fail(f, STATUS_FAILED, "--ab %s: reading %s: %s", knob, a->path,
			    strerror(ret ? -ret : ENOSPC));
	}
	if (*undo < 0)
		*undo = i;
	a->fd = fd;
	return 0;
}

int attr_switch(const struct attr *a, const char *knob, bool on, struct fail *f)
{
	long back;

	/* Not pwrite(): debugfs knows no positions, and sysfs does not look at them. */
	(void)lseek(a->fd, 0, SEEK_SET);
	if (write(a->fd, on ? "1" : "0", 1) != 1)
		return fail(f, STATUS_NOT_POSSIBLE, "--ab %s: writing %d to %s: %s", knob,
			    on, a->path, strerror(errno));
	/* iostats_passthrough reads back 4 for on in some releases. */
	back = sysfs_read_long(a->path, -1);
	if (back < 0 || !!back != on)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: %s reads back %ld after writing %d: the switch did "
			    "not take",
			    knob, a->path, back, on);
	return 0;
}
