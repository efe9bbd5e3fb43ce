// SPDX-License-Identifier: MIT
/*
 * Reads in lock-step batches, marked for the plugin instructions.c: a batch is submitted,
 * waited for without being polled for, and reaped with one call, so that each takes the
 * kernel the same instructions.
 *
 *   lockstep [ngbench's options] DEVICE     -d is the batch; -r a number of batches
 *
 * Runs in a guest under that plugin, and anywhere else for its own test: markers are
 * no-ops. Prints "READS batches of BATCH, LATE late": late ones needed a second call.
 * Exit status: as ngbench's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "marker.h"
#include "session.h"
#include "worker.h"

#define WAIT_NS       1000000 /* several times what an emulated drive takes */
#define LATE_LIMIT_NS (30 * NS_PER_S)

static int call(const struct ring *r, unsigned int submit, unsigned int wait,
		struct fail *f)
{
	int ret = ring_enter(r, submit, wait, wait ? IORING_ENTER_GETEVENTS : 0);

	if (ret < 0)
		return ring_failure(f, "io_uring_enter", -ret);
	return ret;
}

/* Takes the completions there are; returns how many, or -1 after a bad one. */
static int reap(const struct worker *w, struct fail *f)
{
	const struct ring *r = &w->ring;
	unsigned int head = *r->cq_head;
	unsigned int n = __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE) - head;

	for (unsigned int i = 0; i < n; i++) {
		const struct io_uring_cqe *cqe =
			(const struct io_uring_cqe *)(r->cqes +
						      ((size_t)((head + i) & r->cq_mask)
						       << r->cqe_shift));

		if (cqe->res != w->good_result)
			return fail(f, STATUS_FAILED, "a read failed: %d", cqe->res);
	}
	__atomic_store_n(r->cq_head, head + n, __ATOMIC_RELEASE);
	return (int)n;
}

/* One batch. Returns the number of calls it took to reap it, or -1. */
static int batch(struct worker *w, unsigned int n, struct fail *f)
{
	const struct timespec pause = {.tv_nsec = WAIT_NS};
	const struct ring *r = &w->ring;
	uint64_t start_ns = clock_ns();
	unsigned int got = 0;
	int calls = 0, ret;

	if (w->engine->aim)
		w->engine->aim(r, w->targets, w->tail, n);
	w->tail += n;
	__atomic_store_n(r->sq_tail, w->tail, __ATOMIC_RELEASE);
	MARK(START);
	ret = call(r, n, 0, f);
	MARK(STOP);
	if (ret < 0)
		return -1;
	if ((unsigned int)ret != n)
		return fail(f, STATUS_FAILED, "only %d of %u were submitted", ret, n);
	while (got < n) {
		nanosleep(&pause, NULL);
		MARK(START);
		ret = call(r, 0, n - got, f);
		MARK(STOP);
		if (ret < 0)
			return -1;
		ret = reap(w, f);
		if (ret < 0)
			return -1;
		got += (unsigned int)ret;
		calls++;
		if (clock_ns() - start_ns > LATE_LIMIT_NS)
			return fail(f, STATUS_FAILED, "%u reads are lost", n - got);
	}
	return calls;
}

static int run(struct worker *w, unsigned int n, unsigned int batches, struct fail *f)
{
	unsigned int late = 0;

	for (unsigned int i = 0; i < batches; i++) {
		int calls = batch(w, n, f);

		if (calls < 0)
			return -1;
		MARK(BATCH);
		late += calls > 1;
	}
	MARK(WRITE);
	printf("%u batches of %u, %u late\n", batches, n, late);
	return 0;
}

int main(int argc, char **argv)
{
	static struct options o;
	static _Atomic bool stop;
	struct fail f = {0};
	struct session s = {0};
	struct target target = {.random = 1};
	struct worker w = {0};

	if (options_parse(&o, argc, argv, &f) || session_open(&s, &o, &f))
		goto out;
	target.device = &s.devices[0];
	target.fd = s.devices[0].fd;
	w.engine = s.engine;
	w.options = &o;
	w.targets = &target;
	w.nr_targets = 1;
	w.stop = &stop;
	if (!worker_open(&w, &f)) {
		(void)run(&w, o.depth, o.runtime_s ? o.runtime_s : 1000, &f);
		worker_close(&w);
	}
	session_close(&s);
out:
	if (f.status)
		fprintf(stderr, "lockstep: %s\n", f.why);
	return (int)f.status;
}
