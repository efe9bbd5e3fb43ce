// SPDX-License-Identifier: MIT
/*
 * clock.c - what a reading of the time costs: plugclock against the other clocks
 *
 * Every way to read is timed for a moment in turn, forwards and then backwards, many
 * times over, so that whatever else the machine does hits all of them. Of each pass the
 * ratio to clock_gettime() in the same pass is taken, and the median of those printed.
 *
 * "raw" is the time per turn of the loop. "net" is that less the median turn of a loop
 * that is the same but for the reading. A processor may do both at once, and what is left
 * is noise then: no ratio is made of it ("hidden"). Budgets are held against raw.
 *
 * Usage:       clock [PASSES]
 * Output:      a table, and lines "key value..." after it for bench/run.
 * Exit status: 0 good, 1 failed, 2 usage.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <plugclock.h>

#define MAX_PASSES 2000

/* Less than this is hidden behind the loop: half a turn of it, or so. */
#define HIDDEN_NS 0.1

/* The shortest moment: long against the clock that times it, short against a tick. */
#define MOMENT_NS 200000

enum plug { NO_PLUG, IN_PLUG };

struct way {
	const char *key;
	const char *name;
	enum plug plug;
	uint64_t (*run)(unsigned long n);
	unsigned long turns;
	double ns[MAX_PASSES];
};

static uint64_t clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * A loop whose every turn has a value that the compiler cannot guess, nor leave out, nor
 * keep in a register for the next turn. As in an I/O loop, nothing waits for the value.
 */
#define WAY(name, reading)                                                               \
	static uint64_t run_##name(unsigned long n)                                      \
	{                                                                                \
		uint64_t sum = 0;                                                        \
                                                                                         \
		while (n--) {                                                            \
			uint64_t value = (reading);                                      \
                                                                                         \
			__asm__ volatile("" : "+r"(value) : : "memory");                 \
			sum += value;                                                    \
		}                                                                        \
		return sum;                                                              \
	}

WAY(empty, 0)
WAY(now, plugclock_now_ns())
WAY(miss, (plugclock_flush(), plugclock_now_ns()))
WAY(read, plugclock_read_ns())
WAY(gettime, clock_read(CLOCK_MONOTONIC))
WAY(coarse, clock_read(CLOCK_MONOTONIC_COARSE))
#if defined(__x86_64__)
WAY(rdtsc, __builtin_ia32_rdtsc())
#endif

/* The first is the empty loop, the second what the ratios are against. */
static struct way ways[] = {
	{.key = "empty", .name = "empty loop", .run = run_empty},
	{.key = "gettime", .name = "clock_gettime(MONOTONIC)", .run = run_gettime},
	{.key = "hit", .name = "plugclock_now_ns, hit", .plug = IN_PLUG, .run = run_now},
	{.key = "miss", .name = "flush + now_ns, miss", .plug = IN_PLUG, .run = run_miss},
	{.key = "outside", .name = "plugclock_now_ns, no plug", .run = run_now},
	{.key = "read", .name = "plugclock_read_ns, no plug", .run = run_read},
	{.key = "read_in",
	 .name = "plugclock_read_ns, plug",
	 .plug = IN_PLUG,
	 .run = run_read},
	{.key = "coarse", .name = "clock_gettime(.._COARSE)", .run = run_coarse},
#if defined(__x86_64__)
	{.key = "rdtsc", .name = "rdtsc", .run = run_rdtsc},
#endif
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static volatile uint64_t sink;

/* Nanoseconds of @turns turns. */
static uint64_t time_way(const struct way *w, unsigned long turns)
{
	struct plugclock_plug plug;
	uint64_t start_ns, sum, end_ns;

	if (w->plug == IN_PLUG) {
		plugclock_start(&plug, 0);
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

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median and its 95 % interval, from order statistics of @n sorted values. */
struct middle {
	double median, low, high, min, max;
};

static struct middle middle_of(const double *values, unsigned int n)
{
	static double sorted[MAX_PASSES];
	/* Half the interval in ranks: 1.96 * sqrt(n) / 2, and integer arithmetic will do.
	 */
	unsigned int half = 0;
	struct middle m;

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	while ((half + 1) * (half + 1) <= n)
		half++;
	half = half < (n - 1) / 2 ? half + 1 : (n - 1) / 2;
	m.median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	m.low = sorted[(n - 1) / 2 - half];
	m.high = sorted[n / 2 + half];
	m.min = sorted[0];
	m.max = sorted[n - 1];
	return m;
}

/* Of each pass: how many times @a one reading of @b is. */
static struct middle ratio_of(const struct way *a, const struct way *b, unsigned int n)
{
	static double ratios[MAX_PASSES];

	for (unsigned int i = 0; i < n; i++)
		ratios[i] = b->ns[i] / a->ns[i];
	return middle_of(ratios, n);
}

static const char *detector_name(void)
{
	switch (plugclock_detector()) {
	case PLUGCLOCK_DETECTOR_EXACT:
		return "exact";
	case PLUGCLOCK_DETECTOR_USER:
		return "user";
	default:
		return "none";
	}
}

static void print_head(unsigned int passes)
{
	const char *path = "/sys/devices/system/clocksource/clocksource0/"
			   "current_clocksource";
	char name[64] = "unknown";
	FILE *in = fopen(path, "re");

	if (in) {
		if (fscanf(in, "%63s", name) != 1)
			strcpy(name, "unknown");
		fclose(in);
	}
	printf("Reading the clock: source CLOCK_MONOTONIC, kernel's clock source %s, "
	       "detector %s, %u passes\n",
	       name, detector_name(), passes);
}

static void print_table(unsigned int passes)
{
	double loop = middle_of(ways[0].ns, passes).median;

	printf("%-27s %8s %16s %8s %8s %8s   %s\n", "", "ns raw", "95 % interval", "min",
	       "max", "ns net", "x cheaper than clock_gettime: raw, net");
	for (size_t i = 0; i < WAYS; i++) {
		struct way *w = &ways[i];
		struct middle m = middle_of(w->ns, passes);

		printf("%-27s %8.2f [%6.2f, %6.2f] %8.2f %8.2f %8.2f", w->name, m.median,
		       m.low, m.high, m.min, m.max, m.median - loop);
		if (i >= 1)
			printf("   %7.2f", ratio_of(w, &ways[1], passes).median);
		if (i >= 1 && m.median - loop >= HIDDEN_NS)
			printf(" %7.2f", (middle_of(ways[1].ns, passes).median - loop) /
						 (m.median - loop));
		else if (i >= 1)
			printf("  hidden");
		printf("\n");
	}
	for (size_t i = 2; i < WAYS; i++) {
		struct middle cheaper = ratio_of(&ways[i], &ways[1], passes);
		struct middle dearer = ratio_of(&ways[1], &ways[i], passes);

		printf("%s_cheaper %.4f %.4f %.4f\n", ways[i].key, cheaper.median,
		       cheaper.low, cheaper.high);
		printf("%s_dearer %.4f %.4f %.4f\n", ways[i].key, dearer.median,
		       dearer.low, dearer.high);
	}
}

int main(int argc, char **argv)
{
	unsigned long passes = 400;
	char *end = "";

	if (argc == 2)
		passes = strtoul(argv[1], &end, 10);
	if (argc > 2 || *end || !passes || passes > MAX_PASSES) {
		fprintf(stderr, "usage: clock [PASSES], at most %d\n", MAX_PASSES);
		return 2;
	}
	print_head((unsigned int)passes);
	for (size_t i = 0; i < WAYS; i++)
		choose_turns(&ways[i]);
	for (unsigned int pass = 0; pass < passes; pass++) {
		for (size_t j = 0; j < WAYS; j++) {
			struct way *w = &ways[pass % 2 ? WAYS - 1 - j : j];

			w->ns[pass] = (double)time_way(w, w->turns) / (double)w->turns;
		}
	}
	print_table((unsigned int)passes);
	return fflush(stdout) || ferror(stdout);
}
