// SPDX-License-Identifier: MIT
/* Wiring and exit status. Only this file prints errors. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ab.h"
#include "info.h"
#include "pause.h"
#include "report.h"
#include "restore.h"
#include "run.h"
#include "tool.h"

/* What a killed run left switched is a condition of this one's figures. */
static int look_for_leftovers(const struct session *s, struct fail *f)
{
	struct options *o = s->options;
	size_t used = strlen(o->notes);
	char path[STATE_PATH_LEN];

	if (!s->engine->touches_block || !restore_pending(path))
		return 0;
	if (o->ab)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--ab %s: a run that was killed has left %s switched; "
			    "'ngbench restore' puts it back",
			    o->ab, path);
	snprintf(o->notes + used, sizeof(o->notes) - used,
		 "%s: left switched by a run that was killed; 'ngbench restore' puts it "
		 "back\n",
		 path);
	return 0;
}

/* The wall clock, for people who look which hosts ran together. */
static double unix_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Everything between an open session and its result. */
static int measure(const struct session *s, FILE *out, struct conditions *cs,
		   struct result *r, struct fail *f)
{
	const struct options *o = s->options;
	struct knob knob = {.undo = -1};
	struct crew *crew = NULL;
	int ret = -1;

	/* What cannot run says so before anything is printed. */
	if (look_for_leftovers(s, f))
		goto close;
	if (o->ab && (knob_open(&knob, o->ab, s, f) || ab_check(s, &knob, f)))
		goto close;
	crew = crew_open(o, s->engine, s->devices, f);
	if (!crew)
		goto close;
	conditions_collect(cs, s, crew);
	report_head(out, s, cs, crew);
	r->started_unix_s = unix_s();
	ret = o->ab ? ab_run(s, &crew, &knob, r, f) : run_plain(s, crew, out, r, f);
	r->ended_unix_s = unix_s();
close:
	crew_close(crew);
	if (knob_close(&knob, f))
		ret = -1;
	/* A report may block, on a pipe that nobody reads. */
	pause_release_signals();
	r->valid = !ret;
	if (ret)
		snprintf(r->why, sizeof(r->why), "%s", f->why);
	else if (o->ab)
		report_ab(out, s, cs, r);
	else
		report_plain(out, s, r);
	return ret;
}

static int run(struct options *o, struct fail *f)
{
	/* JSON on standard output has it for itself. */
	FILE *out = o->json_path && !strcmp(o->json_path, "-") ? stderr : stdout;
	struct conditions cs = {0};
	struct session s;
	struct result r;
	int ret;

	setvbuf(out, NULL, _IOLBF, 0);
	if (o->json_path && report_json_check(o->json_path, f))
		return -1;
	if (session_open(&s, o, f))
		return -1;
	result_init(&r);
	pause_block_signals();
	ret = measure(&s, out, &cs, &r, f);
	/* Conditions are there once it ran; else an earlier result stays. */
	if (o->json_path && cs.n && report_json(o->json_path, &s, &cs, &r, f))
		ret = -1;
	if (!ret && !r.complete && o->ab)
		ret = fail(f, STATUS_FAILED, "stopped by a signal after %u of %u rounds",
			   r.nr_rounds, o->rounds);
	result_done(&r);
	conditions_done(&cs);
	session_close(&s);
	return ret;
}

static int run_main(int argc, char **argv, struct fail *f)
{
	static struct options o;

	if (options_parse(&o, argc, argv, f))
		return -1;
	return options_answered(&o, stdout) ? 0 : run(&o, f);
}

/*
 * What the first word may be; without one of these it is a run. Each gets its
 * arguments as main() would, and returns 0, or -1 with @f set.
 */
static const struct command {
	const char *name;
	int (*main)(int argc, char **argv, struct fail *f);
} commands[] = {
	{"run", run_main},     {"info", info_main}, {"compare", compare_main},
	{"merge", merge_main}, {"plot", plot_main}, {"restore", restore_main},
};

int main(int argc, char **argv)
{
	int (*command)(int argc, char **argv, struct fail *f) = run_main;
	struct fail f = {0};

	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name)) {
			command = commands[i].main;
			argv[1] = argv[0];
			argv++;
			argc--;
			break;
		}
	(void)command(argc, argv, &f);
	if (f.status)
		fprintf(stderr, "ngbench: %s\n", f.why);
	return (int)f.status;
}
