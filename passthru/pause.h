/* SPDX-License-Identifier: MIT */
/*
 * Waiting while workers run: time, a signal and a worker's error end it
 */
#ifndef NGBENCH_PAUSE_H
#define NGBENCH_PAUSE_H

#include <stdint.h>

#include "crew.h"

enum pause_end { PAUSE_TIME, PAUSE_SIGNAL, PAUSE_ERROR, PAUSE_DONE };

/*
 * pause_block_signals() - hold SIGINT, SIGTERM and SIGHUP back for pause_until()
 *
 * SIGPIPE is ignored from then on: it would end a run with reads in flight and knobs
 * switched, where an error of the output does.
 * Context: the main thread, before any other is started.
 */
void pause_block_signals(void);

/*
 * pause_release_signals() - from now on such a signal ends the program, as by default
 *
 * Those that came while they were held back are done with: a second Ctrl-C in
 * one run does not cost its report.
 * Context: the main thread, once all is put back.
 */
void pause_release_signals(void);

/*
 * pause_until() - sleep until CLOCK_MONOTONIC reads @until_ns
 *
 * Returns: why it ended; PAUSE_DONE: the workers have ended by themselves. A signal
 *          is remembered: later calls end at once with it.
 */
enum pause_end pause_until(struct crew *c, uint64_t until_ns);

/* pause_signal() - true once such a signal has come. */
int pause_signal(void);

#endif
