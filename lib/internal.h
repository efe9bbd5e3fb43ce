/* SPDX-License-Identifier: MIT */
/* internal.h - what the files of the library share; nothing here is exported */
#ifndef PLUGCLOCK_INTERNAL_H
#define PLUGCLOCK_INTERNAL_H

#include "plugclock.h"

#include <stdatomic.h>
#include <stdbool.h>

/* Where the process is on its way through fork(). */
enum plugclock_fork { PLUGCLOCK_BEFORE_FORK, PLUGCLOCK_IN_PARENT, PLUGCLOCK_IN_CHILD };

/*
 * struct plugclock_detector_ops - one way to see that the thread lost its CPU
 *
 * A detector offers a word per thread that has a known value after arm() and any other
 * one after a context switch. All of it runs in signal handlers, too; none sets errno.
 */
struct plugclock_detector_ops {
	const char *name; /* in PLUGCLOCK_DETECTOR */

	/* How far it can be trusted here, found by trying. Slow, may block. */
	enum plugclock_detector (*probe)(void);

	/* The calling thread's word, or NULL if this thread cannot use the detector. */
	const volatile uint64_t *(*word)(void);

	/* Watch from now on. Returns what *word holds until the next switch; never odd. */
	uint64_t (*arm)(void);

	/* Stop watching, whether or not anybody else uses the word by now. */
	void (*disarm)(void);

	/* The calling thread forks; no plug of it is open. May be NULL. */
	void (*fork)(enum plugclock_fork when);
};

extern const struct plugclock_detector_ops plugclock_detect_rseq;
extern const struct plugclock_detector_ops plugclock_detect_perf;
extern const struct plugclock_detector_ops plugclock_detect_trust;

/*
 * plugclock_probe() - tries whether a detector sees a blocking call
 *
 * EXACT if it saw each of several, USER if it saw none of them, NONE if it cannot be
 * told. Blocks; leaves the detector disarmed, and signals, errno and cancellation as they
 * were. Context: any, signal handlers included.
 */
enum plugclock_detector plugclock_probe(const struct plugclock_detector_ops *ops);

/* A detector, NULL if there is none, and how far it can be trusted here. */
struct plugclock_choice {
	const struct plugclock_detector_ops *ops;
	enum plugclock_detector reach;
};

/*
 * plugclock_choose() - the detector of this process
 *
 * Decides on the first call and sticks to it. Context: as plugclock_start().
 */
const struct plugclock_choice *plugclock_choose(void);

/*
 * plugclock_source_read_ns() - reads the clock itself
 *
 * Unit: ns on the source in use, which the first reading of the process decides if nobody
 * has; never less than any that this thread, its signal handlers included, had been given
 * when the call began. Errors: none. Context: any, signal handlers included.
 */
uint64_t plugclock_source_read_ns(void);

/*
 * plugclock_tsc_prepare() - whether the TSC can be read from now on
 *
 * Not if the kernel does not use it, or it is not invariant, or calibration fails. Takes
 * 20 ms, 100 ms at worst. Context: any, signal handlers included.
 */
bool plugclock_tsc_prepare(void);

/*
 * plugclock_tsc_read_ns() - CLOCK_MONOTONIC through the TSC, once that is prepared
 *
 * Unit: ns on CLOCK_MONOTONIC, within 1 us; for the rest as plugclock_source_read_ns().
 */
uint64_t plugclock_tsc_read_ns(void);

/* Why the clock was read: what plugclock_get_counters() tells apart. */
enum plugclock_cause {
	PLUGCLOCK_UNCACHED,
	PLUGCLOCK_STARTED,
	PLUGCLOCK_FLUSHED,
	PLUGCLOCK_SWITCHED,
	PLUGCLOCK_ASKED,
	PLUGCLOCK_DISTURBED,
	PLUGCLOCK_CAUSES
};

/*
 * Per thread. 'dropped_by' is why there is no cached reading, until one is taken for
 * that. Plain increments: a handler that comes within one may cost a count, never more.
 */
struct plugclock_tally {
	uint64_t by_cause[PLUGCLOCK_CAUSES];
	enum plugclock_cause dropped_by;
};

extern __thread struct plugclock_tally plugclock_thread_tally
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * plugclock_drop() - make sure that the cached reading is not handed out again
 *
 * Also undoes a miss path that this call interrupts, which sees that its own value of
 * 'expect' is gone. Context: any, signal handlers included.
 */
void plugclock_drop(struct plugclock_thread *thread);

/* Whether fork.c is there to keep readings out of children. */
extern bool plugclock_fork_is_seen;

/*
 * plugclock_attach() - begin a plug in a thread that has none open
 *
 * Leaves it without one where nothing can be cached. Context: as plugclock_start().
 */
void plugclock_attach(const struct plugclock_plug *plug, unsigned int flags);

/*
 * plugclock_detach() - end a thread's plug, if one is open, and forget its word
 *
 * Afterwards nothing but the library's own memory is looked at. Context: as above.
 */
void plugclock_detach(struct plugclock_thread *thread);

/* What a thread without a plug looks at: no never in reach, and no word that is good. */
extern const volatile uint64_t plugclock_nothing;

/*
 * plugclock_never() - a value that no detector's word ever holds, new at every call
 *
 * Odd, so neither the address of an aligned descriptor nor an even sequence count. Two
 * calls that a signal handler nests may return the same value, but then the inner one's
 * user has come to its end before the outer one's begins.
 */
static inline uint64_t plugclock_never(struct plugclock_thread *thread)
{
	uint64_t never = thread->never + 2;

	thread->never = never;
	return never;
}

static inline bool plugclock_is_never(uint64_t expect)
{
	return expect & 1;
}

/*
 * What is ordered against the thread's own signal handlers and the kernel's exits to user
 * mode on the same CPU needs to hold only for the compiler: both see the thread's memory
 * accesses in program order.
 */
static inline void plugclock_barrier(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

#endif
