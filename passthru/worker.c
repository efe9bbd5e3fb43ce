// SPDX-License-Identifier: MIT
#include "worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <plugclock.h>

#include "clock.h"
#include "worker_io.h"

/* Longer than the NVMe driver takes to end a lost command: 30 s until it asks the drive to
 * abort it, as long again until it resets the controller, and the reset. */
#define DRAIN_LIMIT_NS (75 * NS_PER_S)
/* Until then a drain spins; sleeping would add clock reads of its own. */
#define DRAIN_SPIN_NS (2 * 1000000ull)

/* A thread that has nothing in flight sleeps until then before a batch is due, */
#define NAP_MARGIN_NS 100000
/* but not so long that it would not see the stop. */
#define NAP_MAX_NS 10000000

/* Vectors have a device's length, and slots that of the longest read of all devices. */
static int make_vectors(struct worker *w, struct fail *f)
{
	for (unsigned int i = 0; i < w->nr_targets; i++) {
		struct target *t = &w->targets[i];

		t->vectors = calloc(w->buffers.nr_slots, sizeof(*t->vectors));
		if (!t->vectors)
			return fail(f, STATUS_FAILED, "out of memory");
		for (unsigned int k = 0; k < w->buffers.nr_slots; k++) {
			t->vectors[k].iov_base = w->buffers.slots[k].data.iov_base;
			t->vectors[k].iov_len = t->device->range.data_bytes;
		}
	}
	return 0;
}

int worker_open(struct worker *w, struct fail *f)
{
	const struct options *o = w->options;
	const struct command_range *range = &w->targets[0].device->range;
	struct ring_spec ring = {
		.entries = o->depth,
		.polled = o->polled == CHOICE_ON,
		.wide = w->engine->passthrough,
		.registered = o->registered_ring,
		.sq_thread = o->kernel_submits,
		.sq_idle_ms = w->sq_idle_ms,
	};
	struct buffers_spec buffers = {
		.data_bytes = range->data_bytes,
		.meta_bytes = range->meta_bytes,
		.registered = o->fixed_buffers && w->engine->reads_device,
		.vectored = o->vectored,
		.huge_path = o->huge_path,
	};

	if (ring_open(&w->ring, &ring, f))
		return -1;
	if (o->kernel_submits && w->engine->reads_device && !o->registered_files &&
	    !(w->ring.features & IORING_FEAT_SQPOLL_NONFIXED)) {
		fail(f, STATUS_NOT_POSSIBLE,
		     "-F0: before Linux 5.11 --sqpoll 1 wants registered files: use -F1, "
		     "or --sqpoll 0");
		goto close;
	}
	buffers.slots = w->ring.sq_mask + 1;
	if (w->engine->reads_device && o->registered_files) {
		int fds[OPTIONS_MAX_DEVICES], ret;

		for (unsigned int i = 0; i < w->nr_targets; i++) {
			fds[i] = w->targets[i].device->fd;
			w->targets[i].fd = (int)i;
			w->targets[i].flags = IOSQE_FIXED_FILE;
		}
		ret = io_uring_register_files(&w->ring.uring, fds, w->nr_targets);
		if (ret) {
			ring_failure(f, "registering the files (-F1)", -ret);
			goto close;
		}
	}
	/* Formats of several devices may differ in their metadata: room for the largest. */
	for (unsigned int i = 1; i < w->nr_targets; i++) {
		range = &w->targets[i].device->range;
		if (range->data_bytes > buffers.data_bytes)
			buffers.data_bytes = range->data_bytes;
		if (range->meta_bytes > buffers.meta_bytes)
			buffers.meta_bytes = range->meta_bytes;
	}
	if (buffers_open(&w->buffers, &buffers, &w->ring, f))
		goto close;
	if (o->vectored && w->nr_targets > 1 && make_vectors(w, f))
		goto close;
	for (unsigned int i = 0; i < buffers.slots; i++)
		w->engine->prepare(ring_sqe(&w->ring, i), &w->targets[0],
				   &w->buffers.slots[i]);
	w->good_result = w->engine->good_result(&w->targets[0]);
	w->base_ns = clock_ns();
	w->left = WORKER_NO_END;
	return 0;
close:
	worker_close(w);
	return -1;
}

void worker_close(struct worker *w)
{
	ring_close(&w->ring);
	for (unsigned int i = 0; i < w->nr_targets; i++) {
		free(w->targets[i].vectors);
		w->targets[i].vectors = NULL;
	}
	buffers_close(&w->buffers);
}

/*
 * Spin @n times the delay away. What one batch overspins, by as much as a clock
 * read, the next one owes less, so that the mean is right.
 */
__attribute__((noinline)) static void delay(struct worker *w, unsigned int n)
{
	uint64_t start_ns = clock_ns();
	int64_t spun_ns;

	w->owed_ns += (int64_t)n * w->delay_ns;
	do
		spun_ns = (int64_t)(clock_ns() - start_ns);
	while (spun_ns < w->owed_ns);
	w->owed_ns -= spun_ns;
}

/* The loop, until *stop or @limit completions. Returns 0 or -errno. */
hot int loop(struct worker *w, enum lat_mode lat, bool several, uint64_t limit)
{
	const unsigned int depth = w->options->depth;
	const unsigned int submit = w->options->submit_batch;
	const unsigned int complete = w->options->complete_batch;
	uint64_t done = 0;

	while (done < limit && !atomic_load_explicit(w->stop, memory_order_relaxed)) {
		unsigned int room = depth - w->inflight;
		unsigned int wait, got;
		int ret;

		if (!w->pending && room)
			fill(w, room < submit ? room : submit, lat, several);
		/* Fill the queue up before waiting for anything. */
		wait = w->inflight + submit <= depth ? 0
		       : w->inflight < complete      ? w->inflight
						     : complete;
		ret = enter(w, wait, false);
		got = reap(w, lat, several);
		/* A wait may come back early (DEFER_TASKRUN, need_resched): wait on. */
		while (ret == 0 && got < wait &&
		       !atomic_load_explicit(w->stop, memory_order_relaxed)) {
			ret = enter(w, wait - got, false);
			got += reap(w, lat, several);
		}
		progress_add(&w->progress.completed, got);
		done += got;
		if (unlikely(w->delay_ns)) {
			delay(w, got);
			plugclock_flush();
		}
		if (unlikely(ret))
			return ret;
	}
	return 0;
}

/* How many reads may be filled now; with an interval those of a batch that is due. */
static unsigned int due(struct worker *w)
{
	unsigned int n = w->options->depth - w->inflight;
	double since_ns;

	if (n > w->options->submit_batch)
		n = w->options->submit_batch;
	if (n > w->left)
		n = (unsigned int)w->left;
	if (w->interval_ns <= 0)
		return n;
	since_ns = (double)(clock_ns() - w->base_ns);
	if (since_ns < w->due_ns) {
		double early_ns = w->due_ns - since_ns;
		struct timespec nap = {.tv_nsec = (long)(early_ns - NAP_MARGIN_NS)};

		if (nap.tv_nsec > NAP_MAX_NS)
			nap.tv_nsec = NAP_MAX_NS;
		if (!w->inflight && nap.tv_nsec > 0)
			nanosleep(&nap, NULL);
		plugclock_flush();
		return 0;
	}
	/* What is late is made up for: the rate is that of the whole run. */
	w->due_ns += n * w->interval_ns;
	return n;
}

/*
 * The loop with an interval or an end to keep to. Apart from the other, which asks for
 * neither.
 */
static int paced_loop(struct worker *w, enum lat_mode lat)
{
	const unsigned int depth = w->options->depth;
	const unsigned int complete = w->options->complete_batch;
	const bool several = w->nr_targets > 1;

	while ((w->left || w->inflight) &&
	       !atomic_load_explicit(w->stop, memory_order_relaxed)) {
		unsigned int n = w->pending ? 0 : due(w);
		unsigned int wait = 0, got;
		int ret;

		if (n) {
			fill(w, n, lat, several);
			if (w->left != WORKER_NO_END)
				w->left -= n;
		}
		/* Wait only where nothing is to be submitted meanwhile. */
		if (!w->left || w->inflight == depth ||
		    (w->interval_ns <= 0 &&
		     w->inflight + w->options->submit_batch > depth))
			wait = w->inflight < complete ? w->inflight : complete;
		ret = enter(w, wait, true);
		got = reap(w, lat, several);
		progress_add(&w->progress.completed, got);
		if (unlikely(w->delay_ns)) {
			delay(w, got);
			plugclock_flush();
		}
		if (unlikely(ret))
			return ret;
	}
	return 0;
}

/* One loop per mode, so that no I/O asks which it is. */
static int run_loop(struct worker *w, enum lat_mode lat, uint64_t limit)
{
	if (w->nr_targets > 1) {
		switch (lat) {
		case LAT_OFF:
			return loop(w, LAT_OFF, true, limit);
		case LAT_CLOCK:
			return loop(w, LAT_CLOCK, true, limit);
		case LAT_CACHED:
			return loop(w, LAT_CACHED, true, limit);
		}
	}
	switch (lat) {
	case LAT_CLOCK:
		return loop(w, LAT_CLOCK, false, limit);
	case LAT_CACHED:
		return loop(w, LAT_CACHED, false, limit);
	default:
		return loop(w, LAT_OFF, false, limit);
	}
}

/*
 * Wait for what is in flight, without blocking for good: a completion may
 * never come. (Leaving reads behind also makes Linux 6.1 oops on polled
 * passthrough, see nvme_ns_chr_uring_cmd_iopoll().)
 */
static int drain(struct worker *w, struct fail *f)
{
	const struct timespec pause = {.tv_nsec = 50000};
	uint64_t last_ns = clock_ns(), quiet_ns;

	/*
	 * Entries that the kernel has not taken are ours to take back. Not so where it has a
	 * thread to take them with: submit_by_thread() leaves none pending.
	 */
	w->tail -= w->pending;
	w->inflight -= w->pending;
	if (w->nr_targets > 1)
		w->targets[w->current].inflight -= w->pending;
	w->pending = 0;
	__atomic_store_n(w->ring.sq_tail, w->tail, __ATOMIC_RELEASE);
	while (w->inflight) {
		/* A thread that sleeps meanwhile cannot be counted on to have taken all. */
		int ret = ring_enter(
			&w->ring, 0, 0,
			IORING_ENTER_GETEVENTS |
				(w->ring.sq_flags ? IORING_ENTER_SQ_WAKEUP : 0));

		if (ret < 0 && ret != -EINTR && ret != -EAGAIN && ret != -EBUSY)
			return ring_failure(f, "io_uring_enter while draining", -ret);
		if (reap(w, LAT_OFF, w->nr_targets > 1))
			last_ns = clock_ns();
		quiet_ns = clock_ns() - last_ns;
		if (quiet_ns > DRAIN_LIMIT_NS)
			return fail(
				f, STATUS_FAILED,
				"%u reads did not complete within %llu s: lost by the "
				"device or its driver; see the kernel's log",
				w->inflight,
				(unsigned long long)(DRAIN_LIMIT_NS / NS_PER_S));
		if (quiet_ns > DRAIN_SPIN_NS)
			nanosleep(&pause, NULL);
	}
	return 0;
}

struct pace pace_of(const struct options *o)
{
	return (struct pace){
		.lat = o->lat,
		.interval_ns = o->rate ? 1e9 * o->threads / o->rate : 0,
	};
}

/* So far, in this thread: what LAT_CACHED makes is counted by the library. */
static uint64_t clock_reads(void)
{
	struct plugclock_counters c = {0};

	(void)plugclock_get_counters(&c, sizeof(c));
	return c.readings;
}

/* Reads of the clock between two looks at the stop. */
#define CLOCK_BATCH 64

static void read_clock(struct worker *w, struct tally *tally)
{
	uint64_t start_ns = clock_ns(), last_ns = start_ns;

	while (!atomic_load_explicit(w->stop, memory_order_relaxed)) {
		for (unsigned int i = 0; i < CLOCK_BATCH; i++)
			last_ns = clock_ns();
		tally->clock_reads += CLOCK_BATCH;
	}
	tally->time_ns = last_ns - start_ns;
}

int worker_run(struct worker *w, const struct pace *pace, struct tally *tally,
	       struct fail *f)
{
	bool paced = pace->interval_ns > 0 || w->left != WORKER_NO_END;
	uint64_t start_ns, ios, calls, reads;
	struct plugclock_plug plug;
	int ret = 0;

	memset(tally, 0, sizeof(*tally));
	if (pace->only_clock) {
		read_clock(w, tally);
		return 0;
	}
	w->delay_ns = pace->delay_ns;
	w->owed_ns = 0;
	w->interval_ns = pace->interval_ns;
	plugclock_start(&plug, 0);
	/* The ramp: the queue fills, and its first completions come, unmeasured. */
	if (!paced)
		ret = run_loop(w, pace->lat, w->options->depth);
	if (w->latency)
		memset(w->latency, 0, sizeof(*w->latency));
	ios = w->total_ios;
	calls = atomic_load(&w->progress.calls);
	reads = clock_reads();
	start_ns = clock_ns();
	w->due_ns = (double)(start_ns - w->base_ns);
	if (!ret)
		ret = paced ? paced_loop(w, pace->lat)
			    : run_loop(w, pace->lat, UINT64_MAX);
	tally->time_ns = clock_ns() - start_ns;
	tally->ios = w->total_ios - ios;
	tally->calls = atomic_load(&w->progress.calls) - calls;
	/* LAT_CLOCK: one as it is filled, one as it is reaped. */
	tally->clock_reads = pace->lat == LAT_CLOCK    ? 2 * tally->ios
			     : pace->lat == LAT_CACHED ? clock_reads() - reads
						       : 0;
	plugclock_finish(&plug);
	if (ret) {
		atomic_store(w->stop, true);
		ring_failure(f, "io_uring_enter", -ret);
	}
	if (drain(w, f))
		return -1;
	return ret ? -1 : 0;
}
