// SPDX-License-Identifier: MIT
#include "restore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Tests have files of their own. */
#ifndef RESTORE_BELOW
#define RESTORE_BELOW "/sys/"
#endif

/* 1024 undos of the longest kind. */
#define MAX_BYTES ((size_t)1024 * 512)

/* The notes of one run, read whole. */
struct notes {
	char *text;
	char *lines; /* where the undos begin; NULL: none were noted */
	char boot[64];
	int pid;
};

/* What to do with a run's notes; a negative answer ends the walk. */
typedef int visit(int dir, const char *name, int fd, const struct notes *n, void *arg);

static void read_notes(int fd, struct notes *n)
{
	struct stat st;
	ssize_t got = 0;
	char *end;
	int used = 0;

	memset(n, 0, sizeof(*n));
	n->text = calloc(1, MAX_BYTES + 1);
	if (!n->text || fstat(fd, &st) || st.st_uid != geteuid() || !S_ISREG(st.st_mode))
		return;
	got = pread(fd, n->text, MAX_BYTES, 0);
	if (got <= 0)
		return;
	/* A line that was cut short was noted before a change that did not come. */
	end = strrchr(n->text, '\n');
	if (end)
		end[1] = 0;
	if (sscanf(n->text, STATE_TITLE "\n%63[^\n]\n%d\n%n", n->boot, &n->pid, &used) ==
		    2 &&
	    used)
		n->lines = n->text + used;
}

/* Every run's notes in one folder. @alive: for each run that still lives. */
static int walk_place(const char *place, visit *dead, visit *alive, void *arg)
{
	int dir = state_open_place(place, false);
	const struct dirent *e;
	DIR *list;
	int ret = 0;

	if (dir < 0)
		return 0;
	list = fdopendir(dup(dir));
	while (list && ret >= 0 && (e = readdir(list))) {
		struct notes n;
		int fd;

		if (strncmp(e->d_name, "run-", 4))
			continue;
		fd = openat(dir, e->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		read_notes(fd, &n);
		if (!flock(fd, LOCK_EX | LOCK_NB))
			ret = dead(dir, e->d_name, fd, &n, arg);
		else if (alive)
			ret = alive(dir, e->d_name, fd, &n, arg);
		free(n.text);
		close(fd);
	}
	if (list)
		closedir(list);
	close(dir);
	return ret;
}

static int walk(visit *dead, visit *alive, void *arg)
{
	int ret = 0;

	for (unsigned int i = 0; i < STATE_PLACES && ret >= 0; i++) {
		char place[STATE_PATH_LEN];

		state_place(i, place);
		ret = walk_place(place, dead, alive, arg);
	}
	return ret;
}

static int this_boot(const struct notes *n)
{
	char boot[64];

	return !state_boot_id(boot, sizeof(boot)) && !strcmp(boot, n->boot);
}

struct pending {
	unsigned int undos;
	char *path;
};

static int count(int dir, const char *name, int fd, const struct notes *n, void *arg)
{
	struct pending *p = arg;

	(void)dir;
	(void)name;
	(void)fd;
	if (!n->lines || !this_boot(n))
		return 0;
	for (const char *at = n->lines; (at = strchr(at, '\n')); at++) {
		if (!p->undos++)
			snprintf(p->path, STATE_PATH_LEN, "%.*s",
				 (int)strcspn(n->lines, "\t\n"), n->lines);
	}
	return 0;
}

unsigned int restore_pending(char path[STATE_PATH_LEN])
{
	struct pending p = {.path = path};

	path[0] = 0;
	(void)walk(count, NULL, &p);
	return p.undos;
}

struct restoring {
	FILE *out;
	struct fail *fail;
	unsigned int lines; /* printed */
};

/* One undo: "path<tab>text". Returns 0 if it is done with. */
static int undo_line(struct restoring *r, int pid, char *line)
{
	char *text = strchr(line, '\t');
	size_t len;
	int fd, err;

	if (!text || strncmp(line, RESTORE_BELOW, strlen(RESTORE_BELOW)) ||
	    strstr(line, "/../"))
		return fail(r->fail, STATUS_FAILED,
			    "restore: run %d noted '%s', which is nothing of ngbench's",
			    pid, line);
	*text++ = 0;
	len = strlen(text);
	/* Append: kprobe_events would drop everybody's probes on truncation. */
	fd = open(line, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	err = fd < 0 || write(fd, text, len) != (ssize_t)len ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (err && err != ENOENT && err != ENODEV)
		return fail(r->fail, STATUS_FAILED, "restore: writing %s to %s: %s%s",
			    text, line, strerror(err),
			    err == EACCES ? "; run as root" : "");
	r->lines++;
	fprintf(r->out, "%s: %s%s (run %d)\n", line,
		err ? "gone, nothing to put back" : "put back to ", err ? "" : text, pid);
	return 0;
}

static int restore_dead(int dir, const char *name, int fd, const struct notes *n,
			void *arg)
{
	struct restoring *r = arg;
	int failed = 0;

	(void)fd;
	if (n->lines && !this_boot(n)) {
		r->lines++;
		fprintf(r->out, "notes of run %d, from before this boot: dropped\n",
			n->pid);
	} else if (n->lines) {
		char *line = n->lines + strlen(n->lines);

		while (line > n->lines) {
			*--line = 0;
			while (line > n->lines && line[-1] != '\n')
				line--;
			failed |= undo_line(r, n->pid, line);
		}
	}
	if (!failed)
		unlinkat(dir, name, 0);
	return 0;
}

static int pass_over(int dir, const char *name, int fd, const struct notes *n, void *arg)
{
	struct restoring *r = arg;

	(void)dir;
	(void)name;
	(void)fd;
	r->lines++;
	fprintf(r->out, "run %d is still at work: left alone\n", n->pid);
	return 0;
}

int restore_all(FILE *out, struct fail *f)
{
	struct restoring r = {.out = out, .fail = f};

	(void)walk(restore_dead, pass_over, &r);
	if (!r.lines && !f->status)
		fputs("nothing to put back\n", out);
	return f->status ? -1 : 0;
}

int restore_main(int argc, char **argv, struct fail *f)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		puts("ngbench restore\n"
		     "Puts back the kernel's settings that runs of ngbench had switched "
		     "when they\n"
		     "were killed or the machine lost them. What a live run holds is "
		     "left alone.\n"
		     "As the user who ran them, mostly root.\n"
		     "\n"
		     "Exit status: 0 all is as it was, 1 something could not be put "
		     "back, 2 usage.");
		return 0;
	}
	if (argc > 1)
		return fail(f, STATUS_USAGE, "restore %s: takes no arguments", argv[1]);
	return restore_all(stdout, f);
}
