// SPDX-License-Identifier: MIT
#include "undo.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

#define MAX_UNDOS 1024
#define MAX_TEXT  256

struct undo {
	int fd;
	unsigned int len;
	long mark; /* of the note on disk */
	char text[MAX_TEXT];
};

static struct undo undos[MAX_UNDOS];
/* Raised after an entry is whole, lowered before it goes: a handler sees whole ones. */
static volatile sig_atomic_t nr_undos;

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* A note that is to stay is below all others: nothing is taken back from then on. */
static volatile sig_atomic_t failed;

int undo_now(int i)
{
	int first = 0;

	while (nr_undos > i) {
		struct undo *u = &undos[nr_undos - 1];

		/* Where there are positions; sysfs and tracefs do not look at them. */
		(void)lseek(u->fd, 0, SEEK_SET);
		if (write(u->fd, u->text, u->len) != (ssize_t)u->len) {
			failed = 1;
			first = first ? first : -errno;
		}
		if (!failed)
			state_pop(u->mark);
		nr_undos = nr_undos - 1;
		close(u->fd);
	}
	return first;
}

static void undo_all(void)
{
	(void)undo_now(0);
}

static void on_crash(int sig)
{
	undo_all();
	raise(sig); /* SA_RESETHAND: dies of it now */
}

static void arm_once(void)
{
	static int armed;
	struct sigaction act = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};

	if (armed)
		return;
	armed = 1;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		sigaction(crashes[i], &act, NULL);
	atexit(undo_all);
}

int undo_add(int fd, const char *path, const char *text)
{
	size_t len = strlen(text);
	struct undo *u = &undos[nr_undos];
	long mark;

	if (nr_undos == MAX_UNDOS || len >= MAX_TEXT)
		return -E2BIG;
	mark = state_push(path, text);
	if (mark < 0)
		return (int)mark;
	arm_once();
	u->fd = fd;
	u->len = (unsigned int)len;
	u->mark = mark;
	memcpy(u->text, text, len);
	nr_undos = nr_undos + 1;
	return nr_undos - 1;
}
