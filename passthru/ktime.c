// SPDX-License-Identifier: MIT
#include "ktime.h"

#include <errno.h>
#include <linux/magic.h>
#include <math.h>
#include <stdio.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "sysfs.h"

/* Tests have a folder of their own. */
#ifndef KTIME_DEBUGFS
#define KTIME_DEBUGFS "/sys/kernel/debug"
#define KTIME_FS_TYPE DEBUGFS_MAGIC
#endif

/* Per I/O. Off is none at all; a task may have been past the switch as it was turned. */
#define MOST_OFF 0.01
/* A plug of 3 requests caches 2 of 3 stamps. Other programs' I/O counts, too. */
#define LEAST_ON 0.1

static void path_of(char path[128], const char *name)
{
	snprintf(path, 128, "%s/blk_ktime/%s", KTIME_DEBUGFS, name);
}

/* The switch cannot be opened for @err; why, in the order in which one would look. */
static int say_why(int err, const char *path, struct fail *f)
{
	struct statfs fs;

	if (err == EACCES || err == EPERM)
		return fail(
			f, STATUS_NOT_POSSIBLE, "--ab ktime: %s is for root only%s", path,
			geteuid() ? "; run as root" : ", and this kernel is locked down");
	if (statfs(KTIME_DEBUGFS, &fs))
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab ktime: no %s: this kernel has no debugfs, which the "
			    "switch of the cached clock is in",
			    KTIME_DEBUGFS);
	if (fs.f_type != KTIME_FS_TYPE)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab ktime: debugfs is not mounted at %s; as root, 'mount "
			    "-t debugfs none %s' does it",
			    KTIME_DEBUGFS, KTIME_DEBUGFS);
	return fail(f, STATUS_NOT_POSSIBLE,
		    "--ab ktime: no %s: this kernel is without the series of kpatch/, "
		    "or was built without CONFIG_BLK_KTIME_DEBUG",
		    path);
}

int ktime_hold(struct attr *a, int *undo, struct fail *f)
{
	path_of(a->path, "enabled");
	if (access(a->path, R_OK | W_OK))
		return say_why(errno, a->path, f);
	return attr_hold(a, "ktime", undo, f);
}

long long ktime_cached(void)
{
	char path[128];

	path_of(path, "cached");
	return sysfs_read_long(path, -1);
}

const char *ktime_state(void)
{
	char path[128];
	long on;

	path_of(path, "enabled");
	on = sysfs_read_long(path, -1);
	return on < 0 ? NULL : on ? "on" : "off";
}

int ktime_verify(double on, double off, struct fail *f)
{
	if (isnan(on) || isnan(off))
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab ktime: %s/blk_ktime/cached cannot be read: nothing "
			    "shows that the switch reaches this path",
			    KTIME_DEBUGFS);
	if (off > MOST_OFF)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab ktime: with the cached clock off, %.2f stamps per I/O "
			    "were still served from it: the switch has no effect",
			    off);
	if (on < LEAST_ON)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab ktime: with the cached clock on, only %.2f stamps per "
			    "I/O are served from it: there is nothing to cache with "
			    "statistics off, with fewer than 3 requests submitted at "
			    "once (-s), or where the kernel stamps no such I/O, as "
			    "passthrough from 6.8 on",
			    on);
	return 0;
}
