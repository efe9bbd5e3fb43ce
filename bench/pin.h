/* SPDX-License-Identifier: MIT */
/*
 * pin.h - one thread, one CPU
 */
#ifndef BENCH_PIN_H
#define BENCH_PIN_H

#include <sched.h>

struct pin {
	cpu_set_t before;
	int pinned;
};

/*
 * pin_init() - note the CPUs that the process may use
 *
 * Returns: how many there are.
 * Errors:  -errno of sched_getaffinity(); -EINVAL on more than CPU_SETSIZE CPUs.
 * Context: the main thread, before it is pinned.
 */
int pin_init(void);

/* pin_cpus() - what pin_init() returned. */
int pin_cpus(void);

/*
 * pin_start() - keep the calling thread on one of them
 *
 * i:       which, from 0 on, beginning with the last, since interrupts like the first.
 *          Modulo their number.
 * Returns: 0, with *p for pin_finish().
 * Errors:  -errno of sched_setaffinity().
 */
int pin_start(struct pin *p, int i);

/* pin_finish() - let the thread go where it could before; nothing for a zeroed p. */
void pin_finish(struct pin *p);

#endif
