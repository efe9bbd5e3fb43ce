// SPDX-License-Identifier: MIT
/*
 * bare.c - the shortest loop around io_uring_enter(): what no program can beat
 *
 * Submits no-ops, 32 at a time with a depth of 128, on the ring that ngbench would open,
 * and drops the completions unread. For the kernel it is the work of t/io_uring -N1 -d128
 * -s32 -c32, so that its IOPS are the ceiling of that comparison on this machine.
 * Prints t/io_uring's line each second until it is ended.
 *
 * Exit status: 1 failed, 3 not possible here.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "ring.h"

#define DEPTH 128
#define BATCH 32

static _Atomic unsigned int completed; /* wraps, as the numbers of the ring do */
static _Atomic bool over;
static struct fail why; /* the loop's until over */

/* Returns only when it cannot go on. */
static void *loop(void *unused)
{
	const struct ring_spec spec = {.entries = DEPTH, .registered = true};
	struct ring r;
	unsigned int tail = 0;
	int ret;

	(void)unused;
	if (ring_open(&r, &spec, &why))
		goto over;
	for (unsigned int i = 0; i < DEPTH; i++) {
		memset(ring_sqe(&r, i), 0, sizeof(struct io_uring_sqe));
		ring_sqe(&r, i)->opcode = IORING_OP_NOP;
	}
	do {
		tail += BATCH;
		/* Pairs with the kernel's acquire of the tail. */
		__atomic_store_n(r.sq_tail, tail, __ATOMIC_RELEASE);
		ret = ring_enter(&r, BATCH, 0, 0);
		/* No-ops complete while they are submitted. */
		__atomic_store_n(r.cq_head, tail, __ATOMIC_RELEASE);
		atomic_store_explicit(&completed, tail, memory_order_relaxed);
	} while (ret == BATCH);
	ring_failure(&why, "io_uring_enter", ret < 0 ? -ret : EIO);
	ring_close(&r);
over:
	atomic_store(&over, true);
	return NULL;
}

int main(void)
{
	uint64_t last_ns = clock_ns();
	unsigned int last = 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, loop, NULL))
		return 1;
	while (!atomic_load(&over)) {
		unsigned int now, did;
		uint64_t now_ns;

		sleep(1);
		now = atomic_load(&completed);
		now_ns = clock_ns();
		did = now - last;
		printf("IOPS=%.2fM, IOS/call=%d/%d\n",
		       did * 1e3 / (double)(now_ns - last_ns), BATCH, BATCH);
		fflush(stdout);
		last = now;
		last_ns = now_ns;
	}
	pthread_join(thread, NULL);
	fprintf(stderr, "bare: %s\n", why.why);
	return (int)why.status;
}
