/* SPDX-License-Identifier: MIT */
/*
 * What the worker's loops are made of, inlined into them: filling, entering, reaping
 *
 * For worker.c alone. @lat and @several are constants where they are used, so that no
 * I/O asks which mode it is.
 */
#ifndef NGBENCH_WORKER_IO_H
#define NGBENCH_WORKER_IO_H

#include <errno.h>
#include <sched.h>

#include <plugclock.h>

#include "clock.h"
#include "worker.h"

/* user_data: the number of the target above, ns since base_ns below. */
#define STAMP_BITS 56
#define STAMP_MASK ((1ull << STAMP_BITS) - 1)

#define unlikely(x) __builtin_expect(!!(x), 0)
#define hot         static inline __attribute__((always_inline))

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
	if (w->errors > w->options->max_errors)
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
	/* Pairs with the acquire of the tail in io_uring_enter(), or in the kernel's thread. */
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
				if (several)
					w->targets[cqe->user_data >> STAMP_BITS]
						.inflight--;
				continue;
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

/*
 * Spins without a completion until the CPU is offered to others, and again after as many:
 * 0.1 to 0.5 ms, which a drive that is worth spinning for does not take. Where the kernel's
 * thread has to share this CPU it would else wait until our time slice is over.
 */
#define SPINS_PER_YIELD 4096

/*
 * Submit by the kernel's thread (IORING_SETUP_SQPOLL). fill() has shown it the entries, so
 * there is nothing to do but to wake it where it sleeps, and with nothing pending to pass
 * the time: the caller looks for completions again and again. 0 or -errno.
 *
 * What keeps the two apart:
 * - A slot is filled again only after as many completions were seen as there are entries
 *   in flight at most, @depth, which the ring has room for. The thread takes entries in
 *   their order and fills in its own request before it takes the next, so that by then it
 *   has done with the one that was in the slot. Its head in memory may lag behind that; it
 *   counts with one of its own, and so do we (inflight).
 * - The completion queue cannot overflow (IORING_SQ_CQ_OVERFLOW), as it has room for
 *   @depth: the head that reap() stores is seen by the thread no later than the tail of
 *   the entries that are filled after it.
 * - No entry is dropped: the index array, where there is one, never changes.
 * - Where the kernel is out of memory for requests the thread tries again by itself, and
 *   does not sleep while there are entries, or polled reads to be looked for.
 */
__attribute__((noinline)) static int submit_by_thread(struct worker *w)
{
	const unsigned int n = w->pending;
	int ret;

	if (!n) {
		if (++w->spins % SPINS_PER_YIELD)
			ring_relax();
		else
			sched_yield();
		return 0;
	}
	w->spins = 0;
	/* The thread's from here on, and not to be taken back. */
	w->pending = 0;
	progress_add(&w->progress.submitted, n);
	/*
	 * Our store of the tail before our load of the flag: pairs with the barrier in
	 * io_sq_thread() between its store of the flag and its last load of the tail. One
	 * of the two sees the other's store, so that it does not sleep with entries there.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!(__atomic_load_n(w->ring.sq_flags, __ATOMIC_RELAXED) &
	      IORING_SQ_NEED_WAKEUP))
		return 0;
	/* It neither submits nor waits: no EAGAIN, no EBUSY. Interrupted, it would be lost. */
	do {
		progress_add(&w->progress.calls, 1);
		ret = ring_enter(&w->ring, n, 0, IORING_ENTER_SQ_WAKEUP);
	} while (ret == -EINTR);
	return ret < 0 ? ret : 0;
}

/* Submit what is pending, wait for @wait completions or @look for some. 0 or -errno. */
hot int enter(struct worker *w, unsigned int wait, bool look)
{
	int ret;

	if (unlikely(w->ring.sq_flags))
		return submit_by_thread(w);
	ret = ring_enter(&w->ring, w->pending, wait,
			 wait || look ? IORING_ENTER_GETEVENTS : 0);

	progress_add(&w->progress.calls, 1);
	if (ret < 0)
		return ret == -EINTR || ret == -EAGAIN || ret == -EBUSY ? 0 : ret;
	w->pending -= (unsigned int)ret;
	progress_add(&w->progress.submitted, (uint64_t)ret);
	return 0;
}

#endif
