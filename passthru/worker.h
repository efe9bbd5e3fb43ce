/* SPDX-License-Identifier: MIT */
/*
 * One thread's loop: submit a batch, wait for a batch, and nothing per I/O
 * that can be done per batch
 */
#ifndef NGBENCH_WORKER_H
#define NGBENCH_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffers.h"
#include "engine.h"
#include "fail.h"
#include "histogram.h"
#include "options.h"
#include "ring.h"

/* What may differ between two slices of one run. */
struct pace {
	enum lat_mode lat;
	unsigned int delay_ns; /* spun away per completion, to check the tool itself */
	double interval_ns;    /* of a worker from one I/O to the next; 0: none kept */
	bool only_clock;       /* no I/O: read the clock on and on, to price that */
};

/* pace_of() - that of options without a knob. */
struct pace pace_of(const struct options *o);

/* What a slice did, in its measured time: the ramp and the drain are left out. */
struct tally {
	uint64_t ios;         /* good completions */
	uint64_t calls;       /* io_uring_enter() */
	uint64_t clock_reads; /* for the stamps of I/Os, or with only_clock all */
	uint64_t time_ns;     /* CLOCK_MONOTONIC, from the end of the ramp to the stop */
};

/* Counts since the slice began, for whoever prints progress. Never reset in a slice. */
struct progress {
	_Atomic uint64_t submitted, completed, calls;
};

#define WORKER_NO_END UINT64_MAX

struct worker {
	struct ring ring;
	struct buffers buffers;
	const struct engine *engine;
	const struct options *options;
	struct target *targets;
	unsigned int nr_targets;
	unsigned int current;  /* target of the next batch */
	unsigned int tail;     /* of the submission queue, ours */
	unsigned int pending;  /* filled, and not taken by the kernel yet */
	unsigned int inflight; /* filled and not reaped */
	int good_result;
	unsigned int delay_ns; /* of the slice */
	int64_t owed_ns;       /* of delay not spun away yet */
	double interval_ns;    /* of the slice */
	double due_ns;         /* when the next batch is, by base_ns; with an interval */
	uint64_t left;      /* to be filled yet; WORKER_NO_END unless the caller knows */
	unsigned int spins; /* without a completion, where the kernel submits */
	unsigned int sq_idle_ms; /* as in struct ring_spec */
	int node;
	uint64_t base_ns;          /* stamps in user_data count from here */
	struct histogram *latency; /* of the slice; NULL with LAT_OFF */
	_Atomic bool *stop;
	int error_result; /* of the first bad completion: -errno or NVMe status */
	unsigned int error_target;
	uint64_t errors;
	uint64_t total_ios; /* good completions since worker_open(), ramps and drains too
			     */
	struct progress progress __attribute__((aligned(64)));
};

/*
 * worker_open() - ring, registered files and buffers, prepared entries
 *
 * @w->engine, options, targets, nr_targets, stop and sq_idle_ms are set by the caller;
 * left is set to no end.
 * Errors:  as ring_open() and buffers_open().
 * Context: the thread that will run the loop.
 * Returns: 0 or -1 with @f set; then nothing is left to close.
 */
int worker_open(struct worker *w, struct fail *f);

/*
 * worker_run() - I/O until *stop, then drain
 *
 * The measured time starts when the depth has been reaped once; at once where an
 * interval is kept or @w->left has an end, and ends then with the last completion.
 * The first bad completion is kept in error_result; one more than
 * options->max_errors of them set *stop.
 * Latencies are added to @w->latency where @pace asks for them.
 * Errors:  io_uring_enter() failed; completions missing 75 s after the last one.
 * Returns: 0 with @tally set, or -1 with @f set.
 */
int worker_run(struct worker *w, const struct pace *pace, struct tally *tally,
	       struct fail *f);

/* worker_close() - takes a zeroed struct and one that worker_open() refused. */
void worker_close(struct worker *w);

#endif
