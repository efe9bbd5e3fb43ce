/* SPDX-License-Identifier: MIT */
/*
 * plugclock_uring.h - libplugclock around the calls of liburing
 *
 *	struct io_uring_cqe *cqes[BATCH];
 *	struct plugclock_plug plug;
 *	uint64_t done_ns;
 *
 *	plugclock_start(&plug, PLUGCLOCK_FLUSHES_SYSCALLS);
 *	for (i = 0; i < BATCH; i++)
 *		prepare(&ring, &request[i], plugclock_now_ns());
 *	plugclock_uring_submit_and_wait(&ring, BATCH);
 *	n = plugclock_uring_peek_batch(&ring, cqes, BATCH, &done_ns);
 *	for (i = 0; i < n; i++)
 *		complete(cqes[i], done_ns);
 *	io_uring_cq_advance(&ring, n);
 *	plugclock_finish(&plug);
 *
 * Each function is liburing's of the same name, and keeps PLUGCLOCK_FLUSHES_SYSCALLS and
 * its part of PLUGCLOCK_TRUST_CALLER for the caller: no reading from before the call is
 * handed out after it, or by a signal handler at its end. Where the detector is EXACT no
 * promise is needed; nothing is flushed, and a call that did not block keeps the reading.
 *
 * For all of them:
 * Context: as liburing's, which does not lock a ring. Inside a plug or not. Not a
 *          cancellation point unless liburing's is one.
 *
 * Needs liburing 2.3 or newer, which needs _GNU_SOURCE or -std=gnu11, and its flags from
 * pkg-config beside those of plugclock.
 */
#ifndef PLUGCLOCK_URING_H
#define PLUGCLOCK_URING_H

#include <liburing.h>
#include <plugclock.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * plugclock_uring_flush() - drop the cached reading unless every switch is seen
 *
 * For calls that are not here, before and after: before for the sake of signal handlers.
 *
 * Errors:  none.
 * Context: as plugclock_flush().
 */
static inline void plugclock_uring_flush(void)
{
	if (plugclock_detector() != PLUGCLOCK_DETECTOR_EXACT)
		plugclock_flush();
}

/*
 * plugclock_uring_submit() - hand what is prepared to the kernel
 *
 * Returns: the number of entries submitted.
 * Errors:  -errno of io_uring_submit().
 */
static inline int plugclock_uring_submit(struct io_uring *ring)
{
	int exact = plugclock_detector() == PLUGCLOCK_DETECTOR_EXACT, ret;

	if (!exact)
		plugclock_flush();
	ret = io_uring_submit(ring);
	if (!exact)
		plugclock_flush();
	return ret;
}

/*
 * plugclock_uring_submit_and_wait() - the same, and wait for completions
 *
 * wait_nr: that many; 0 does not wait. With nothing prepared it only waits.
 * Returns: the number of entries submitted.
 * Errors:  -errno of io_uring_submit_and_wait(); -EINTR if a signal ended the wait.
 */
static inline int plugclock_uring_submit_and_wait(struct io_uring *ring,
						  unsigned int wait_nr)
{
	int exact = plugclock_detector() == PLUGCLOCK_DETECTOR_EXACT, ret;

	if (!exact)
		plugclock_flush();
	ret = io_uring_submit_and_wait(ring, wait_nr);
	if (!exact)
		plugclock_flush();
	return ret;
}

/*
 * plugclock_uring_submit_and_wait_timeout() - the same, and not for ever
 *
 * cqe_ptr: the first completion, as liburing gives it.
 * ts:      the longest wait, on CLOCK_MONOTONIC; NULL for none.
 * sigmask: of signals during the wait, or NULL.
 * Returns: the number of entries submitted; some versions of liburing: 0.
 * Errors:  -errno of io_uring_submit_and_wait_timeout(); -ETIME if it took too long.
 */
static inline int plugclock_uring_submit_and_wait_timeout(struct io_uring *ring,
							  struct io_uring_cqe **cqe_ptr,
							  unsigned int wait_nr,
							  struct __kernel_timespec *ts,
							  sigset_t *sigmask)
{
	int exact = plugclock_detector() == PLUGCLOCK_DETECTOR_EXACT, ret;

	if (!exact)
		plugclock_flush();
	ret = io_uring_submit_and_wait_timeout(ring, cqe_ptr, wait_nr, ts, sigmask);
	if (!exact)
		plugclock_flush();
	return ret;
}

/*
 * plugclock_uring_peek_batch() - completions that are there, and one stamp for all
 *
 * Does not wait, but may enter the kernel to have completions posted. They stay in the
 * ring until io_uring_cq_advance(). Rings of IORING_SETUP_CQE32 are stepped through
 * rightly.
 *
 * cqes:     room for 'count' of them.
 * stamp_ns: gets a fresh reading, taken after the last of them had been seen, which
 *           becomes the cached one; left alone if there is no completion.
 * Returns:  the number of completions, 0 if there are none.
 * Unit:     ns, as plugclock_read_ns().
 * Errors:   none.
 */
static inline unsigned int plugclock_uring_peek_batch(struct io_uring *ring,
						      struct io_uring_cqe **cqes,
						      unsigned int count,
						      uint64_t *stamp_ns)
{
	int exact = plugclock_detector() == PLUGCLOCK_DETECTOR_EXACT;
	unsigned int n;

	if (!exact)
		plugclock_flush();
	n = io_uring_peek_batch_cqe(ring, cqes, count);
	if (n)
		*stamp_ns = plugclock_read_ns();
	else if (!exact)
		plugclock_flush();
	return n;
}

#ifdef __cplusplus
}
#endif

#endif
