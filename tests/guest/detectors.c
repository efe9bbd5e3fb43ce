// SPDX-License-Identifier: MIT
/*
 * detectors - what becomes of a cached reading at each event, through the public API
 *
 * usage: detectors [DETECTOR]...      of auto, rseq, perf, none; all of them by default
 *
 * Prints a row per detector and event: in how many tries the event took place, in how
 * many of them the thread was switched out, by getrusage(), and whether the reading from
 * before was dropped or survived; and the same for tries without a switch. 'unpromised'
 * is rseq where it is USER and the plug comes without a promise.
 *
 * Exit status: 0 if the rules hold, 1 if not, 2 usage, 3 if there are not two CPUs.
 *   EXACT       no switch is survived
 *   USER        no switch in user mode is survived
 *   NONE        every reading is fresh, and so is that of a plug without its promise
 *   all         readings never go backwards, a child of fork() never has its parent's,
 * and each event was seen; where readings are cached, a plain call leaves some
 */
#include "detectors.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>

/* A try in which the event did not take place is made again, within these bounds. */
#define WANTED   10
#define TRIES    1000
#define LIMIT_NS 10000000000u

/* Of one event, in the tries in which it took place. */
struct tally {
	int seen;
	int switched, survived; /* with a switch, and the reading nevertheless kept */
	int kept, dropped;      /* without a switch */
	int stale_in_user_mode, not_fresh, backwards, inherited;
};

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void try_once(const struct event *event, struct tally *tally)
{
	uint64_t first_ns, floor_ns, second_ns;
	bool took_place, switched, stale;
	long before;

	event_handler_ns = 0;
	event_child_kept = false;
	first_ns = plugclock_now_ns();
	/* Switches that count came after the first reading and before the second. */
	before = switches();
	took_place = event->act();
	switched = switches() != before;
	floor_ns = clock_ns();
	second_ns = plugclock_now_ns();

	tally->backwards += second_ns < first_ns || second_ns < event_handler_ns ||
			    (event_handler_ns && event_handler_ns < first_ns);
	tally->not_fresh += second_ns < floor_ns;
	/* What a handler read in between is good, if old: only the first must be gone. */
	stale = switched &&
		(second_ns == first_ns || (second_ns < floor_ns && !event_handler_ns));
	if (switched && !took_place)
		tally->survived += stale; /* counts all the same */
	if (!took_place || event_handler_ns || (event->kind == CALM && switched) ||
	    (event->kind == SWITCHES && !switched))
		return;
	tally->seen++;
	tally->switched += switched;
	tally->survived += stale;
	tally->stale_in_user_mode += stale && event->in_user_mode;
	if (event->kind == FORKS) {
		tally->inherited += event_child_kept;
		tally->kept += event_child_kept;
		tally->dropped += !event_child_kept;
	} else if (!switched) {
		tally->kept += second_ns == first_ns;
		tally->dropped += second_ns != first_ns;
	}
}

static const char *verdict(const struct event *event, const struct tally *tally,
			   enum plugclock_detector reach)
{
	if (tally->backwards)
		return "FAILED: backwards";
	if (tally->inherited)
		return "FAILED: a child has its parent's reading";
	if (!tally->seen)
		return "FAILED: not seen";
	if (reach == PLUGCLOCK_DETECTOR_NONE)
		return tally->not_fresh ? "FAILED: a reading is not fresh" : "ok";
	if (reach == PLUGCLOCK_DETECTOR_EXACT && tally->survived)
		return "FAILED: a switch was survived";
	if (tally->stale_in_user_mode)
		return "FAILED: a switch in user mode was survived";
	if (event->kind == CALM && !tally->kept)
		return "FAILED: nothing is cached";
	return "ok";
}

static const char *const reach_names[] = {"NONE", "USER", "EXACT"};

/* All events with one detector. Returns whether the rules of that reach hold. */
static bool all_events(const char *name, unsigned int flags,
		       enum plugclock_detector shown, enum plugclock_detector reach)
{
	bool good = true;
	size_t i;

	for (i = 0; i < event_count; i++) {
		const struct event *event = &events[i];
		struct plugclock_plug plug;
		struct tally tally = {0};
		uint64_t begin_ns = clock_ns();
		const char *result;
		int tries;

		if (event->setup)
			event->setup();
		plugclock_start(&plug, flags);
		for (tries = 0; tries < TRIES && tally.seen < WANTED &&
				clock_ns() - begin_ns < LIMIT_NS;
		     tries++)
			try_once(event, &tally);
		plugclock_finish(&plug);
		if (event->teardown)
			event->teardown();
		result = verdict(event, &tally, reach);
		good &= !strcmp(result, "ok");
		printf("%-10s %-5s  %-16s %5d %9d %8d %9d %5d %8d  %s\n", name,
		       reach_names[shown], event->name, tally.seen, tally.switched,
		       tally.switched - tally.survived, tally.survived, tally.kept,
		       tally.dropped, result);
	}
	return good;
}

/* In a child, since a process decides once. Returns the reach, or -1. */
static int with_detector(const char *name, bool *good)
{
	enum plugclock_detector reach;
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		setenv("PLUGCLOCK_DETECTOR", name, 1);
		reach = plugclock_detector();
		*good = all_events(
			name,
			reach == PLUGCLOCK_DETECTOR_USER ? PLUGCLOCK_FLUSHES_SYSCALLS : 0,
			reach, reach);
		if (reach == PLUGCLOCK_DETECTOR_USER)
			*good &= all_events("unpromised", 0, reach,
					    PLUGCLOCK_DETECTOR_NONE);
		fflush(stdout);
		_exit((int)reach | (*good ? 0 : 4));
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
		printf("FAILED: %s: no end\n", name);
		*good = false;
		return -1;
	}
	*good &= !(WEXITSTATUS(status) & 4);
	return WEXITSTATUS(status) & 3;
}

static const char *const known[] = {"rseq", "perf", "auto", "none"};

static bool is_known(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	bool good = true;
	struct utsname host;
	int i, rseq, perf, best, chosen;

	for (i = 1; i < argc; i++)
		if (!is_known(argv[i])) {
			fprintf(stderr, "usage: %s [auto|rseq|perf|none]...\n", argv[0]);
			return 2;
		}
	if (!events_init()) {
		fprintf(stderr, "detectors: a migration needs two CPUs\n");
		return 3;
	}
	uname(&host);
	printf("kernel %s\n%-10s %-5s  %-16s %5s %9s %8s %9s %5s %8s\n", host.release,
	       "detector", "reach", "event", "seen", "switched:", "dropped", "survived;",
	       "kept", "dropped");
	for (i = 1; i < argc; i++)
		with_detector(argv[i], &good);
	if (argc > 1)
		return !good;

	rseq = with_detector("rseq", &good);
	perf = with_detector("perf", &good);
	chosen = with_detector("auto", &good);
	best = rseq > perf ? rseq : perf;
	if (chosen != best) {
		printf("FAILED: auto is %d, the best of rseq and perf is %d\n", chosen,
		       best);
		good = false;
	}
	if (with_detector("none", &good) != PLUGCLOCK_DETECTOR_NONE) {
		printf("FAILED: 'none' is not NONE\n");
		good = false;
	}
	return !good;
}
