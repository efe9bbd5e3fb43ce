// SPDX-License-Identifier: MIT
/* probe.c - finds out whether a detector notices a blocking call */
#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

/* This many blocking calls must all come out the same, in so many tries. */
#define ROUNDS 5
#define TRIES  50

enum outcome { NOTICED, MISSED, UNCLEAR };

/* Arms, blocks for a moment, and looks. */
static enum outcome block_once(const struct plugclock_detector_ops *ops,
			       const volatile uint64_t *word)
{
	struct timespec moment = {.tv_nsec = 20000};
	struct rusage before = {0}, after = {0};
	uint64_t seen, good;

	getrusage(RUSAGE_THREAD, &before);
	good = ops->arm();
	clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
	seen = *word;
	getrusage(RUSAGE_THREAD, &after);
	/*
	 * A sleep may be over before it blocks, and a preemption in user mode is noticed
	 * on every kernel.
	 */
	if (after.ru_nvcsw == before.ru_nvcsw || after.ru_nivcsw != before.ru_nivcsw)
		return UNCLEAR;
	return seen == good ? MISSED : NOTICED;
}

enum plugclock_detector plugclock_probe(const struct plugclock_detector_ops *ops)
{
	const volatile uint64_t *word = ops->word();
	int saved_errno = errno, cancel_state, tries;
	int counts[] = {[NOTICED] = 0, [MISSED] = 0, [UNCLEAR] = 0};
	sigset_t all, before;

	if (!word)
		return PLUGCLOCK_DETECTOR_NONE;
	/* A signal may count as a switch. And this must not be a cancellation point. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	for (tries = 0; tries < TRIES && counts[NOTICED] + counts[MISSED] < ROUNDS;
	     tries++)
		counts[block_once(ops, word)]++;
	ops->disarm();
	pthread_setcancelstate(cancel_state, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved_errno;
	if (counts[NOTICED] == ROUNDS)
		return PLUGCLOCK_DETECTOR_EXACT;
	if (counts[MISSED] == ROUNDS)
		return PLUGCLOCK_DETECTOR_USER;
	return PLUGCLOCK_DETECTOR_NONE;
}
