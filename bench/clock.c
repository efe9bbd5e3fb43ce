// SPDX-License-Identifier: MIT
/*
 * clock.c - what a reading of the time costs: plugclock against the other clocks
 *
 * Every way to read is timed for a moment in turn, forwards and then backwards, many
 * times over, so that whatever else the machine does hits all of them. Of each pass the
 * ratio to clock_gettime() in the same pass is taken, and the median of those printed.
 * With more than one thread all do the same thing at the same time, and a pass counts
 * with the mean over the threads.
 *
 * "raw" is the time per turn of the loop. "net" is that less the median turn of a loop
 * that is the same but for the reading. A processor may do both at once, and what is left
 * is noise then: no ratio is made of it ("hidden"). Budgets are held against raw.
 *
 * Usage:       clock [-t THREADS] [-s monotonic|raw|boottime|tsc] [PASSES]
 * Output:      a table, and lines "key value..." after it for bench/run.
 * Exit status: 0 good, 1 failed, 2 usage, 3 the source is not to be had here.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "median.h"
#include "ways.h"

#define MAX_THREADS 2

/* Less than this is hidden behind the loop: half a turn of it, or so. */
#define HIDDEN_NS 0.1

/* The shortest moment: long against the clock that times it, short against a tick. */
#define MOMENT_NS 200000

static const char *const source_names[] = {
	[PLUGCLOCK_SOURCE_MONOTONIC] = "monotonic",
	[PLUGCLOCK_SOURCE_MONOTONIC_RAW] = "raw",
	[PLUGCLOCK_SOURCE_BOOTTIME] = "boottime",
	[PLUGCLOCK_SOURCE_TSC] = "tsc",
};
#define SOURCES (sizeof(source_names) / sizeof(source_names[0]))

static unsigned int passes = 400, threads = 1, source = PLUGCLOCK_SOURCE_MONOTONIC;

static double thread_ns[MAX_THREADS][WAYS][MAX_PASSES];
static double way_ns[WAYS][MAX_PASSES]; /* means of these */

static pthread_barrier_t barrier;
static volatile uint64_t sink;

/* Nanoseconds of @turns turns. */
static uint64_t time_way(const struct way *w, unsigned long turns)
{
	struct plugclock_plug plug;
	uint64_t start_ns, sum, end_ns;

	if (w->plug == IN_PLUG) {
		/* The loops make no system call that could block. */
		plugclock_start(&plug, PLUGCLOCK_FLUSHES_SYSCALLS);
		(void)plugclock_now_ns();
	}
	start_ns = clock_read(CLOCK_MONOTONIC);
	sum = w->run(turns);
	end_ns = clock_read(CLOCK_MONOTONIC);
	if (w->plug == IN_PLUG)
		plugclock_finish(&plug);
	sink = sum;
	return end_ns - start_ns;
}

/* As many turns as take a moment; this warms up, too. */
static void choose_turns(struct way *w)
{
	w->turns = 100;
	while (time_way(w, w->turns) < MOMENT_NS)
		w->turns *= 2;
}

/* One of the threads, with its part of thread_ns; NULL if it went well. */
static void *measure(void *arg)
{
	double(*ns)[MAX_PASSES] = arg;
	int failed = uv_loop_init(&uv_loop);

	for (unsigned int pass = 0; pass < passes; pass++) {
		for (size_t j = 0; j < WAYS; j++) {
			size_t i = pass % 2 ? WAYS - 1 - j : j;
			struct way *w = &ways[i];

			pthread_barrier_wait(&barrier);
			ns[i][pass] = (double)time_way(w, w->turns) / (double)w->turns;
		}
	}
	if (!failed)
		failed = uv_loop_close(&uv_loop);
	return failed ? &barrier : NULL;
}

static int measure_all(void)
{
	pthread_t others[MAX_THREADS] = {0};
	int failed;

	pthread_barrier_init(&barrier, NULL, threads);
	for (unsigned int t = 1; t < threads; t++) {
		/* The others would wait for it for ever. */
		if (pthread_create(&others[t], NULL, measure, thread_ns[t]))
			exit(1);
	}
	failed = measure(thread_ns[0]) != NULL;
	for (unsigned int t = 1; t < threads; t++) {
		void *ret = NULL;

		pthread_join(others[t], &ret);
		failed |= ret != NULL;
	}
	for (size_t i = 0; i < WAYS; i++) {
		for (unsigned int pass = 0; pass < passes; pass++) {
			for (unsigned int t = 0; t < threads; t++)
				way_ns[i][pass] += thread_ns[t][i][pass] / threads;
		}
	}
	return failed;
}

/* Of each pass: how many times @a one reading of @b is. */
static struct middle ratio_of(size_t a, size_t b)
{
	static double ratios[MAX_PASSES];

	for (unsigned int i = 0; i < passes; i++)
		ratios[i] = way_ns[b][i] / way_ns[a][i];
	return middle_of(ratios, passes);
}

static void print_head(void)
{
	static const char *const reaches[] = {"none", "user", "exact"};
	const char *path = "/sys/devices/system/clocksource/clocksource0/"
			   "current_clocksource";
	char name[64] = "unknown";
	FILE *in = fopen(path, "re");

	if (in) {
		if (fscanf(in, "%63s", name) != 1)
			strcpy(name, "unknown");
		fclose(in);
	}
	printf("Reading the clock: source %s, kernel's clock source %s, detector %s, "
	       "%u thread%s, %u passes\n",
	       source_names[source], name, reaches[plugclock_detector()], threads,
	       threads == 1 ? "" : "s", passes);
}

static void print_table(void)
{
	double loop = middle_of(way_ns[0], passes).median;

	printf("%-27s %8s %18s %8s %8s %8s   %s\n", "", "ns raw", "95 % interval", "min",
	       "max", "ns net", "x cheaper than clock_gettime: raw, net");
	for (size_t i = 0; i < WAYS; i++) {
		struct middle m = middle_of(way_ns[i], passes);
		double net = m.median - loop;

		printf("%-27s %8.2f [%7.2f, %7.2f] %8.2f %8.2f %8.2f", ways[i].name,
		       m.median, m.low, m.high, m.min, m.max, net);
		if (i >= 1)
			printf("   %7.2f", ratio_of(i, 1).median);
		if (i >= 1 && net >= HIDDEN_NS)
			printf(" %7.2f",
			       (middle_of(way_ns[1], passes).median - loop) / net);
		else if (i >= 1)
			printf("  hidden");
		printf("\n");
	}
}

static void print_ratio(const char *key, const char *suffix, size_t a, size_t b)
{
	struct middle m = ratio_of(a, b);

	printf("%s%s %.4f %.4f %.4f\n", key, suffix, m.median, m.low, m.high);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: clock [-t THREADS] [-s monotonic|raw|boottime|tsc] [PASSES]\n"
		"at most %d threads and %d passes\n",
		MAX_THREADS, MAX_PASSES);
	return 2;
}

static int number(const char *text, unsigned int most, unsigned int *n)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	*n = (unsigned int)value;
	return *text < '0' || *text > '9' || *end || value < 1 || value > most;
}

static int parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "t:s:")) != -1) {
		if (c == 't' && !number(optarg, MAX_THREADS, &threads))
			continue;
		for (source = 0; c == 's' && source < SOURCES; source++) {
			if (!strcmp(optarg, source_names[source]))
				break;
		}
		if (c != 's' || source == SOURCES)
			return -1;
	}
	if (optind < argc && number(argv[optind++], MAX_PASSES, &passes))
		return -1;
	return optind == argc ? 0 : -1;
}

int main(int argc, char **argv)
{
	int ret;

	if (parse(argc, argv))
		return usage();
	ret = plugclock_use_source((enum plugclock_source)source);
	if (ret) {
		fprintf(stderr, "clock: source %s: %s\n", source_names[source],
			strerror(-ret));
		return ret == -ENOTSUP ? 3 : 1;
	}
	if (uv_loop_init(&uv_loop))
		return 1;
	print_head();
	for (size_t i = 0; i < WAYS; i++)
		choose_turns(&ways[i]);
	if (uv_loop_close(&uv_loop) || measure_all())
		return 1;
	print_table();
	for (size_t i = 2; i < WAYS; i++) {
		print_ratio(ways[i].key, "_cheaper", i, 1);
		print_ratio(ways[i].key, "_dearer", 1, i);
	}
	print_ratio("hit_uv_now", "", way_by_key("uv_now"), way_by_key("hit"));
	return fflush(stdout) || ferror(stdout);
}
