// SPDX-License-Identifier: MIT
#include "attr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "sysfs.h"
#include "undo.h"

#define MAX_VALUE 256

/* What is in force: of a list, the one in brackets. Returns 0 or -errno. */
static int read_value(const struct attr *a, char value[MAX_VALUE])
{
	int ret = sysfs_read(value, MAX_VALUE, a->path);
	char *from = a->form == ATTR_TEXT ? strchr(value, '[') : NULL;
	char *to = from ? strchr(from, ']') : NULL;

	if (to) {
		*to = 0;
		memmove(value, from + 1, (size_t)(to - from));
	}
	return ret;
}

static int open_failure(const struct attr *a, const char *knob, int err, struct fail *f)
{
	return fail(f, STATUS_NOT_POSSIBLE, "--ab %s: %s: %s%s", knob, a->path,
		    strerror(err),
		    err == EACCES && geteuid() ? "; run as root"
		    : err == ENOENT ? ": this kernel or this disk has no such attribute"
				    : "");
}

int attr_hold(struct attr *a, const char *knob, int *undo, struct fail *f)
{
	int fd = open(a->path, O_RDWR | O_CLOEXEC);
	char found[MAX_VALUE];
	int ret, i;

	if (fd < 0)
		return open_failure(a, knob, errno, f);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: %s is held by another run of ngbench", knob,
			    a->path);
	}
	ret = read_value(a, found);
	i = ret ? ret : undo_add(fd, a->path, found);
	if (i < 0) {
		close(fd);
		return ret ? fail(f, STATUS_FAILED, "--ab %s: reading %s: %s", knob,
				  a->path, strerror(-ret))
			   : fail(f, STATUS_NOT_POSSIBLE,
				  "--ab %s: noting what %s holds, so that it can be put "
				  "back, in /run/plugclock, /run/user or /tmp: %s",
				  knob, a->path, strerror(-i));
	}
	if (*undo < 0)
		*undo = i;
	a->fd = fd;
	return 0;
}

/* Does @back, which was read after writing @value, say that it took? */
static bool took(enum attr_form form, const char *value, const char *back)
{
	char *end;

	if (form == ATTR_TEXT || (form == ATTR_WBT && strcmp(value, "-1")))
		return !strcmp(value, back);
	if (form == ATTR_WBT)
		return atol(back) > 0;
	return !!strtol(back, &end, 10) == !!atol(value) && end != back && !*end;
}

int attr_switch(const struct attr *a, const char *knob, const char *value, struct fail *f)
{
	size_t len = strlen(value);
	char back[MAX_VALUE];
	ssize_t n;

	/* Not pwrite(): debugfs knows no positions, and sysfs does not look at them. */
	(void)lseek(a->fd, 0, SEEK_SET);
	n = write(a->fd, value, len);
	if (n < 0 || (size_t)n != len)
		return fail(f, STATUS_NOT_POSSIBLE, "--ab %s: writing %s to %s: %s", knob,
			    value, a->path, n < 0 ? strerror(errno) : "not taken whole");
	if (read_value(a, back) || !took(a->form, value, back))
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: %s reads back %s after writing %s: the switch did "
			    "not take",
			    knob, a->path, back, value);
	return 0;
}
