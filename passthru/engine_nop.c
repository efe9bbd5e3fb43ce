// SPDX-License-Identifier: MIT
/* IORING_OP_NOP: what io_uring itself costs. */
#include "engine.h"

#include <string.h>

static void prepare(struct io_uring_sqe *sqe, const struct target *t,
		    const struct slot *slot)
{
	(void)t;
	(void)slot;
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_NOP;
}

static int good_result(const struct target *t)
{
	(void)t;
	return 0;
}

const struct engine engine_nop = {
	.name = "nop",
	.can_poll = true,
	.prepare = prepare,
	.good_result = good_result,
};
