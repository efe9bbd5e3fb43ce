/* SPDX-License-Identifier: MIT */
/*
 * An io_uring whose queues the worker drives itself
 *
 * liburing maps the ring; entering, filling and reaping are done here so that
 * submission entries can be filled once and used again, and so that the ring
 * may go without the submission array, which liburing 2.3 cannot.
 */
#ifndef NGBENCH_RING_H
#define NGBENCH_RING_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "fail.h"

/* Newer than the headers of liburing 2.3. */
#ifndef IORING_SETUP_NO_SQARRAY
#define IORING_SETUP_NO_SQARRAY (1U << 16)
#endif
#ifndef IORING_URING_CMD_FIXED
#define IORING_URING_CMD_FIXED (1U << 0)
#endif

/* IORING_MAX_ENTRIES of the kernel (io_uring/io_uring.h). */
#define RING_MAX_DEPTH 32768u

/*
 * How long the kernel's thread looks for entries before it sleeps: longer than a drive
 * takes for a read, so that it is not woken for each batch; not much longer, since between
 * slices and at a low --rate it keeps a CPU busy for nothing. The kernel counts in ticks,
 * of up to 10 ms, and takes 0 for a second.
 */
#define RING_SQ_IDLE_MS 10

struct ring_spec {
	unsigned int entries;    /* rounded up to a power of two by the kernel */
	bool polled;             /* IORING_SETUP_IOPOLL */
	bool wide;               /* SQE128 and CQE32, as uring_cmd to NVMe needs */
	bool registered;         /* enter through a registered ring descriptor */
	bool sq_thread;          /* IORING_SETUP_SQPOLL: a thread of the kernel submits */
	unsigned int sq_idle_ms; /* of that thread; 0: RING_SQ_IDLE_MS */
};

struct ring {
	unsigned char *sqes, *cqes;
	unsigned int *sq_tail, *cq_head, *cq_tail;
	unsigned int *sq_flags; /* IORING_SQ_*; NULL where no thread submits */
	unsigned int sq_mask, cq_mask;
	unsigned int sqe_shift, cqe_shift;
	int enter_fd;
	unsigned int enter_flags;
	unsigned int setup_flags; /* IORING_SETUP_* that the kernel granted */
	unsigned int features;    /* IORING_FEAT_* */
	struct io_uring uring;
};

/*
 * ring_open() - set up a ring with every flag that this kernel grants
 *
 * SINGLE_ISSUER, DEFER_TASKRUN (else COOP_TASKRUN) and NO_SQARRAY are tried
 * one by one, so that lacking one does not cost the others. The flags of @spec
 * are not optional.
 * Errors:  io_uring missing, disabled by sysctl or seccomp, memlock too small,
 *          no descriptors left, no right to a submitting thread or no thread left:
 *          @f says which and what to do.
 * Context: the thread that will submit (SINGLE_ISSUER binds the ring to it).
 * Returns: 0 or -1 with @f set; then @r is closed.
 */
int ring_open(struct ring *r, const struct ring_spec *spec, struct fail *f);

/* ring_close() - unmap and close; takes NULL and a zeroed struct. */
void ring_close(struct ring *r);

/* ring_failure() - say why io_uring answered @err (positive errno) to @what. */
int ring_failure(struct fail *f, const char *what, int err);

/* ring_relax() - tell the processor that this is a loop that waits for memory to change. */
static inline void ring_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#endif
}

static inline struct io_uring_sqe *ring_sqe(const struct ring *r, unsigned int tail)
{
	return (struct io_uring_sqe *)(r->sqes +
				       ((size_t)(tail & r->sq_mask) << r->sqe_shift));
}

/*
 * ring_enter() - submit and wait; returns the number consumed or -errno
 *
 * The system call itself where we know how: a kernel that isolates its page tables
 * empties the TLB at each call, so every page of code and data that the way there
 * touches is a miss per batch (liburing's text, the PLT's table, another stack frame).
 */
static inline int ring_enter(const struct ring *r, unsigned int submit, unsigned int wait,
			     unsigned int flags)
{
#if defined(__x86_64__) && defined(__LP64__)
	/* Loaded first: a sanitizer's call for it would clobber the registers below. */
	const long fd = r->enter_fd, all_flags = (long)(flags | r->enter_flags);
	register long r10 __asm__("r10") = all_flags;
	register long r8 __asm__("r8") = 0; /* no signal mask, */
	register long r9 __asm__("r9") = 0; /* of size 0 */
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(__NR_io_uring_enter), "D"(fd), "S"((long)submit),
			   "d"((long)wait), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return (int)ret;
#else
	return io_uring_enter((unsigned int)r->enter_fd, submit, wait,
			      flags | r->enter_flags, NULL);
#endif
}

#endif
