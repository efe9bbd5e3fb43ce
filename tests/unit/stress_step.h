/* SPDX-License-Identifier: MIT */
/*
 * stress_step.h - one thread between two readings, and how these are judged
 *
 * A switch is what getrusage() counts between the two readings; after one, the second
 * must be no older than a look at the clock just before it. And without getrusage(): a
 * worker notes when it ran on a processor, and another that is bound to the same one, and
 * so was off it at that moment, must not be given anything older later on.
 */
#ifndef STRESS_STEP_H
#define STRESS_STEP_H

#include "plugclock.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STRESS_WORKERS 4

/* By what a worker does between two readings. */
enum { YIELD, ANSWER, SLEEP, MIGRATE, SPIN, SIGNAL_SELF, STRESS_KINDS };

static const char *const stress_kind_names[STRESS_KINDS] = {
	"yields", "futexes", "sleeps", "migrations", "spins", "own signals"};

/* What one worker saw. 'judged' are steps with a switch: the reading had to go. */
struct stress_counts {
	long judged[STRESS_KINDS];
	long kept, signals, handler_judged;
	long stale, backwards;
};

struct stress_worker {
	pthread_t thread, partner;
	atomic_int question; /* a futex: 1 until the partner answers */
	unsigned int random, cpu;
	struct stress_counts counts;
	volatile uint64_t handed_out_ns; /* to the worker or its handler */
};

static struct {
	struct stress_worker workers[STRESS_WORKERS];
	cpu_set_t cpus[2];
	unsigned int cpu_count;
	atomic_long judged[STRESS_KINDS];
	_Atomic uint64_t ran_at_ns[2][STRESS_WORKERS]; /* by processor */
	atomic_bool stop;
} stress;

static __thread struct stress_worker *stress_me
	__attribute__((tls_model("initial-exec")));

static inline uint64_t stress_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline long stress_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static inline void stress_futex(atomic_int *word, int op, int value)
{
	const struct timespec limit = {.tv_nsec = 10000000};

	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, &limit, NULL, 0);
}

static void *stress_answers(void *argument)
{
	struct stress_worker *of = argument;

	while (!stress.stop) {
		if (of->question) {
			of->question = 0;
			stress_futex(&of->question, FUTEX_WAKE, INT_MAX);
		} else {
			stress_futex(&of->question, FUTEX_WAIT, 0);
		}
	}
	return NULL;
}

static void stress_act(struct stress_worker *me, int kind)
{
	const struct timespec moment = {.tv_nsec = 1};
	volatile unsigned int spin;

	switch (kind) {
	case YIELD:
		sched_yield();
		break;
	case ANSWER:
		me->question = 1;
		stress_futex(&me->question, FUTEX_WAKE, INT_MAX);
		while (me->question && !stress.stop)
			stress_futex(&me->question, FUTEX_WAIT, 1);
		break;
	case SLEEP:
		clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
		break;
	case MIGRATE:
		me->cpu = (me->cpu + 1) % stress.cpu_count;
		sched_setaffinity(0, sizeof(cpu_set_t), &stress.cpus[me->cpu]);
		break;
	case SPIN:
		for (spin = 0; spin < me->random % 65536; spin++)
			;
		break;
	default:
		syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
	}
}

/* Handlers do not nest, so here even the bound by the second clock is always strict. */
static void stress_on_signal(int signal)
{
	struct stress_worker *me = stress_me;
	struct stress_counts *counts = &me->counts;
	uint64_t least_ns = me->handed_out_ns, first_ns, second_ns, floor_ns;
	bool switched = false;
	long before;

	(void)signal;
	counts->signals++;
	first_ns = counts->signals % 3 ? plugclock_now_ns() : plugclock_read_ns();
	before = stress_switches();
	if (counts->signals % 4 == 0)
		sched_yield();
	if (counts->signals % 5 == 0)
		plugclock_flush();
	switched = stress_switches() != before;
	floor_ns = stress_clock_ns();
	second_ns = plugclock_now_ns();
	counts->handler_judged += switched;
	counts->stale += switched && second_ns < floor_ns;
	counts->backwards += first_ns < least_ns || second_ns < first_ns;
	me->handed_out_ns = second_ns;
}

/* When other workers last ran on this one's processor, as far as they have said. */
static uint64_t stress_others_ran_ns(const struct stress_worker *me)
{
	uint64_t last_ns = 0;
	int i;

	for (i = 0; i < STRESS_WORKERS; i++) {
		uint64_t ran_ns = stress.ran_at_ns[me->cpu][i];

		if (me != &stress.workers[i] && ran_ns > last_ns)
			last_ns = ran_ns;
	}
	return last_ns;
}

static void stress_step(struct stress_worker *me, int kind)
{
	struct stress_counts *counts = &me->counts;
	uint64_t least_ns = me->handed_out_ns, first_ns, second_ns, floor_ns;
	long before, signals = *(volatile long *)&counts->signals;
	uint64_t others_ns = stress_others_ran_ns(me);
	bool switched, quiet;

	first_ns = plugclock_now_ns();
	counts->stale += first_ns < others_ns;
	counts->backwards += first_ns < least_ns;
	before = stress_switches();
	stress_act(me, kind);
	switched = stress_switches() != before;
	others_ns = stress_others_ran_ns(me);
	floor_ns = stress_clock_ns();
	stress.ran_at_ns[me->cpu][me - stress.workers] = floor_ns;
	least_ns = me->handed_out_ns;
	second_ns = plugclock_now_ns();
	counts->stale += second_ns < others_ns;
	/* What a handler read after the switch may be older than the look at the clock. */
	quiet = *(volatile long *)&counts->signals == signals;
	counts->stale +=
		switched && (second_ns == first_ns || (quiet && second_ns < floor_ns));
	counts->backwards += second_ns < first_ns || second_ns < least_ns;
	counts->kept += !switched && second_ns == first_ns;
	/* A handler may come before this: the bound is then lower than it could be. */
	me->handed_out_ns = second_ns;
	if (switched) {
		counts->judged[kind]++;
		stress.judged[kind]++;
	}
}

static void *stress_works(void *argument)
{
	static const char kinds[] = {YIELD, YIELD,   YIELD,  YIELD,      YIELD, YIELD,
				     YIELD, ANSWER,  ANSWER, SLEEP,      SLEEP, MIGRATE,
				     SPIN,  MIGRATE, ANSWER, SIGNAL_SELF};
	struct stress_worker *me = argument;
	struct plugclock_plug plug;
	sigset_t ours;
	long step;

	stress_me = me;
	prctl(PR_SET_TIMERSLACK, 1);
	sched_setaffinity(0, sizeof(cpu_set_t), &stress.cpus[me->cpu]);
	sigemptyset(&ours);
	sigaddset(&ours, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
	for (step = 0; !stress.stop; step++) {
		if (step % 64 == 0)
			plugclock_start(&plug, 0);
		me->random = me->random * 1664525 + 1013904223;
		stress_step(me, kinds[me->random >> 28]);
		if (step % 64 == 63)
			plugclock_finish(&plug);
	}
	plugclock_finish(&plug);
	pthread_sigmask(SIG_BLOCK, &ours, NULL);
	return NULL;
}

#endif
