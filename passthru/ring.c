// SPDX-License-Identifier: MIT
#include "ring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int read_number(const char *path, long *value)
{
	FILE *in = fopen(path, "re");
	int n;

	if (!in)
		return -errno;
	n = fscanf(in, "%ld", value);
	fclose(in);
	return n == 1 ? 0 : -EINVAL;
}

int ring_failure(struct fail *f, const char *what, int err)
{
	const char *sysctl = "/proc/sys/kernel/io_uring_disabled";
	struct rlimit lim;
	long disabled = 0;

	if (err == ENOSYS)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "%s: this kernel has no io_uring, or seccomp hides it", what);
	if (err == EPERM || err == EACCES) {
		if (!read_number(sysctl, &disabled) && disabled)
			return fail(f, STATUS_NOT_POSSIBLE,
				    "%s: io_uring is disabled by "
				    "kernel.io_uring_disabled=%ld; "
				    "'sysctl kernel.io_uring_disabled=0' allows it",
				    what, disabled);
		return fail(
			f, STATUS_NOT_POSSIBLE,
			"%s: not permitted, probably by seccomp (a container's default "
			"profile forbids io_uring) or a security module",
			what);
	}
	if (err == ENOMEM && !getrlimit(RLIMIT_MEMLOCK, &lim) &&
	    lim.rlim_cur != RLIM_INFINITY)
		return fail(
			f, STATUS_NOT_POSSIBLE,
			"%s: out of memory; the memlock limit is %llu KiB: raise it with "
			"'ulimit -l', or use a smaller -d or -b, or -B0",
			what, (unsigned long long)lim.rlim_cur / 1024);
	return fail(f, STATUS_FAILED, "%s: %s", what, strerror(err));
}

/* Why a ring is to be had, but not one with a thread of the kernel: @err. */
static int no_sq_thread(struct fail *f, int err)
{
	if (err == EPERM)
		return fail(
			f, STATUS_NOT_POSSIBLE,
			"--sqpoll 1: not permitted: before Linux 5.13 the kernel submits "
			"for root alone; run it as root, or with --sqpoll 0");
	if (err == EACCES)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "--sqpoll 1: a security module forbids it (SELinux: io_uring "
			    "sqpoll); allow it there, or use --sqpoll 0");
	return fail(f, STATUS_NOT_POSSIBLE,
		    "--sqpoll 1: no thread is left for the kernel to submit with; raise "
		    "'ulimit -u' or the cgroup's pids.max, or use a smaller -n, or "
		    "--sqpoll 0");
}

/*
 * The flags that this kernel grants on top of @base, each asked for with a
 * ring of its own that is closed again.
 */
static int probe_flags(unsigned int base, unsigned int *granted, struct fail *f)
{
	static const unsigned int optional[] = {
		IORING_SETUP_SINGLE_ISSUER,
		IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_COOP_TASKRUN,
		IORING_SETUP_NO_SQARRAY,
	};
	unsigned int flags = base;
	int fd;

	for (size_t i = 0; i <= sizeof(optional) / sizeof(optional[0]); i++) {
		/* The first round asks for the base alone: its failure is the user's. */
		unsigned int more = i ? optional[i - 1] : 0;
		struct io_uring_params p = {
			.flags = flags | more,
			.sq_thread_idle = RING_SQ_IDLE_MS,
		};

		/* DEFER_TASKRUN already does what COOP_TASKRUN is for. */
		if (more == IORING_SETUP_COOP_TASKRUN &&
		    (flags & IORING_SETUP_DEFER_TASKRUN))
			continue;
		fd = io_uring_setup(2, &p);
		if (fd >= 0) {
			close(fd);
			flags |= more;
		} else if (i == 0 && fd == -EINVAL && (base & IORING_SETUP_SQE128)) {
			return fail(
				f, STATUS_NOT_POSSIBLE,
				"io_uring_setup: this kernel knows no SQE128 and CQE32 "
				"rings; NVMe passthrough needs Linux 5.19 or newer, "
				"polled 6.1");
		} else if ((fd == -EPERM || fd == -EACCES || fd == -EAGAIN) &&
			   (base & IORING_SETUP_SQPOLL)) {
			/* Not the thread's fault where a ring without one fails, too. */
			if (probe_flags(base & ~IORING_SETUP_SQPOLL, granted, f))
				return -1;
			return no_sq_thread(f, -fd);
		} else if (fd != -EINVAL) {
			return ring_failure(f, "io_uring_setup", -fd);
		} else if (i == 0) {
			return ring_failure(f, "io_uring_setup", EINVAL);
		}
	}
	*granted = flags;
	return 0;
}

static int register_self(struct ring *r)
{
	struct io_uring_rsrc_update up = {
		.offset = -1U,
		.data = (uint64_t)r->uring.ring_fd,
	};
	int ret = io_uring_register((unsigned int)r->uring.ring_fd,
				    IORING_REGISTER_RING_FDS, &up, 1);

	if (ret != 1)
		return ret < 0 ? ret : -EINVAL;
	r->enter_fd = (int)up.offset;
	r->enter_flags = IORING_ENTER_REGISTERED_RING;
	return 0;
}

int ring_open(struct ring *r, const struct ring_spec *spec, struct fail *f)
{
	struct io_uring_params p = {0};
	unsigned int base = 0;
	int fd, ret;

	memset(r, 0, sizeof(*r));
	if (spec->polled)
		base |= IORING_SETUP_IOPOLL;
	if (spec->sq_thread)
		base |= IORING_SETUP_SQPOLL;
	if (spec->wide)
		base |= IORING_SETUP_SQE128 | IORING_SETUP_CQE32;
	if (probe_flags(base, &p.flags, f))
		return -1;
	/*
	 * More completions than entries never wait, and the kernel's default of twice as
	 * many would touch more memory. It rounds both up alike. Since Linux 5.5.
	 */
	p.flags |= IORING_SETUP_CQSIZE;
	p.cq_entries = spec->entries;
	p.sq_thread_idle = spec->sq_idle_ms ? spec->sq_idle_ms : RING_SQ_IDLE_MS;
	fd = io_uring_setup(spec->entries, &p);
	if (fd == -EAGAIN && spec->sq_thread)
		return no_sq_thread(f, EAGAIN);
	if (fd < 0)
		return ring_failure(f, "io_uring_setup", -fd);
	ret = io_uring_queue_mmap(fd, &p, &r->uring);
	if (ret) {
		close(fd);
		return ring_failure(f, "mapping the ring", -ret);
	}
	r->setup_flags = p.flags;
	r->features = p.features;
	r->sqes = (unsigned char *)r->uring.sq.sqes;
	r->cqes = (unsigned char *)r->uring.cq.cqes;
	r->sq_tail = r->uring.sq.ktail;
	r->sq_flags = spec->sq_thread ? r->uring.sq.kflags : NULL;
	r->cq_head = r->uring.cq.khead;
	r->cq_tail = r->uring.cq.ktail;
	r->sq_mask = p.sq_entries - 1;
	r->cq_mask = p.cq_entries - 1;
	r->sqe_shift = spec->wide ? 7 : 6;
	r->cqe_shift = spec->wide ? 5 : 4;
	r->enter_fd = r->uring.ring_fd;
	if (!(p.flags & IORING_SETUP_NO_SQARRAY))
		for (unsigned int i = 0; i < p.sq_entries; i++)
			r->uring.sq.array[i] = i;
	/* Older than 5.18: entering by the plain descriptor is as right, only slower. */
	if (spec->registered)
		(void)register_self(r);
	return 0;
}

void ring_close(struct ring *r)
{
	if (!r || !r->sqes)
		return;
	io_uring_queue_exit(&r->uring);
	memset(r, 0, sizeof(*r));
}
