// SPDX-License-Identifier: MIT
/*
 * update.c - registered files and buffers, replaced over and over, as rsrc-update-bench does
 *
 * That program came with "optimise registered buffer/file updates" (io-uring list, April
 * 2023): a table of 128 files, 32 requests at a time to replace one file each, at a random
 * place. update_files does that; its batch is the number of requests submitted at once.
 * Buffers have no such request: update_buffers is a system call per batch. An iteration is
 * a batch; the ring is that of 2022. pinned: 1 keeps the thread on one CPU.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gbench.h"
#include "pin.h"
#include "subjects.h"
#include "uring.h"

#define TABLE  128u
#define BATCH  32u /* at most */
#define BUFFER ((size_t)4096)
/* Two for each place. */
#define BUFFERS (BUFFER * TABLE * 2)

struct load {
	struct io_uring ring;
	unsigned int batch;
	unsigned int place; /* in the table, before the modulus */
	int file;
	unsigned char *buffers;
	uint64_t asked, done;
};

/* What an update is of. Both return NULL, or what went wrong with -errno in *err. */
struct subject {
	const char *(*fill)(struct load *l, int *err);
	const char *(*update)(struct load *l, int *err);
};

static const char *fill_files(struct load *l, int *err)
{
	int fds[TABLE];

	for (unsigned int i = 0; i < TABLE; i++)
		fds[i] = l->file;
	*err = io_uring_register_files(&l->ring, fds, TABLE);
	return *err ? "registering files" : NULL;
}

static const char *update_files(struct load *l, int *err)
{
	for (unsigned int i = 0; i < l->batch; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&l->ring);

		io_uring_prep_files_update(sqe, &l->file, 1,
					   (int)((l->place + i) % TABLE));
	}
	*err = io_uring_submit(&l->ring);
	if (*err != (int)l->batch)
		return "submitting";
	l->asked += l->batch;
	for (unsigned int i = 0; i < l->batch; i++) {
		struct io_uring_cqe *cqe;

		*err = io_uring_wait_cqe(&l->ring, &cqe);
		if (*err)
			return "waiting";
		*err = cqe->res;
		io_uring_cqe_seen(&l->ring, cqe);
		if (*err < 0)
			return "updating a file";
		l->done += (unsigned int)*err;
	}
	return NULL;
}

/* One of the two buffers of a place. */
static struct iovec buffer(const struct load *l, unsigned int place, unsigned int which)
{
	return (struct iovec){l->buffers + (2 * place + which) * BUFFER, BUFFER};
}

static const char *fill_buffers(struct load *l, int *err)
{
	struct iovec iovs[TABLE];

	for (unsigned int i = 0; i < TABLE; i++)
		iovs[i] = buffer(l, i, 0);
	*err = io_uring_register_buffers(&l->ring, iovs, TABLE);
	return *err ? "registering buffers" : NULL;
}

static const char *update_buffers(struct load *l, int *err)
{
	unsigned int first = l->place % (TABLE - l->batch + 1);
	struct iovec iovs[BATCH];

	for (unsigned int i = 0; i < l->batch; i++)
		iovs[i] = buffer(l, first + i, l->place & 1);
	*err = io_uring_register_buffers_update_tag(&l->ring, first, iovs, NULL,
						    l->batch);
	if (*err < 0)
		return "updating buffers";
	l->asked += l->batch;
	l->done += (unsigned int)*err;
	return NULL;
}

static void refused(struct gbench_state *state, const char *what, int err)
{
	struct rlimit lim;

	if (err == -ENOMEM && !getrlimit(RLIMIT_MEMLOCK, &lim) &&
	    lim.rlim_cur != RLIM_INFINITY)
		gbench_skip(state,
			    "%s: out of memory; the memlock limit is %llu KiB, and this "
			    "takes %zu KiB and the ring: raise it with 'ulimit -l'",
			    what, (unsigned long long)lim.rlim_cur / 1024,
			    BUFFER * TABLE / 1024);
	else
		gbench_fail(state, "%s: %s", what, strerror(err < 0 ? -err : EIO));
}

static void update_all(struct gbench_state *state, const struct subject *s,
		       struct load *l)
{
	const char *what;
	uint64_t n;
	int err;

	what = s->fill(l, &err);
	while (!what && (n = gbench_keep_running(state, 16))) {
		while (n-- && !what) {
			what = s->update(l, &err);
			l->place = l->place * 1103515245u + 12345u;
		}
	}
	if (what) {
		refused(state, what, err);
		return;
	}
	if (l->asked != l->done) {
		gbench_fail(state, "%llu of %llu updates were done",
			    (unsigned long long)l->done, (unsigned long long)l->asked);
		return;
	}
	gbench_counter(state, "updates/s", (double)l->done, GBENCH_RATE);
	gbench_counter(state, "updates", (double)l->done, 0);
}

static int load_open(struct gbench_state *state, struct load *l)
{
	int pipes[2];

	l->buffers = mmap(NULL, BUFFERS, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (l->buffers == MAP_FAILED) {
		gbench_fail(state, "memory: %s", strerror(errno));
		return -1;
	}
	if (pipe(pipes)) {
		gbench_fail(state, "pipe: %s", strerror(errno));
		goto unmap;
	}
	close(pipes[1]);
	l->file = pipes[0];
	if (!uring_open(state, &l->ring, URING_2022, BATCH, 0))
		return 0;
	close(l->file);
unmap:
	munmap(l->buffers, BUFFERS);
	return -1;
}

static void load_close(struct load *l)
{
	io_uring_queue_exit(&l->ring);
	close(l->file);
	munmap(l->buffers, BUFFERS);
}

static void update_run(struct gbench_state *state)
{
	const struct subject *s = gbench_data(state);
	struct load l = {.batch = (unsigned int)gbench_arg(state, 0), .place = 1};
	struct pin pin = {0};
	int err = 0;

	if (load_open(state, &l))
		return;
	if (gbench_arg(state, 1))
		err = pin_start(&pin, 0);
	if (err)
		gbench_fail(state, "pinning the thread: %s", strerror(-err));
	else if (uring_supports(state, &l.ring, IORING_OP_FILES_UPDATE,
				"IORING_OP_FILES_UPDATE", "5.6"))
		update_all(state, s, &l);
	pin_finish(&pin);
	load_close(&l);
}

#define UPDATE(what, fill_it, update_it)                                                 \
	{                                                                                \
		.name = "update_" what, .run = update_run,                               \
		.data = &(const struct subject){fill_it, update_it},                     \
		.axes = {{.name = "batch", .values = {1, BATCH}, .nr = 2},               \
			 {.name = "pinned", .values = {1, 0}, .nr = 2}},                 \
		.clock = GBENCH_REAL                                                     \
	}

static const struct gbench_def updates[] = {
	UPDATE("files", fill_files, update_files),
	UPDATE("buffers", fill_buffers, update_buffers),
};

int update_register(void)
{
	int ret = gbench_register(&updates[0]);

	return ret ? ret : gbench_register(&updates[1]);
}
