/* SPDX-License-Identifier: MIT */
/*
 * Memory that a worker's reads land in: a slot for each submission entry
 *
 * A slot is used again with its entry, so two reads may share one while an
 * older one is still in flight; nobody looks at the data.
 */
#ifndef NGBENCH_BUFFERS_H
#define NGBENCH_BUFFERS_H

#include <stddef.h>

#include "engine.h"
#include "fail.h"

/* IORING_MAX_REG_BUFFERS of the kernel. */
#define BUFFERS_MAX_REGISTERED 16384u

struct buffers {
	struct slot *slots;
	unsigned int nr_slots;
	void *memory;
	size_t bytes;
};

struct buffers_spec {
	unsigned int slots;
	size_t data_bytes, meta_bytes; /* of one read */
	bool registered, vectored;
	const char *huge_path; /* hugetlbfs file, NULL: ordinary pages */
};

/*
 * buffers_open() - map, fault in and register with @r
 *
 * Errors:  STATUS_NOT_POSSIBLE: out of memory, memlock too small, no huge pages;
 *          STATUS_USAGE: more slots than can be registered.
 * Context: the thread that will use them, so that memory is near it.
 * Returns: 0 or -1 with @f set; then nothing is left to close.
 */
int buffers_open(struct buffers *b, const struct buffers_spec *spec, struct ring *r,
		 struct fail *f);

/* buffers_close() - after the ring is closed; takes a zeroed struct. */
void buffers_close(struct buffers *b);

#endif
