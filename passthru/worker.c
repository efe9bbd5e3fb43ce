// SPDX-License-Identifier: MIT
#include "worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <plugclock.h>

#include "clock.h"

/* user_data: the number of the target above, ns since base_ns below. */
#define STAMP_BITS 56
#define STAMP_MASK ((1ull << STAMP_BITS) - 1)

/* Longer than the NVMe driver's own time-out of 30 s, after which it ends a command. */
#define DRAIN_LIMIT_NS (45 * NS_PER_S)
/* Until then a drain spins; sleeping would add clock reads of its own. */
#define DRAIN_SPIN_NS (2 * 1000000ull)

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define hot         static inline __attribute__((always_inline))

int worker_open(struct worker *w, struct fail *f)
{
	const struct options *o = w->options;
	const struct command_range *range = &w->targets[0].device->range;
	struct ring_spec ring = {
		.entries = o->depth,
		.polled = o->polled == CHOICE_ON,
		.wide = w->engine->passthrough,
		.registered = o->registered_ring,
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
	for (unsigned int i = 0; i < buffers.slots; i++)
		w->engine->prepare(ring_sqe(&w->ring, i), &w->targets[0],
				   &w->buffers.slots[i]);
	w->good_result = w->engine->good_result(&w->targets[0]);
	w->base_ns = clock_ns();
	return 0;
close:
	worker_close(w);
	return -1;
}

void worker_close(struct worker *w)
{
	ring_close(&w->ring);
	buffers_close(&w->buffers);
}

/* Counts are ours alone to write; a plain load and store, seen whole by the printer. */
hot void progress_add(_Atomic uint64_t *count, uint64_t n)
{
	atomic_store_explicit(count,
			      atomic_load_explicit(count, memory_order_relaxed) + n,
			      memory_order_relaxed);
}

__attribute__((cold, noinline)) static void note_error(struct worker *w,
						       const struct io_uring_cqe *cqe)
{
	if (!w->errors++) {
		w->error_result = cqe->res;
		w->error_target = (unsigned int)(cqe->user_data >> STAMP_BITS);
	}
	atomic_store(w->stop, true);
}

/* The target of the next batch: the next one with room for its share of the depth. */
static struct target *next_target(struct worker *w)
{
	unsigned int share = (w->options->depth + w->nr_targets - 1) / w->nr_targets;
	unsigned int i = w->current;

	for (unsigned int n = 0; n < w->nr_targets; n++) {
		i = i + 1 == w->nr_targets ? 0 : i + 1;
		if (w->targets[i].inflight < share)
			break;
	}
	w->current = i;
	return &w->targets[i];
}

/* Fill @n entries behind the tail and show them to the kernel. */
hot void fill(struct worker *w, unsigned int n, enum lat_mode lat, bool several)
{
	struct target *t = &w->targets[0];
	uint64_t tag = 0;

	if (several) {
		t = next_target(w);
		t->inflight += n;
		tag = (uint64_t)w->current << STAMP_BITS;
		for (unsigned int i = 0; i < n; i++)
			w->engine->prepare(
				ring_sqe(&w->ring, w->tail + i), t,
				&w->buffers.slots[(w->tail + i) & w->ring.sq_mask]);
	}
	if (w->engine->aim)
		w->engine->aim(&w->ring, t, w->tail, n);
	if (lat == LAT_CLOCK) {
		for (unsigned int i = 0; i < n; i++)
			ring_sqe(&w->ring, w->tail + i)->user_data =
				tag | (clock_ns() - w->base_ns);
	} else if (lat == LAT_CACHED || several) {
		uint64_t stamp = lat == LAT_CACHED ? plugclock_now_ns() - w->base_ns : 0;

		for (unsigned int i = 0; i < n; i++)
			ring_sqe(&w->ring, w->tail + i)->user_data = tag | stamp;
	}
	w->tail += n;
	w->pending += n;
	w->inflight += n;
	/* Pairs with the kernel's acquire of the tail in io_uring_enter(). */
	__atomic_store_n(w->ring.sq_tail, w->tail, __ATOMIC_RELEASE);
}

/* Completions in a row that carry one stamp, as those of a batch do. */
struct same_stamp {
	uint64_t user_data, times;
};

hot void count_latency(struct worker *w, uint64_t user_data, enum lat_mode lat,
		       uint64_t now, struct same_stamp *same)
{
	if (lat == LAT_CLOCK) {
		now = clock_ns() - w->base_ns;
		histogram_add(w->latency, now - (user_data & STAMP_MASK), 1);
	} else if (lat == LAT_CACHED && user_data == same->user_data) {
		same->times++;
	} else if (lat == LAT_CACHED) {
		if (same->times)
			histogram_add(w->latency, now - (same->user_data & STAMP_MASK),
				      same->times);
		*same = (struct same_stamp){user_data, 1};
	}
}

/* Take all completions there are; returns how many, good or bad. */
hot unsigned int reap(struct worker *w, enum lat_mode lat, bool several)
{
	/* Copies, since the compiler has to expect that a store changes the originals. */
	const struct ring r = w->ring;
	const size_t stride = (size_t)1 << r.cqe_shift;
	const int good_result = w->good_result;
	unsigned int head = *r.cq_head;
	/* Pairs with the kernel's release of the tail. */
	unsigned int tail = __atomic_load_n(r.cq_tail, __ATOMIC_ACQUIRE);
	unsigned int n = tail - head;
	struct same_stamp same = {0};
	uint64_t now = 0, bad = 0;

	if (!n) {
		/* The call took its time: the next batch is not of the reading before it. */
		if (lat == LAT_CACHED)
			plugclock_flush();
		return 0;
	}
	if (lat == LAT_CACHED)
		now = plugclock_read_ns() - w->base_ns;
	while (head != tail) {
		/* To the end of the ring, then from its start: no masks per entry. */
		unsigned int at = head & r.cq_mask;
		unsigned int left = r.cq_mask + 1 - at;
		unsigned int count = tail - head < left ? tail - head : left;
		const unsigned char *entry = r.cqes + ((size_t)at << r.cqe_shift);
		const unsigned char *end = entry + ((size_t)count << r.cqe_shift);

		head += count;
		for (; entry != end; entry += stride) {
			const struct io_uring_cqe *cqe =
				(const struct io_uring_cqe *)entry;

			if (unlikely(cqe->res != good_result)) {
				note_error(w, cqe);
				bad++;
			}
			if (several)
				w->targets[cqe->user_data >> STAMP_BITS].inflight--;
			count_latency(w, cqe->user_data, lat, now, &same);
		}
	}
	if (same.times)
		histogram_add(w->latency, now - (same.user_data & STAMP_MASK),
			      same.times);
	/* Pairs with the kernel's acquire of the head before it overwrites an entry. */
	__atomic_store_n(r.cq_head, head, __ATOMIC_RELEASE);
	w->inflight -= n;
	w->total_ios += n - bad;
	return n;
}

/* Submit what is pending and wait for @wait completions. Returns 0 or -errno. */
hot int enter(struct worker *w, unsigned int wait)
{
	int ret =
		ring_enter(&w->ring, w->pending, wait, wait ? IORING_ENTER_GETEVENTS : 0);

	progress_add(&w->progress.calls, 1);
	if (ret < 0)
		return ret == -EINTR || ret == -EAGAIN || ret == -EBUSY ? 0 : ret;
	w->pending -= (unsigned int)ret;
	progress_add(&w->progress.submitted, (uint64_t)ret);
	return 0;
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
		ret = enter(w, wait);
		got = reap(w, lat, several);
		/* A wait may come back early (DEFER_TASKRUN, need_resched): wait on. */
		while (ret == 0 && got < wait &&
		       !atomic_load_explicit(w->stop, memory_order_relaxed)) {
			ret = enter(w, wait - got);
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

	/* Entries that the kernel has not taken are ours to take back. */
	w->tail -= w->pending;
	w->inflight -= w->pending;
	if (w->nr_targets > 1)
		w->targets[w->current].inflight -= w->pending;
	w->pending = 0;
	__atomic_store_n(w->ring.sq_tail, w->tail, __ATOMIC_RELEASE);
	while (w->inflight) {
		int ret = ring_enter(&w->ring, 0, 0, IORING_ENTER_GETEVENTS);

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

int worker_run(struct worker *w, const struct pace *pace, struct tally *tally,
	       struct fail *f)
{
	struct plugclock_plug plug;
	uint64_t start_ns, ios, calls;
	int ret;

	memset(tally, 0, sizeof(*tally));
	w->delay_ns = pace->delay_ns;
	w->owed_ns = 0;
	plugclock_start(&plug, 0);
	/* The ramp: the queue fills, and its first completions come, unmeasured. */
	ret = run_loop(w, pace->lat, w->options->depth);
	if (w->latency)
		memset(w->latency, 0, sizeof(*w->latency));
	ios = w->total_ios;
	calls = atomic_load(&w->progress.calls);
	start_ns = clock_ns();
	if (!ret)
		ret = run_loop(w, pace->lat, UINT64_MAX);
	tally->time_ns = clock_ns() - start_ns;
	tally->ios = w->total_ios - ios;
	tally->calls = atomic_load(&w->progress.calls) - calls;
	plugclock_finish(&plug);
	if (ret) {
		atomic_store(w->stop, true);
		ring_failure(f, "io_uring_enter", -ret);
	}
	if (drain(w, f))
		return -1;
	return ret ? -1 : 0;
}
