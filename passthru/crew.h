/* SPDX-License-Identifier: MIT */
/*
 * All workers of a run: started once, then told to run slice after slice
 */
#ifndef NGBENCH_CREW_H
#define NGBENCH_CREW_H

#include <stdint.h>

#include "device.h"
#include "engine.h"
#include "fail.h"
#include "histogram.h"
#include "options.h"
#include "worker.h"

struct crew;

#define CREW_ERROR_LEN 256

/* All workers' counts of one slice together. */
struct slice {
	double iops;      /* sum of each worker's I/Os over its own measured time */
	double ns_per_io; /* per worker: nr of workers * 1e9 / iops */
	uint64_t ios, calls;
	uint64_t clock_reads; /* of the workers, for the stamps of their I/Os */
	uint64_t all_ios; /* ramp and drain included, to hold against the kernel's counts
			   */
	uint64_t errors;  /* bad completions; one beyond options->max_errors stops it */
	uint64_t time_ns; /* the longest of the workers' measured times */
	char first_error[CREW_ERROR_LEN]; /* what the first bad one was; "" without */
};

/* Progress of the running slice, summed over the workers. */
struct crew_counts {
	uint64_t submitted, completed, calls;
};

/* What a worker is, for the lines that t/io_uring prints. */
struct crew_member {
	int tid;
	int node;
	int cpu;          /* pinned to; -1: not */
	const char *path; /* of its last target, NULL for none */
};

/*
 * crew_open() - start the threads; each opens its ring and buffers
 *
 * Devices are dealt out over the threads as t/io_uring does: each thread gets
 * at least one, several threads share one where there are more threads.
 * Errors:  those of worker_open(), a CPU of --cpus that is not there, no threads.
 * Context: the caller blocks SIGINT and SIGTERM first; the threads inherit that.
 * Returns: the crew, or NULL with @f set. @o and @devices must outlive it.
 */
struct crew *crew_open(const struct options *o, const struct engine *engine,
		       struct device *devices, struct fail *f);

/*
 * crew_begin() - let all workers run at @pace until crew_end()
 *
 * @ios: they end by themselves after so many, dealt out over them; WORKER_NO_END
 * is as many as there is time for.
 */
void crew_begin(struct crew *c, const struct pace *pace, uint64_t ios);

/* crew_counts() - since crew_begin(); may be called at any time in between. */
struct crew_counts crew_counts(const struct crew *c);

/* crew_stopped() - true once a worker has stopped the slice by itself, after an error. */
bool crew_stopped(const struct crew *c);

/* crew_idle() - true once all workers have ended the slice by themselves. */
bool crew_idle(struct crew *c);

/*
 * crew_end() - stop, drain, and add the slice up
 *
 * @latency: latencies are merged into it, where the pace asked for them and it
 * is not NULL.
 * Errors:  a worker failed; more completions were bad, since crew_open(), than
 *          options->max_errors (the message names the device and decodes the
 *          status of the first).
 * Returns: 0 with @slice set, or -1 with @f set (@slice is set then, too).
 */
int crew_end(struct crew *c, struct slice *slice, struct histogram *latency,
	     struct fail *f);

unsigned int crew_size(const struct crew *c);
struct crew_member crew_member(const struct crew *c, unsigned int i);

/* crew_ring() - the first worker's ring, to say what the kernel granted. */
const struct ring *crew_ring(const struct crew *c);

/* crew_close() - ends the threads; takes NULL. */
void crew_close(struct crew *c);

#endif
