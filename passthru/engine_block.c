// SPDX-License-Identifier: MIT
/* Reads of a block device or a regular file. */
#include "engine.h"

#include <string.h>

static void prepare(struct io_uring_sqe *sqe, const struct target *t,
		    const struct slot *slot)
{
	memset(sqe, 0, sizeof(*sqe));
	sqe->fd = t->fd;
	sqe->flags = (uint8_t)t->flags;
	sqe->opcode = IORING_OP_READ;
	sqe->addr = (uintptr_t)slot->data.iov_base;
	sqe->len = t->device->range.data_bytes;
	if (slot->vectored) {
		sqe->opcode = IORING_OP_READV;
		sqe->addr = (uintptr_t)target_vector(t, slot);
		sqe->len = 1;
	} else if (slot->registered) {
		sqe->opcode = IORING_OP_READ_FIXED;
		sqe->buf_index = slot->index;
	}
}

static void aim(const struct ring *r, struct target *t, unsigned int tail, unsigned int n)
{
	const struct command_range *range = &t->device->range;

	for (unsigned int i = 0; i < n; i++)
		ring_sqe(r, tail + i)->off =
			target_next(t, range->positions) * range->data_bytes;
}

static int good_result(const struct target *t)
{
	return (int)t->device->range.data_bytes;
}

const struct engine engine_block = {
	.name = "block",
	.reads_device = true,
	.can_poll = true,
	.touches_block = true,
	.prepare = prepare,
	.aim = aim,
	.good_result = good_result,
};
