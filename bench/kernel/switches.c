// SPDX-License-Identifier: MIT
/*
 * Context switches, marked for the plugin instructions.c: two threads of one real-time
 * priority on one processor yield to each other, and a sample is one sched_yield(), which
 * is entered in one thread and left in the other.
 *
 *   switches N        in a guest, as root
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marker.h"

static pthread_barrier_t both_there;

static void *take_turns(void *arg)
{
	unsigned long n = *(const unsigned long *)arg;

	pthread_barrier_wait(&both_there);
	while (n--) {
		MARK(START);
		sched_yield();
		MARK(STOP);
		MARK(BATCH);
	}
	return NULL;
}

static int start(pthread_t *thread, unsigned long *n)
{
	const struct sched_param param = {.sched_priority = 1};
	cpu_set_t one;
	pthread_attr_t attr;
	int err;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &param);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	err = pthread_create(thread, &attr, take_turns, n);
	pthread_attr_destroy(&attr);
	return err;
}

int main(int argc, char **argv)
{
	unsigned long n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t threads[2];

	if (!n) {
		fputs("usage: switches N\n", stderr);
		return 2;
	}
	pthread_barrier_init(&both_there, NULL, 2);
	for (unsigned int i = 0; i < 2; i++) {
		int err = start(&threads[i], &n);

		if (err) {
			fprintf(stderr, "switches: a real-time thread: %s\n",
				strerror(err));
			return err == EPERM ? 3 : 1;
		}
	}
	for (unsigned int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	MARK(WRITE);
	printf("2 * %lu switches\n", n);
	return 0;
}
