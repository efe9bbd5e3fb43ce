// SPDX-License-Identifier: MIT
#include "buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Private pages of the hugetlbfs file @path; the file itself stays as it was. */
static void *map_huge(const char *path, size_t *bytes, struct fail *f)
{
	struct statfs fs;
	void *memory;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		fail(f, STATUS_NOT_POSSIBLE, "-H %s: %s", path, strerror(errno));
		return MAP_FAILED;
	}
	if (fstatfs(fd, &fs) || fs.f_type != HUGETLBFS_MAGIC) {
		close(fd);
		fail(f, STATUS_USAGE, "-H %s: not a file on hugetlbfs", path);
		return MAP_FAILED;
	}
	*bytes = round_up(*bytes, (size_t)fs.f_bsize);
	memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		fail(f, STATUS_NOT_POSSIBLE,
		     "-H %s: %zu KiB of huge pages: %s; see vm.nr_hugepages", path,
		     *bytes / 1024, strerror(errno));
	return memory;
}

/* A limit of the user's, not of the thread's: what is asked for may be less than it. */
static int refused_memory(const struct buffers *b, struct fail *f)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_MEMLOCK, &lim) || lim.rlim_cur == RLIM_INFINITY)
		return ring_failure(f, "registering the buffers (-B1)", ENOMEM);
	return fail(
		f, STATUS_NOT_POSSIBLE,
		"registering the buffers (-B1): a thread needs %zu KiB, and the memlock "
		"limit is %llu KiB for all of this user's: raise it with 'ulimit -l', or "
		"use a smaller -d, -b or -n, or -B0",
		b->bytes / 1024, (unsigned long long)lim.rlim_cur / 1024);
}

static int register_slots(struct buffers *b, struct ring *r, struct fail *f)
{
	struct iovec *iov = calloc(b->nr_slots, sizeof(*iov));
	int ret;

	if (!iov)
		return fail(f, STATUS_FAILED, "out of memory");
	for (unsigned int i = 0; i < b->nr_slots; i++)
		iov[i] = b->slots[i].data;
	ret = io_uring_register_buffers(&r->uring, iov, b->nr_slots);
	free(iov);
	if (ret == -ENOMEM)
		return refused_memory(b, f);
	if (ret)
		return ring_failure(f, "registering the buffers (-B1)", -ret);
	return 0;
}

int buffers_open(struct buffers *b, const struct buffers_spec *spec, struct ring *r,
		 struct fail *f)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t data = round_up(spec->data_bytes, page);
	size_t stride = data + round_up(spec->meta_bytes, page);

	memset(b, 0, sizeof(*b));
	if (spec->registered && spec->slots > BUFFERS_MAX_REGISTERED)
		return fail(f, STATUS_USAGE,
			    "-d: a depth of %u needs %u registered buffers and io_uring "
			    "takes "
			    "%u: use a smaller -d, or -B0",
			    spec->slots, spec->slots, BUFFERS_MAX_REGISTERED);
	b->nr_slots = spec->slots;
	b->bytes = stride * spec->slots;
	if (spec->huge_path)
		b->memory = map_huge(spec->huge_path, &b->bytes, f);
	else
		b->memory = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->memory == MAP_FAILED) {
		b->memory = NULL;
		return fail(f, STATUS_NOT_POSSIBLE,
			    "%zu KiB of buffers: %s; use a smaller -d or -b",
			    b->bytes / 1024, strerror(errno));
	}
	b->slots = calloc(spec->slots, sizeof(*b->slots));
	if (!b->slots) {
		fail(f, STATUS_FAILED, "out of memory");
		goto close;
	}
	/* Fault everything in now, on this thread's node, not in the measured loop. */
	memset(b->memory, 0, b->bytes);
	for (unsigned int i = 0; i < spec->slots; i++) {
		struct slot *s = &b->slots[i];

		s->data.iov_base = (char *)b->memory + i * stride;
		s->data.iov_len = spec->data_bytes;
		s->meta.iov_base = (char *)s->data.iov_base + data;
		s->meta.iov_len = spec->meta_bytes;
		s->index = (uint16_t)i;
		s->registered = spec->registered;
		s->vectored = spec->vectored;
	}
	if (spec->registered && register_slots(b, r, f))
		goto close;
	return 0;
close:
	buffers_close(b);
	return -1;
}

void buffers_close(struct buffers *b)
{
	if (b->memory)
		munmap(b->memory, b->bytes);
	free(b->slots);
	memset(b, 0, sizeof(*b));
}
