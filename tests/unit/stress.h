/* SPDX-License-Identifier: MIT */
/*
 * stress.h - forced context switches, many and of all kinds at once, and no stale reading
 *
 * Four workers on two processors cache readings in plugs. Between two readings each
 * yields, sleeps, waits for an answer, changes its processor, spins or signals itself, at
 * random, while busy neighbours take processors away and a storm of signals, whose
 * handlers read, flush and yield, comes from outside. What is judged, and how, is in
 * stress_step.h. Shared by tests/unit/test_stress.c and tests/guest/stress.c.
 */
#ifndef STRESS_H
#define STRESS_H

#include "stress_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

/* Takes what CPU time it can get, without keeping others from it for long. */
static pid_t stress_neighbour(unsigned int cpu)
{
	volatile unsigned int spin;
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sched_setaffinity(0, sizeof(cpu_set_t), &stress.cpus[cpu]);
	for (;;) {
		for (spin = 0; spin < 20000; spin++)
			;
		usleep(200);
	}
}

static bool stress_has_enough(long wanted)
{
	long sum = 0;
	int kind;

	for (kind = 0; kind < STRESS_KINDS; kind++) {
		sum += stress.judged[kind];
		/* A migration needs two processors, and a signal to oneself no switch. */
		if (!stress.judged[kind] && kind != SIGNAL_SELF &&
		    (kind != MIGRATE || stress.cpu_count > 1))
			return false;
	}
	return sum >= wanted;
}

/* Signals the workers until there were enough switches, of each kind some. */
static bool stress_storm(long wanted)
{
	const struct timespec pause = {.tv_nsec = 100000};
	uint64_t begin_ns = stress_clock_ns();
	uint64_t limit_ns = (60 + (uint64_t)wanted / 1000) * 1000000000;
	bool enough;
	int i = 0;

	while (!(enough = stress_has_enough(wanted)) &&
	       stress_clock_ns() - begin_ns < limit_ns) {
		pthread_kill(stress.workers[i++ % STRESS_WORKERS].thread, SIGUSR1);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	stress.stop = true;
	return enough;
}

static void stress_find_cpus(void)
{
	cpu_set_t all;
	int cpu;

	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < CPU_SETSIZE && stress.cpu_count < 2; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &stress.cpus[stress.cpu_count++]);
}

static bool stress_report(const char *detector, uint64_t elapsed_ns)
{
	struct stress_counts sum = {0};
	long judged = 0;
	int i, kind;

	for (i = 0; i < STRESS_WORKERS; i++) {
		const struct stress_counts *counts = &stress.workers[i].counts;

		for (kind = 0; kind < STRESS_KINDS; kind++)
			sum.judged[kind] += counts->judged[kind];
		sum.kept += counts->kept;
		sum.signals += counts->signals;
		sum.handler_judged += counts->handler_judged;
		sum.stale += counts->stale;
		sum.backwards += counts->backwards;
	}
	for (kind = 0; kind < STRESS_KINDS; kind++)
		judged += sum.judged[kind];
	printf("# %s: %ld readings after a switch in %.1f s:", detector, judged,
	       (double)elapsed_ns / 1e9);
	for (kind = 0; kind < STRESS_KINDS; kind++)
		printf(" %ld %s,", sum.judged[kind], stress_kind_names[kind]);
	printf(" and %ld in handlers of %ld signals; %ld kept without one; "
	       "%ld stale, %ld backwards\n",
	       sum.handler_judged, sum.signals, sum.kept, sum.stale, sum.backwards);
	return !sum.stale && !sum.backwards && sum.kept && sum.signals;
}

/* In a process of its own, which has no threads yet. */
static bool stress_in_this_process(const char *detector, long wanted)
{
	struct sigaction action = {.sa_handler = stress_on_signal,
				   .sa_flags = SA_RESTART};
	uint64_t begin_ns = stress_clock_ns();
	pid_t neighbours[2];
	sigset_t ours;
	bool enough;
	unsigned int i;

	stress_find_cpus();
	if (!stress.cpu_count)
		abort();
	for (i = 0; i < stress.cpu_count; i++)
		neighbours[i] = stress_neighbour(i);
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&ours);
	sigaddset(&ours, SIGUSR1);
	sigprocmask(SIG_BLOCK, &ours, NULL);
	for (i = 0; i < STRESS_WORKERS; i++) {
		struct stress_worker *worker = &stress.workers[i];

		worker->random = i + 1;
		worker->cpu = i % stress.cpu_count;
		if (pthread_create(&worker->partner, NULL, stress_answers, worker) ||
		    pthread_create(&worker->thread, NULL, stress_works, worker))
			abort();
	}
	enough = stress_storm(wanted);
	for (i = 0; i < STRESS_WORKERS; i++) {
		pthread_join(stress.workers[i].thread, NULL);
		pthread_join(stress.workers[i].partner, NULL);
	}
	for (i = 0; i < stress.cpu_count; i++) {
		kill(neighbours[i], SIGKILL);
		waitpid(neighbours[i], NULL, 0);
	}
	if (!enough)
		printf("# %s: not enough switches, or not of each kind\n", detector);
	return stress_report(detector, stress_clock_ns() - begin_ns) && enough;
}

enum stress_outcome { STRESS_GOOD, STRESS_FAULT, STRESS_NOT_EXACT };

/*
 * stress_with() - the whole thing with one detector, in a child
 *
 * wanted:  readings to be taken after a switch.
 * Returns: whether all were good; STRESS_NOT_EXACT, without a try, where the detector
 * does not claim to see every switch. Says what it counted. Bounded in time.
 */
static inline enum stress_outcome stress_with(const char *detector, long wanted)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		setenv("PLUGCLOCK_DETECTOR", detector, 1);
		status = STRESS_NOT_EXACT;
		if (plugclock_detector() == PLUGCLOCK_DETECTOR_EXACT)
			status = stress_in_this_process(detector, wanted) ? STRESS_GOOD
									  : STRESS_FAULT;
		fflush(stdout);
		_exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return STRESS_FAULT;
	return (enum stress_outcome)WEXITSTATUS(status);
}

#endif
