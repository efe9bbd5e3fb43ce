// SPDX-License-Identifier: MIT
/*
 * tsc.c - the TSC as a source, on a kernel whose clock source it really is
 *
 * An emulated processor does not state that its counter is invariant, so the library as
 * it is refuses it. This program has a copy that takes it as stated. Threads are sent
 * from processor to processor and hold readings against the clock.
 *
 * Usage:       tsc [CLOCKSOURCE]   half-way the kernel is told to use that instead
 * Output:      what went wrong, or a summary.
 * Exit status: 0 good, 1 something went wrong, 3 the kernel does not use the TSC.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#if defined(__x86_64__)

#define machine_tsc_is_invariant as_the_processor_states
#include "tsc_machine.h"
#undef machine_tsc_is_invariant

static inline bool machine_tsc_is_invariant(void)
{
	return true;
}

#include "source_tsc.c" // NOLINT(bugprone-suspicious-include)

#define READINGS   200000
#define THREADS    2
#define PATIENCE_S 60

/* What the header promises; and under another clock, which steps and runs as it likes. */
#define NEAR_NS         1000
#define NEAR_DEMOTED_NS 50000

struct result {
	unsigned int backwards, astray, from_counter, moves;
	uint64_t worst_ns;
	bool is_first;
};

static void move(struct result *result, int turn)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)(turn % cpus), &one);
	result->moves += !sched_setaffinity(0, sizeof(one), &one);
}

static const char *other_clocksource;

/* As the kernel does by itself when the TSC proves unsteady. */
static void demote(void)
{
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/"
			   "current_clocksource",
			   "w");

	if (!file || fputs(other_clocksource, file) < 0 || fclose(file))
		perror("current_clocksource");
}

static void *hold_against_clock(void *argument)
{
	struct result *result = argument;
	uint64_t near_ns = other_clocksource ? NEAR_DEMOTED_NS : NEAR_NS;
	uint64_t last_ns = 0, before_ns, now_ns, after_ns, off_ns, anchored;
	int i;

	for (i = 0; i < READINGS; i++) {
		if (i % 1000 == 0)
			move(result, i / 1000);
		if (i == READINGS / 2 && other_clocksource && result->is_first)
			demote();
		before_ns = machine_clock_ns();
		anchored = line.anchored;
		now_ns = plugclock_now_ns();
		after_ns = machine_clock_ns();
		result->from_counter += anchored && line.anchored == anchored;
		result->backwards += now_ns < last_ns;
		off_ns = now_ns < before_ns  ? before_ns - now_ns
			 : now_ns > after_ns ? now_ns - after_ns
					     : 0;
		result->astray += off_ns > near_ns;
		if (off_ns > result->worst_ns)
			result->worst_ns = off_ns;
		last_ns = now_ns;
	}
	return NULL;
}

static int run(void)
{
	struct result results[THREADS] = {{.is_first = true}};
	pthread_t threads[THREADS];
	int i, bad = 0;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, hold_against_clock, &results[i]))
			return 1;
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		printf("thread %d: %d readings, %u from the counter, %u moves, "
		       "%u backwards, %u astray, worst %u ns\n",
		       i, READINGS, results[i].from_counter, results[i].moves,
		       results[i].backwards, results[i].astray,
		       (unsigned int)results[i].worst_ns);
		bad += results[i].backwards || results[i].astray;
	}
	if (other_clocksource && machine_kernel_uses_tsc()) {
		printf("the kernel still uses the TSC\n");
		bad++;
	}
	printf("counter %s\n", reach ? "kept" : "given up");
	return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
	int i, ret = 0;

	if (argc > 1)
		other_clocksource = argv[1];
	/* The kernel takes a second or two after boot to be sure of its TSC. */
	for (i = 0; i < PATIENCE_S && !machine_kernel_uses_tsc(); i++)
		sleep(1);
	if (!machine_kernel_uses_tsc()) {
		printf("not here: current_clocksource is not tsc\n");
		return 3;
	}
	printf("invariant: %s\n", as_the_processor_states() ? "yes" : "no");
	/* Calibration may be disturbed. */
	for (i = 0; i < 20; i++) {
		ret = plugclock_use_source(PLUGCLOCK_SOURCE_TSC);
		if (ret != -ENOTSUP)
			break;
	}
	printf("use_source: %d, in %d tries\n", ret, i + 1);
	return ret ? 1 : run();
}

#else

int main(void)
{
	return 3;
}

#endif
