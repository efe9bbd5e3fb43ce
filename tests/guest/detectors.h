/* SPDX-License-Identifier: MIT */
/*
 * detectors.h - the events that detectors.c tries
 *
 * Context: one thread, pinned to one CPU by events_init(); an event may have children.
 */
#ifndef DETECTORS_H
#define DETECTORS_H

#include "plugclock.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * CALM:     a try with a switch does not count.
 * SWITCHES: a try without one does not count.
 * SIGNALS:  either does.
 * FORKS:    either does; what is kept or dropped is the child's reading.
 */
enum kind { CALM, SWITCHES, SIGNALS, FORKS };

struct event {
	const char *name;
	enum kind kind;
	bool in_user_mode; /* where act() returns true, user mode was switched out */
	bool (*act)(void); /* returns whether it took place */
	void (*setup)(void);
	void (*teardown)(void);
};

/* Of the try at hand: what a handler read, or 0; whether a child had an old reading. */
static volatile uint64_t event_handler_ns;
static bool event_child_kept;

/* The clock itself, without the library. */
static inline uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static cpu_set_t event_cpus[2];
static int zero_device = -1;

/*
 * The neighbour runs on this thread's CPU and counts. So when the count has moved on
 * between two looks at it, this thread was switched out in between: known without a
 * system call.
 */
static volatile uint64_t *neighbour_count;
static pid_t neighbour;

static bool events_init(void)
{
	cpu_set_t all;
	void *page = mmap(NULL, sizeof(*neighbour_count), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int cpu, found = 0;

	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &all)) {
			CPU_ZERO(&event_cpus[found]);
			CPU_SET(cpu, &event_cpus[found++]);
		}
	zero_device = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (page == MAP_FAILED || found < 2)
		return false;
	neighbour_count = page;
	return !sched_setaffinity(0, sizeof(event_cpus[0]), &event_cpus[0]);
}

static void start_neighbour(bool yields)
{
	neighbour = fork();
	if (neighbour)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(60);
	for (;;) {
		++*neighbour_count;
		if (yields)
			sched_yield();
	}
}

static void busy_neighbour(void)
{
	start_neighbour(false);
}

/* For yields: 6.1 hardly ever gives way to one that spins. */
static void yielding_neighbour(void)
{
	start_neighbour(true);
}

static void neighbour_ends(void)
{
	if (neighbour <= 0)
		return;
	kill(neighbour, SIGKILL);
	waitpid(neighbour, NULL, 0);
	neighbour = 0;
}

static bool call(void)
{
	syscall(SYS_getppid);
	return true;
}

/* Long enough for some time slices on any machine. */
#define SPINS 100000000

static bool preempted_in_user_mode(void)
{
	uint64_t before = *neighbour_count;
	long spins;

	for (spins = 0; *neighbour_count == before && spins < SPINS; spins++)
		;
	return spins < SPINS;
}

/* All but a thousandth of the time is spent inside the call. */
static bool preempted_in_a_call(void)
{
	static char buffer[1 << 20];
	uint64_t before = *neighbour_count;
	int calls;

	for (calls = 0; *neighbour_count == before && calls < 10000; calls++)
		if (read(zero_device, buffer, sizeof(buffer)) != sizeof(buffer))
			return false;
	return calls < 10000;
}

static bool blocks(void)
{
	const struct timespec moment = {.tv_nsec = 50000};

	return !clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
}

/* Until the neighbour had the CPU: it may take a slice or two before it is its turn. */
static bool yields(void)
{
	uint64_t before = *neighbour_count;
	int calls;

	for (calls = 0; *neighbour_count == before && calls < 100000; calls++)
		if (sched_yield())
			return false;
	return calls < 100000;
}

static bool migrates(void)
{
	static int turn;

	turn = !turn;
	return !sched_setaffinity(0, sizeof(event_cpus[0]), &event_cpus[turn]);
}

static void migrates_back(void)
{
	sched_setaffinity(0, sizeof(event_cpus[0]), &event_cpus[0]);
}

static volatile sig_atomic_t signals;

/* Every other one reads the clock; after the others the first reading may be kept. */
static void on_signal(int signal)
{
	(void)signal;
	if (signals++ & 1)
		event_handler_ns = plugclock_now_ns();
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &action, NULL);
}

static void timer_starts(void)
{
	const struct itimerval often = {{0, 2000}, {0, 2000}};

	catch_signals();
	setitimer(ITIMER_REAL, &often, NULL);
}

static void timer_ends(void)
{
	const struct itimerval never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
}

static bool signalled_at_exit(void)
{
	sig_atomic_t before = signals;

	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGALRM);
	return signals != before;
}

static bool signalled_in_a_loop(void)
{
	sig_atomic_t before = signals;
	long spins;

	for (spins = 0; signals == before && spins < SPINS; spins++)
		;
	return spins < SPINS;
}

/* A child whose reading is older than itself, but not its parent's, took no good one. */
static bool forks(void)
{
	uint64_t floor_ns = clock_ns(), child_ns;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		child_ns = plugclock_now_ns();
		_exit(child_ns < floor_ns);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	event_child_kept = status != 0;
	return true;
}

static const struct event events[] = {
	{.name = "plain-call", .kind = CALM, .act = call},
	{.name = "user-preempted",
	 .kind = SWITCHES,
	 .in_user_mode = true,
	 .act = preempted_in_user_mode,
	 .setup = busy_neighbour,
	 .teardown = neighbour_ends},
	{.name = "blocking-call", .kind = SWITCHES, .act = blocks},
	{.name = "call-preempted",
	 .kind = SWITCHES,
	 .act = preempted_in_a_call,
	 .setup = busy_neighbour,
	 .teardown = neighbour_ends},
	{.name = "yield",
	 .kind = SWITCHES,
	 .act = yields,
	 .setup = yielding_neighbour,
	 .teardown = neighbour_ends},
	{.name = "migration",
	 .kind = SWITCHES,
	 .act = migrates,
	 .teardown = migrates_back},
	{.name = "signal-at-exit",
	 .kind = SIGNALS,
	 .act = signalled_at_exit,
	 .setup = catch_signals},
	{.name = "signal-in-a-loop",
	 .kind = SIGNALS,
	 .act = signalled_in_a_loop,
	 .setup = timer_starts,
	 .teardown = timer_ends},
	{.name = "fork", .kind = FORKS, .act = forks},
};

static const size_t event_count = sizeof(events) / sizeof(events[0]);

#endif
