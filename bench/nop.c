// SPDX-License-Identifier: MIT
/*
 * nop.c - no-ops, a batch at a time, as io_uring_nop_stress has them
 *
 * Xiaoguang Wang, "Is io_uring framework becoming bloated gradually?", io-uring list, May
 * 2020: submit a batch of no-ops, wait for each of them, count. An iteration is a batch.
 * async: 1 has io_uring's own workers do them (IOSQE_ASYNC). Each thread has its own ring
 * and its own CPU.
 */
#include <errno.h>
#include <string.h>

#include "gbench.h"
#include "pin.h"
#include "subjects.h"
#include "uring.h"

struct load {
	struct io_uring ring;
	unsigned int batch;
	unsigned int flags; /* of each entry */
	uint64_t done;
};

/* One batch; NULL, or what went wrong with -errno in *err. */
static const char *one_batch(struct load *l, int *err)
{
	for (unsigned int i = 0; i < l->batch; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&l->ring);

		io_uring_prep_nop(sqe);
		sqe->flags |= l->flags;
	}
	*err = io_uring_submit(&l->ring);
	if (*err != (int)l->batch)
		return "submitting";
	for (unsigned int i = 0; i < l->batch; i++) {
		struct io_uring_cqe *cqe;

		*err = io_uring_wait_cqe(&l->ring, &cqe);
		if (*err)
			return "waiting";
		*err = cqe->res;
		io_uring_cqe_seen(&l->ring, cqe);
		if (*err)
			return "a no-op";
		l->done++;
	}
	return NULL;
}

static void stress(struct gbench_state *state, struct load *l)
{
	const char *what = NULL;
	uint64_t n;
	int err;

	while (!what && (n = gbench_keep_running(state, 16))) {
		while (n-- && !what)
			what = one_batch(l, &err);
	}
	if (what) {
		gbench_fail(state, "%s: %s", what, strerror(err < 0 ? -err : EIO));
		return;
	}
	gbench_counter(state, "IOPS", (double)l->done, GBENCH_RATE);
	gbench_counter(state, "IOPS/core", (double)l->done,
		       GBENCH_RATE | GBENCH_PER_THREAD);
	gbench_counter(state, "nops", (double)l->done, 0);
}

static void nop_run(struct gbench_state *state)
{
	struct load l = {
		.batch = (unsigned int)gbench_arg(state, 0),
		.flags = gbench_arg(state, 1) ? IOSQE_ASYNC : 0,
	};
	struct pin pin;
	int err;

	if (uring_open(state, &l.ring, gbench_arg(state, 2), l.batch, 0))
		return;
	err = pin_start(&pin, gbench_thread(state));
	if (err)
		gbench_fail(state, "pinning the thread: %s", strerror(-err));
	else
		stress(state, &l);
	pin_finish(&pin);
	io_uring_queue_exit(&l.ring);
}

int nop_register(void)
{
	static struct gbench_def nop = {
		.name = "nop",
		.run = nop_run,
		.axes = {{.name = "batch", .values = {1, 16, 32, 128}, .nr = 4},
			 {.name = "async", .values = {0, 1}, .nr = 2},
			 URING_AXIS},
		.threads = {1},
		.clock = GBENCH_REAL,
	};

	if (pin_cpus() > 1)
		nop.threads[1] = pin_cpus();
	return gbench_register(&nop);
}
