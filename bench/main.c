// SPDX-License-Identifier: MIT
/*
 * plugclock-bench: wiring and exit status. Only this file prints errors.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <plugclock.h>

#include "gbench.h"
#include "pin.h"
#include "subjects.h"
#include "units.h"

enum { GOOD, FAILED, USAGE, NOT_POSSIBLE };

static const char *const sources[] = {
	[PLUGCLOCK_SOURCE_MONOTONIC] = "monotonic",
	[PLUGCLOCK_SOURCE_MONOTONIC_RAW] = "raw",
	[PLUGCLOCK_SOURCE_BOOTTIME] = "boottime",
	[PLUGCLOCK_SOURCE_TSC] = "tsc",
};
#define SOURCES (sizeof(sources) / sizeof(sources[0]))

static unsigned int source = PLUGCLOCK_SOURCE_MONOTONIC;
static uint64_t rate;

static void help(void)
{
	fputs("plugclock-bench [--plugclock_source={monotonic|raw|boottime|tsc}]\n"
	      "          [--plugclock_rate=<messages per second>] and the flags below\n\n"
	      "clock/...    what a reading of the time costs\n"
	      "nop/...      no-ops through io_uring, by batch; IOPS\n"
	      "update_...   registered files and buffers, replaced; updates per second\n"
	      "message/...  MSG_RING between two threads, rated or not; percentiles\n"
	      "wait/...     waits for one completion that comes at once\n\n"
	      "ring:2020 is a ring without flags; ring:2022 has SINGLE_ISSUER and\n"
	      "DEFER_TASKRUN, and a registered descriptor.\n"
	      "Exit status: 0 good; 1 a benchmark failed; 2 the command line is wrong, "
	      "or\n"
	      "the filter matches nothing; 3 nothing of it is possible here.\n\n",
	      stdout);
}

/* The value in "--name=value", or NULL. */
static const char *value_of(const char *arg, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(arg, name, length) && arg[length] == '=' ? arg + length + 1
								 : NULL;
}

static int parse(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *value = value_of(argv[i], "--plugclock_source");

		for (source = value ? 0 : source; value && source < SOURCES; source++) {
			if (!strcmp(value, sources[source]))
				break;
		}
		if (value && source < SOURCES)
			continue;
		value = value_of(argv[i], "--plugclock_rate");
		if (value && !units_parse_count(value, &rate) && rate >= 1 &&
		    rate <= 100000000)
			continue;
		fprintf(stderr,
			"plugclock-bench: %s: not a flag, or not a value that it takes; "
			"see --help\n",
			argv[i]);
		return -1;
	}
	return 0;
}

static int choose_source(void)
{
	int ret = plugclock_use_source((enum plugclock_source)source);

	if (!ret)
		return GOOD;
	fprintf(stderr, "plugclock-bench: source %s: %s\n", sources[source],
		ret == -ENOTSUP ? "this machine does not have it" : strerror(-ret));
	return ret == -ENOTSUP ? NOT_POSSIBLE : FAILED;
}

static int describe(void)
{
	static const char *const reaches[] = {"none", "user", "exact"};
	char text[64] = "unknown";
	struct utsname name;
	FILE *in = fopen("/sys/devices/system/clocksource/clocksource0/"
			 "current_clocksource",
			 "re");

	if (in) {
		if (fscanf(in, "%63s", text) != 1)
			strcpy(text, "unknown");
		fclose(in);
	}
	uname(&name);
	return gbench_context("kernel", name.release) ||
	       gbench_context("kernel_clock_source", text) ||
	       gbench_context("plugclock_source", sources[source]) ||
	       gbench_context("plugclock_detector", reaches[plugclock_detector()]) ||
	       gbench_context("plugclock_version", PLUGCLOCK_VERSION);
}

static int run(void)
{
	struct gbench_tally tally;

	if (describe() || clock_register() || nop_register() || update_register() ||
	    message_register((int64_t)rate) || wait_register() || gbench_run(&tally)) {
		fputs("plugclock-bench: out of memory\n", stderr);
		return FAILED;
	}
	if (!tally.matched)
		return USAGE; /* Google Benchmark has said why. */
	if (tally.listed)
		return GOOD;
	if (tally.failed)
		return FAILED;
	return tally.ran ? GOOD : NOT_POSSIBLE;
}

int main(int argc, char **argv)
{
	int status;

	if (pin_init() < 0) {
		perror("plugclock-bench: sched_getaffinity");
		return FAILED;
	}
	if (gbench_init(&argc, argv, help)) {
		fputs("plugclock-bench: out of memory\n", stderr);
		return FAILED;
	}
	if (parse(argc, argv))
		return USAGE;
	status = choose_source();
	if (status)
		return status;
	status = run();
	gbench_done();
	return status;
}
