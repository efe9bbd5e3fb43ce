/* SPDX-License-Identifier: MIT */
/*
 * What the worker's loop needs of each kind of I/O: one table of functions
 *
 * Entries of the submission queue are prepared once, when the ring is set up;
 * per batch an engine only writes what differs between two reads.
 */
#ifndef NGBENCH_ENGINE_H
#define NGBENCH_ENGINE_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

#include "command.h"
#include "device.h"
#include "options.h"
#include "ring.h"

/* Where the next reads of a worker on one device go. */
struct target {
	const struct device *device;
	int fd;                /* descriptor, or index where files are registered */
	unsigned int flags;    /* IOSQE_* */
	unsigned int inflight; /* kept only with several targets */
	uint64_t position;     /* sequential: the next one */
	uint64_t random;       /* state of the generator; 0: sequential */
	struct iovec *vectors; /* by slot, with -V1; NULL: all slots are of its size */
};

/* Memory for the reads of one submission entry. */
struct slot {
	struct iovec data;
	struct iovec meta;
	uint16_t index; /* of the registered buffer */
	bool registered;
	bool vectored;
};

struct engine {
	const char *name;
	bool passthrough;  /* wide entries and completions */
	bool reads_device; /* has buffers and a file of its own to register */
	bool can_poll;
	bool touches_block; /* block-layer statistics are charged for its I/O */
	/* A whole entry for @slot on @t; the loop itself sets user_data. */
	void (*prepare)(struct io_uring_sqe *sqe, const struct target *t,
			const struct slot *slot);
	/* Aim entries [tail, tail + n) at the next reads; NULL: nothing differs. */
	void (*aim)(const struct ring *r, struct target *t, unsigned int tail,
		    unsigned int n);
	/* cqe->res of a good completion. */
	int (*good_result)(const struct target *t);
};

extern const struct engine engine_nvme, engine_block, engine_null, engine_nop;

/* The functions of engine_nvme, which engine_null shares. */
void engine_nvme_prepare(struct io_uring_sqe *sqe, const struct target *t,
			 const struct slot *slot);
void engine_nvme_aim(const struct ring *r, struct target *t, unsigned int tail,
		     unsigned int n);
int engine_nvme_good_result(const struct target *t);

/* engine_by_name() - NULL with @f set (STATUS_USAGE) for an unknown name. */
const struct engine *engine_by_name(const char *name, struct fail *f);

/* engine_for() - the engine that reads this kind of device. */
const struct engine *engine_for(enum device_kind kind);

/* target_vector() - what a vectored read of @t to @slot transfers; must outlive the read. */
static inline const struct iovec *target_vector(const struct target *t,
						const struct slot *slot)
{
	return t->vectors ? &t->vectors[slot->index] : &slot->data;
}

/* target_next() - the position of the next read, below positions. */
static inline uint64_t target_next(struct target *t, uint64_t positions)
{
	uint64_t p, x = t->random;

	if (x) {
		/* xorshift64*, Vigna 2016 (arXiv:1402.6246); the state is never 0. */
		x ^= x >> 12;
		x ^= x << 25;
		x ^= x >> 27;
		t->random = x;
		x *= 0x2545f4914f6cdd1dull;
		return (uint64_t)(((unsigned __int128)x * positions) >> 64);
	}
	p = t->position;
	t->position = p + 1 == positions ? 0 : p + 1;
	return p;
}

#endif
