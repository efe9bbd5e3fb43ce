/* SPDX-License-Identifier: MIT */
/*
 * worker_fixture.h - a worker on a real ring, whose engine ends the run by itself
 */
#ifndef WORKER_FIXTURE_H
#define WORKER_FIXTURE_H

#include "worker_test.h"

#include "worker.h"

#include <sched.h>

#define DEPTH 16

/* The engine under test stops the loop, or breaks an entry, after so many batches. */
static const struct engine *base;
static _Atomic bool stop;
static unsigned int batches, stop_after, break_after;
static unsigned int idle_ms; /* as in struct ring_spec */
static uint64_t aimed, aimed_at[2];
static const struct target *first_target;
/* What a test has to say about entries that are filled; NULL: nothing. */
static void (*look)(const struct ring *r, const struct target *t, unsigned int tail,
		    unsigned int n);

static void aim(const struct ring *r, struct target *t, unsigned int tail, unsigned int n)
{
	if (base->aim)
		base->aim(r, t, tail, n);
	if (look)
		look(r, t, tail, n);
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
	w.sq_idle_ms = idle_ms;
	if (worker_open(&w, &f))
		fail_msg("%s", f.why);
}

/* All that was submitted has come back. */
static void assert_drained(void)
{
	assert_int_equal(w.inflight, 0);
	assert_int_equal(w.pending, 0);
	assert_int_equal(w.tail, *w.ring.sq_tail);
	assert_int_equal(w.total_ios + w.errors, w.progress.submitted);
	for (unsigned int i = 0; w.nr_targets > 1 && i < w.nr_targets; i++)
		assert_int_equal(targets[i].inflight, 0);
	if (w.ring.sq_flags) {
		/* What a thread of the kernel was shown is never taken back. */
		assert_int_equal(w.progress.submitted, aimed);
		/* It writes its head only after the completions of a batch. */
		while (__atomic_load_n(w.ring.uring.sq.khead, __ATOMIC_ACQUIRE) != w.tail)
			sched_yield();
	}
	/* No entry lies behind what the kernel took. */
	assert_int_equal(w.tail, *w.ring.uring.sq.khead);
}

static int set_up(void **state)
{
	(void)state;
	o = options_of(DEPTH);
	look = NULL;
	idle_ms = 0;
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

/* The first device becomes a file of 200 blocks, each filled with its number. */
static void make_blocks(void)
{
	unsigned char block[4096];
	int fd = memfd_create("blocks", MFD_CLOEXEC);

	for (unsigned int i = 0; i < 200; i++) {
		memset(block, (int)i, sizeof(block));
		assert_int_equal(pwrite(fd, block, sizeof(block), (off_t)i * 4096), 4096);
	}
	close(devices[0].fd);
	devices[0].fd = fd;
	devices[0].kind = DEVICE_FILE;
	devices[0].range.positions = 200;
}

/* Reads of make_blocks() in order, with the options as they are: each slot has its block. */
static void assert_reads_right_blocks(void)
{
	const struct pace pace = {.lat = LAT_OFF};
	struct tally tally;

	open_worker(&engine_block, 1, 10); /* 40 reads, and 16 slots */
	targets[0].random = 0;
	targets[0].position = 50;
	assert_int_equal(worker_run(&w, &pace, &tally, &f), 0);
	assert_drained();
	assert_int_equal(w.errors, 0);
	for (unsigned int k = 0; k < 16; k++) {
		unsigned int last = (unsigned int)aimed - 1 - (15 - k);
		const unsigned char *data = w.buffers.slots[last % 16].data.iov_base;

		assert_int_equal(data[0], (50 + last) % 200);
		assert_int_equal(data[4095], (50 + last) % 200);
	}
	worker_close(&w);
}

#define on_null(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
