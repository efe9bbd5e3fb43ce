/* SPDX-License-Identifier: MIT */
/*
 * plugclock.h - a clock that is read once per plug, and never handed out stale
 *
 *	struct plugclock_plug plug;
 *
 *	plugclock_start(&plug, 0);
 *	for (i = 0; i < batch; i++)
 *		request[i].issued_ns = plugclock_now_ns();
 *	submit(request, batch);
 *	plugclock_finish(&plug);
 *
 * A thread opens a plug around a batch of work. Inside it plugclock_now_ns() reads the
 * clock once and then returns that reading, until the thread loses its CPU: a reading
 * from before a context switch is never handed out after it, as far as the detector in
 * use can see. In doubt nothing is cached, and every call reads the clock.
 *
 * All times are in nanoseconds on one clock of the process, see plugclock_use_source().
 * All other state belongs to the calling thread. Functions that can fail return 0 or a
 * negative error number; none sets errno or prints.
 *
 * Environment, read once, at the first plug of the process, for tests:
 * PLUGCLOCK_DETECTOR=auto (default), rseq, perf, none. Any other value counts as none.
 *
 * A child of fork() is inside the same plug as its parent, without a cached reading. A
 * child of vfork(), _Fork() or clone() must not use the library.
 *
 * A static copy of the library that is part of an object which dlclose() can unmap must
 * be linked with -z nodelete, as the shared library is: the kernel reads a descriptor
 * in it while a plug is open.
 */
#ifndef PLUGCLOCK_H
#define PLUGCLOCK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * struct plugclock_plug - names one plug
 *
 * The caller's memory, commonly on the stack, and need not be initialised. The library
 * compares its address and never looks inside: a plug whose memory is gone without a
 * plugclock_finish() is harmless.
 */
struct plugclock_plug {
	uint64_t reserved[2];
};

/*
 * enum plugclock_detector - which context switches a cached reading cannot survive
 *
 * NONE:  nothing is detected, so nothing is cached: every call reads the clock, unless
 *        the plug has PLUGCLOCK_TRUST_CALLER.
 * USER:  those outside system calls. Only plugs with a promise are cached, see
 *        plugclock_start().
 * EXACT: all of them, in user mode and inside system calls, wanted or not.
 */
enum plugclock_detector {
	PLUGCLOCK_DETECTOR_NONE = 0,
	PLUGCLOCK_DETECTOR_USER = 1,
	PLUGCLOCK_DETECTOR_EXACT = 2
};

/*
 * enum plugclock_source - the clock of the process
 *
 * MONOTONIC:     CLOCK_MONOTONIC, the default.
 * MONOTONIC_RAW: CLOCK_MONOTONIC_RAW, which NTP does not slew. Stands still in suspend.
 * BOOTTIME:      CLOCK_BOOTTIME, which goes on in suspend.
 * TSC:           CLOCK_MONOTONIC read through the time stamp counter (x86-64), which is
 *                faster, and off by up to 1 us either way while the kernel keeps time by
 *                it: that much a reading of one thread may seem to be before an earlier
 *                one of another. Each thread goes back to CLOCK_MONOTONIC every
 *                millisecond. So it stands still in suspend, and what a suspend, or a
 *                virtual machine's restore or move, does to the counter is set right then
 *                at the latest. If the counter keeps going astray, as when the kernel
 *                gave it up for that, all readings are of CLOCK_MONOTONIC itself from
 *                then on.
 */
enum plugclock_source {
	PLUGCLOCK_SOURCE_MONOTONIC = 0,
	PLUGCLOCK_SOURCE_MONOTONIC_RAW = 1,
	PLUGCLOCK_SOURCE_BOOTTIME = 2,
	PLUGCLOCK_SOURCE_TSC = 3
};

/*
 * What the caller promises for a plug, and all code inside it; flags of
 * plugclock_start().
 *
 * PLUGCLOCK_FLUSHES_SYSCALLS: to call plugclock_flush() before and after each system call
 *                             that may block, or in which the thread may be preempted:
 *                             after it for the thread itself, before it for a signal
 *                             handler that runs at its end.
 * PLUGCLOCK_TRUST_CALLER:     that, and to accept readings from before a preemption
 *                             where nothing detects one.
 */
#define PLUGCLOCK_FLUSHES_SYSCALLS 1u
#define PLUGCLOCK_TRUST_CALLER     2u

/*
 * struct plugclock_thread - what plugclock_now_ns() reads; private to this header
 *
 * now_ns is good while *word == expect. Everything from 'plug' on is the library's and
 * may change. Volatile because signal handlers and the kernel write behind the compiler.
 */
struct plugclock_thread {
	const volatile uint64_t *volatile word;
	volatile uint64_t expect;
	volatile uint64_t now_ns;
	const struct plugclock_plug *volatile plug;
	const struct plugclock_detector_ops *volatile ops;
	volatile uint64_t never;
	volatile uint64_t renewing;
	volatile unsigned int flags;
	volatile unsigned int relies_on;
};

extern __thread struct plugclock_thread plugclock_thread_state
	__attribute__((tls_model("initial-exec")));

/*
 * plugclock_use_source() - choose the clock of the process
 *
 * For the beginning of a program: the first reading of any thread takes CLOCK_MONOTONIC
 * if nothing was chosen, and a process never has two. Choosing the same again is fine.
 * The TSC is measured first, which takes 20 ms (at worst 100) without sleeping.
 *
 * source:  see enum plugclock_source.
 * Returns: 0, if readings are from that source from now on.
 * Errors:  -EINVAL if there is no such source;
 *          -EBUSY if another one is in use: it was chosen, or something was read;
 *          -ENOTSUP if the system does not have it. The TSC: if this is not x86-64, if
 *          the kernel's current_clocksource is not tsc or cannot be read, if the
 *          processor does not state that the counter is invariant, or if two
 *          measurements of its rate disagree or are not in 100 MHz to 10 GHz. The next
 *          best can be tried.
 * Context: any thread, signal handlers included; no locks, no allocation. For the TSC a
 *          file is read.
 */
int plugclock_use_source(enum plugclock_source source);

/*
 * plugclock_start() - open a plug
 *
 * Opens a plug for the calling thread, without a cached reading. If the thread is inside
 * a plug already, starting another, or the same again, does nothing: the outermost
 * counts. The first call of the process finds out what the kernel can do, which takes
 * about a millisecond and blocks a few times.
 *
 * plug:    the caller's, not NULL; see struct plugclock_plug.
 * flags:   0, or promises; they are not needed, and change nothing, where the detector is
 *          EXACT.
 * Returns: 0, also where nothing can be cached.
 * Errors:  -EINVAL if plug is NULL or flags has unknown bits.
 * Context: any thread, signal handlers included; no locks, no allocation. Not from
 *          inside a restartable sequence of the caller's.
 */
int plugclock_start(struct plugclock_plug *plug, unsigned int flags);

/*
 * plugclock_finish() - close a plug and drop its reading
 *
 * Does nothing unless 'plug' is the one that is open: an inner plug of a nest, a plug
 * that was never started or is finished, and NULL are all harmless. A library built with
 * -DPLUGCLOCK_DEBUG asserts instead that plugs come in pairs, the inner ones first.
 *
 * Errors:  none.
 * Context: the thread that started the plug; a signal handler may finish what it started
 *          itself; no locks.
 */
void plugclock_finish(struct plugclock_plug *plug);

/*
 * plugclock_read_ns() - a fresh reading
 *
 * Inside a plug it becomes the cached one.
 *
 * Unit:    ns on the source in use; never less than any reading that this thread, its
 *          signal handlers included, had been given when the call began.
 * Errors:  none.
 * Context: any thread, signal handlers included; no locks, no allocation.
 */
uint64_t plugclock_read_ns(void);

/*
 * plugclock_flush() - drop the cached reading
 *
 * The next plugclock_now_ns() reads the clock. Outside a plug it does nothing.
 *
 * Errors:  none.
 * Context: any thread, signal handlers included; no locks.
 */
void plugclock_flush(void);

/*
 * plugclock_detector() - what guards the calling thread's cached readings
 *
 * Returns: the reach of the detector, see enum plugclock_detector. The same for the life
 *          of the thread.
 * Errors:  none.
 * Context: as plugclock_start(), and like it slow on the first call of the process.
 */
enum plugclock_detector plugclock_detector(void);

/*
 * struct plugclock_counters - how often the clock was read for a thread, and why
 *
 * 'readings' is the sum of the others. A call that returns a cached reading counts
 * nowhere. More may be added at the end.
 *
 * uncached:  outside a plug, in one where nothing can be cached, or by a signal handler
 *            that interrupted a reading.
 * started:   the first in a plug, or after a fork inside one.
 * flushed:   the first after plugclock_flush().
 * switched:  the detector saw a switch, or what looks the same to it: with rseq a signal,
 *            or another user of rseq in the thread.
 * asked:     plugclock_read_ns(), while the cached reading was good.
 * disturbed: again, since a signal handler read, or ended a plug, in the middle.
 */
struct plugclock_counters {
	uint64_t readings;
	uint64_t uncached;
	uint64_t started;
	uint64_t flushed;
	uint64_t switched;
	uint64_t asked;
	uint64_t disturbed;
};

/*
 * plugclock_get_counters() - the calling thread's counters
 *
 * For tests and tuning: two calls around a piece of work, subtracted. They count from the
 * start of the thread, in a forked child from that of the parent's thread, and are never
 * reset. Where a signal handler reads the clock a count may be lost.
 *
 * out:     receives them, as far as they fit; what this library does not know is 0.
 * size:    sizeof(*out).
 * Returns: 0.
 * Errors:  -EINVAL if out is NULL, or has no room for 'readings'.
 * Context: any thread, signal handlers included; no locks.
 */
int plugclock_get_counters(struct plugclock_counters *out, size_t size);

/*
 * plugclock_now_ns() - this thread's time, read at most once per plug
 *
 * Inside a plug: the reading taken by the first call since the plug was started or
 * flushed, or since the thread last lost its CPU as far as plugclock_detector() can see.
 * Outside one: a fresh reading.
 *
 * Unit:    ns on the source in use; never less than any reading that this thread, its
 *          signal handlers included, had been given when the call began.
 * Errors:  none.
 * Context: any thread, signal handlers included; no locks, no allocation. Inlined; the
 *          library has it as a function, too.
 */
inline uint64_t plugclock_now_ns(void)
{
	struct plugclock_thread *thread = &plugclock_thread_state;
	uint64_t seen = *thread->word;

	/*
	 * The stamp is loaded after the check. The other way round a signal handler in
	 * between could put a newer one in place, make it good, and be overtaken by the
	 * older one that is already in a register.
	 */
	if (__builtin_expect(seen == thread->expect, 1))
		return thread->now_ns;
	return plugclock_read_ns();
}

#ifdef __cplusplus
}
#endif

#endif
