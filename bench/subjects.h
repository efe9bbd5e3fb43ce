/* SPDX-License-Identifier: MIT */
/*
 * The subjects of plugclock-bench, one file each
 *
 * Each registers its benchmarks. Returns 0, or -errno of gbench_register(). Context: after
 * pin_init() and gbench_init(), once.
 */
#ifndef BENCH_SUBJECTS_H
#define BENCH_SUBJECTS_H

#include <stdint.h>

/* The library against the other clocks. */
int clock_register(void);

/* No-ops, a batch at a time: io_uring_nop_stress. */
int nop_register(void);

/* Registered files and buffers, replaced over and over: rsrc-update-bench. */
int update_register(void);

/*
 * Messages from one ring to another, and how long they take.
 *
 * rate: messages per second, beside the usual ones; 0 for none.
 */
int message_register(int64_t rate);

/* Waits for one completion that comes just after the wait began. */
int wait_register(void);

#endif
