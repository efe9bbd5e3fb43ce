/* SPDX-License-Identifier: MIT */
/*
 * worker_fixture.h - a worker whose engine ends the run by itself: no test takes time
 */
#ifndef WORKER_FIXTURE_H
#define WORKER_FIXTURE_H

#include "worker_test.h"

#include "worker.h"

#define DEPTH 16

/* The engine under test stops the loop, or breaks an entry, after so many batches. */
static const struct engine *base;
static _Atomic bool stop;
static unsigned int batches, stop_after, break_after;
static uint64_t aimed, aimed_at[2];
static const struct target *first_target;
static bool vectored;

/* Each vector is as long as a read of its device, whatever the slot could take. */
static void check_vectors(const struct ring *r, const struct target *t, unsigned int tail,
			  unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct nvme_uring_cmd *cmd =
			(const struct nvme_uring_cmd *)ring_sqe(r, tail + i)->cmd;
		const struct iovec *vector = (const struct iovec *)(uintptr_t)cmd->addr;

		assert_int_equal(cmd->data_len, 1);
		assert_int_equal(vector->iov_len, t->device->range.data_bytes);
		assert_non_null(vector->iov_base);
	}
}

static void aim(const struct ring *r, struct target *t, unsigned int tail, unsigned int n)
{
	if (base->aim)
		base->aim(r, t, tail, n);
	if (vectored)
		check_vectors(r, t, tail, n);
	aimed += n;
	aimed_at[t - first_target] += n;
	batches++;
	if (break_after && batches == break_after)
		ring_sqe(r, tail + n / 2)->opcode = 255; /* completes with -EINVAL */
	if (stop_after && batches == stop_after)
		stop = true;
}

static struct engine engine;
static struct options o;
static struct device devices[2];
static struct target targets[2];
static struct histogram latency;
static struct worker w;
static struct fail f;

/* A worker on @on that stops after @after batches. */
static void open_worker(const struct engine *on, unsigned int nr_targets,
			unsigned int after)
{
	skip_without_io_uring();
	base = on;
	engine = *on;
	engine.aim = aim;
	memset(&f, 0, sizeof(f));
	memset(&w, 0, sizeof(w));
	memset(targets, 0, sizeof(targets));
	for (unsigned int i = 0; i < nr_targets; i++) {
		targets[i].device = &devices[i];
		targets[i].fd = devices[i].fd;
		targets[i].random = i + 1;
	}
	first_target = targets;
	stop = false;
	batches = break_after = 0;
	aimed = aimed_at[0] = aimed_at[1] = 0;
	stop_after = after;
	w.engine = &engine;
	w.options = &o;
	w.targets = targets;
	w.nr_targets = nr_targets;
	w.stop = &stop;
	w.node = -1;
	w.latency = &latency;
	if (worker_open(&w, &f))
		fail_msg("%s", f.why);
}

/* All that was submitted has come back. */
static void assert_drained(void)
{
	assert_int_equal(w.inflight, 0);
	assert_int_equal(w.pending, 0);
	/* No entry lies behind what the kernel took. */
	assert_int_equal(w.tail, *w.ring.uring.sq.khead);
	assert_int_equal(w.tail, *w.ring.sq_tail);
	assert_int_equal(w.total_ios + w.errors, w.progress.submitted);
	for (unsigned int i = 0; w.nr_targets > 1 && i < w.nr_targets; i++)
		assert_int_equal(targets[i].inflight, 0);
}

static int set_up(void **state)
{
	(void)state;
	o = options_of(DEPTH);
	vectored = false;
	devices[0] = null_device("first");
	devices[1] = null_device("second");
	return devices[0].fd < 0 || devices[1].fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	worker_close(&w);
	close(devices[0].fd);
	close(devices[1].fd);
	return 0;
}

#define on_null(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
