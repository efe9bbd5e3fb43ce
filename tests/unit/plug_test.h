/* SPDX-License-Identifier: MIT */
/* plug_test.h - what the tests of lib/ share */
#ifndef PLUG_TEST_H
#define PLUG_TEST_H

#include "plugclock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* For a test program that is built once more, for another detector: see test_plug_perf.c.
 */
static inline void choose_detector(void)
{
#ifdef DETECTOR
	setenv("PLUGCLOCK_DETECTOR", DETECTOR, 1);
#endif
}

/* The clock itself, without the library. */
static inline uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline void skip_because(const char *reason)
{
	printf("# skipped: %s\n", reason);
	fflush(stdout);
	skip();
}

static inline void skip_unless_exact(void)
{
	if (plugclock_detector() != PLUGCLOCK_DETECTOR_EXACT)
		skip_because("the detector does not see every context switch here");
}

/* Runs check() in a forked child; its result, or -1 if it did not come to an end. */
static inline int in_child(int (*check)(void))
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(check());
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

#endif
