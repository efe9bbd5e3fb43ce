// SPDX-License-Identifier: MIT
#include "clockreads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "pause.h"
#include "undo.h"

#define GROUP   "plugclock"
#define PROBED  "ktime_get"
#define PASS_NS (NS_PER_S / 2)

struct probe {
	const char *tracefs;
	char name[32];
	int undo; /* -1: nothing to undo */
};

static const char *find_tracefs(void)
{
	static const char *const places[] = {"/sys/kernel/tracing",
					     "/sys/kernel/debug/tracing"};
	char path[64];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/trace", places[i]);
		if (!access(path, F_OK))
			return places[i];
	}
	return NULL;
}

static int open_control(const struct probe *p, const char *format, char path[192])
{
	char file[96];

	snprintf(file, sizeof(file), format, p->name);
	snprintf(path, 192, "%s/%s", p->tracefs, file);
	/* Append: kprobe_events would drop everybody's probes on truncation. */
	return open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

/* Write @text to a control file and remember @undo. Returns 0, or -1 and why. */
static int control(struct probe *p, const char *format, const char *text,
		   const char *undo, char *why, size_t len)
{
	char path[192];
	int fd = open_control(p, format, path);
	int i;

	if (fd < 0) {
		snprintf(why, len, "kprobe on " PROBED ": %s: %s%s", path,
			 strerror(errno),
			 errno == ENOENT ? ": this kernel has no kprobe events"
			 : errno == EACCES || errno == EPERM
				 ? ": needs root, and a kernel that is not locked down"
				 : "");
		return -1;
	}
	i = undo_add(fd, path, undo);
	if (i < 0) {
		snprintf(why, len,
			 "noting a kprobe on " PROBED ", so that it can be taken back, "
			 "in /run/plugclock, /run/user or /tmp: %s",
			 strerror(-i));
		close(fd);
		return -1;
	}
	if (p->undo < 0)
		p->undo = i;
	if (write(fd, text, strlen(text)) < 0) {
		snprintf(why, len, "kprobe on " PROBED ": writing %s: %s", path,
			 strerror(errno));
		(void)undo_now(i);
		if (p->undo == i)
			p->undo = -1;
		return -1;
	}
	return 0;
}

static int probe_open(struct probe *p, char *why, size_t len)
{
	char add[96], del[96], unused[8];

	p->undo = -1;
	p->tracefs = find_tracefs();
	if (!p->tracefs) {
		snprintf(why, len, "%s",
			 geteuid() ? "tracefs is for root only, or not mounted"
				   : "tracefs is not mounted at /sys/kernel/tracing");
		return -1;
	}
	snprintf(p->name, sizeof(p->name), PROBED "_%d", getpid());
	snprintf(add, sizeof(add), "p:" GROUP "/%s " PROBED, p->name);
	snprintf(del, sizeof(del), "-:" GROUP "/%s", p->name);
	if (control(p, "kprobe_events%.0s", add, del, why, len))
		return -1;
	/* Counted, but not recorded: nobody's trace buffer fills up with it. */
	(void)control(p, "events/" GROUP "/%s/filter", "common_pid < 0", "0", unused,
		      sizeof(unused));
	if (control(p, "events/" GROUP "/%s/enable", "1", "0", why, len)) {
		(void)undo_now(p->undo);
		return -1;
	}
	return 0;
}

static void probe_close(struct probe *p)
{
	if (p->undo >= 0)
		(void)undo_now(p->undo);
}

/* Hits so far, from the line "  NAME  HITS  MISSED" of kprobe_profile. */
static int probe_hits(const struct probe *p, unsigned long long *hits)
{
	char path[64], line[160], name[64];
	int found = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/kprobe_profile", p->tracefs);
	in = fopen(path, "re");
	while (in && !found && fgets(line, sizeof(line), in))
		found = sscanf(line, "%63s %llu", name, hits) == 2 &&
			!strcmp(name, p->name);
	if (in)
		fclose(in);
	return found ? 0 : -1;
}

void clockreads_pass(const struct session *s, struct crew *c, const struct pace *pace,
		     struct arm_result *arm, char *why, size_t len)
{
	struct fail f = {0};
	struct probe p = {0};
	unsigned long long from = 0, to = 0;
	struct slice slice;
	enum pause_end end;

	if (!s->engine->touches_block) {
		snprintf(why, len, "the %s engine does not go through the block layer",
			 s->engine->name);
		return;
	}
	if (probe_open(&p, why, len))
		return;
	/* From nothing in flight to nothing in flight: every read of the clock has its
	 * I/O. */
	if (probe_hits(&p, &from)) {
		snprintf(why, len, "kprobe_profile does not list the probe");
		goto close;
	}
	crew_begin(c, pace, WORKER_NO_END);
	end = pause_until(c, clock_ns() + PASS_NS);
	if (crew_end(c, &slice, NULL, &f))
		snprintf(why, len, "%.*s", (int)len - 1, f.why);
	else if (end != PAUSE_TIME)
		snprintf(why, len, "stopped by a signal");
	else if (probe_hits(&p, &to) || !slice.all_ios)
		snprintf(why, len, "nothing was counted");
	else
		arm->clock_reads_per_io = (double)(to - from) / (double)slice.all_ios;
close:
	probe_close(&p);
}
