// SPDX-License-Identifier: MIT
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysfs.h"

/* Tests have a folder of their own. */
#ifndef STATE_ROOT
#define STATE_ROOT ""
#endif

static struct {
	int fd;     /* 0: none yet */
	long first; /* where the header ends */
	char path[STATE_PATH_LEN + 32];
} noted;

void state_place(unsigned int i, char place[STATE_PATH_LEN])
{
	static const char *const names[STATE_PLACES][2] = {
		{"/run/plugclock", NULL},
		{"/run/user/", "/plugclock"},
		{"/tmp/plugclock-", ""},
	};
	char uid[16];

	snprintf(uid, sizeof(uid), "%u", geteuid());
	snprintf(place, STATE_PATH_LEN, "%s%s%s%s", STATE_ROOT, names[i][0],
		 names[i][1] ? uid : "", names[i][1] ? names[i][1] : "");
}

int state_open_place(const char *place, bool create)
{
	struct stat st;
	int fd, err;

	if (create && mkdir(place, 0755) && errno != EEXIST)
		return -errno;
	fd = open(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || flock(fd, LOCK_EX)) {
		err = errno;
		close(fd);
		return -err;
	}
	if (st.st_uid != geteuid() || (st.st_mode & 022)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int state_boot_id(char *id, size_t len)
{
	return sysfs_read(id, len, "/proc/sys/kernel/random/boot_id");
}

/* Returns 0, or -errno with nothing of ours left in the folder. */
static int create_in(int dir, const char *place)
{
	char name[32], head[128], boot[64];
	int ret = state_boot_id(boot, sizeof(boot));
	int fd = -1, len;

	if (ret)
		return ret;
	/* A number on top: a dead run may have had our pid. */
	for (unsigned int i = 0; fd < 0; i++) {
		snprintf(name, sizeof(name), "run-%d-%u", getpid(), i);
		fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return -errno;
	}
	len = snprintf(head, sizeof(head), STATE_TITLE "\n%s\n%d\n", boot, getpid());
	if (flock(fd, LOCK_EX | LOCK_NB) || write(fd, head, (size_t)len) != len ||
	    fsync(fd) || fsync(dir)) {
		ret = errno ? -errno : -EIO;
		unlinkat(dir, name, 0);
		close(fd);
		return ret;
	}
	snprintf(noted.path, sizeof(noted.path), "%s/%s", place, name);
	noted.first = len;
	noted.fd = fd;
	return 0;
}

static int create(void)
{
	int ret = 0;

	for (unsigned int i = 0; i < STATE_PLACES; i++) {
		char place[STATE_PATH_LEN];
		int dir;

		state_place(i, place);
		dir = state_open_place(place, true);
		ret = dir < 0 ? dir : create_in(dir, place);
		if (dir >= 0)
			close(dir);
		if (!ret)
			return 0;
	}
	return ret;
}

long state_push(const char *path, const char *text)
{
	char line[STATE_PATH_LEN + 512];
	int len = snprintf(line, sizeof(line), "%s\t%s\n", path, text);
	long mark;
	int ret;

	if (len >= (int)sizeof(line) || strpbrk(path, "\t\n") || strpbrk(text, "\t\n"))
		return -EINVAL;
	ret = noted.fd ? 0 : create();
	if (ret)
		return ret;
	mark = (long)lseek(noted.fd, 0, SEEK_END);
	if (write(noted.fd, line, (size_t)len) != len || fdatasync(noted.fd)) {
		ret = errno ? -errno : -EIO;
		state_pop(mark);
		return ret;
	}
	return mark;
}

void state_pop(long mark)
{
	if (!noted.fd)
		return;
	(void)!ftruncate(noted.fd, mark);
	if (mark > noted.first)
		return;
	unlink(noted.path);
	close(noted.fd);
	noted.fd = 0;
}
