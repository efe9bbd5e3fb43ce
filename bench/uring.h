/* SPDX-License-Identifier: MIT */
/*
 * uring.h - the rings of the benchmarks, by the year of their flags
 */
#ifndef BENCH_URING_H
#define BENCH_URING_H

#include <liburing.h>

#include "gbench.h"

/*
 * URING_2020: no flags, entered by its file descriptor.
 * URING_2022: SINGLE_ISSUER and DEFER_TASKRUN (Linux 6.1), entered by a registered
 *             descriptor.
 */
#define URING_2020 2020
#define URING_2022 2022

/* The axis "ring" of a benchmark that runs on both. */
#define URING_AXIS                                                                       \
	{                                                                                \
		.name = "ring", .values = {URING_2020, URING_2022}, .nr = 2              \
	}

/*
 * uring_open() - set up a ring
 *
 * cq_entries: room for completions; 0 for twice the entries.
 * Returns: 0; or -1, and the run is skipped where io_uring or the flags are not to be had,
 *          and has failed else.
 * Context: the thread that will submit.
 */
int uring_open(struct gbench_state *state, struct io_uring *ring, int64_t year,
	       unsigned int entries, unsigned int cq_entries);

/*
 * uring_try_open() - the same for a thread without a state
 *
 * Returns: 0 or -errno of io_uring_setup(), for uring_refused().
 */
int uring_try_open(struct io_uring *ring, int64_t year, unsigned int entries,
		   unsigned int cq_entries);

/* uring_refused() - skip or fail the run, for -errno @err of uring_try_open(). */
void uring_refused(struct gbench_state *state, int64_t year, int err);

/*
 * uring_supports() - does this kernel have the operation?
 *
 * name, since: of the operation, for the reason.
 * Returns: 1; or 0, and the run is skipped.
 */
int uring_supports(struct gbench_state *state, struct io_uring *ring, int op,
		   const char *name, const char *since);

/*
 * uring_finish_one() - submit the entry that was prepared, and await its completion
 *
 * Context: nothing else is in flight. A signal does not end the wait.
 * Returns: the completion's result; or -errno of io_uring_enter().
 */
int uring_finish_one(struct io_uring *ring);

#endif
