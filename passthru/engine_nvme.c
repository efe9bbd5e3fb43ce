// SPDX-License-Identifier: MIT
/* NVMe passthrough: uring_cmd on a generic character device, /dev/ngXnY. */
#include "engine.h"

#include <string.h>

void engine_nvme_prepare(struct io_uring_sqe *sqe, const struct target *t,
			 const struct slot *slot)
{
	const struct device *d = t->device;
	struct nvme_uring_cmd *cmd = (struct nvme_uring_cmd *)sqe->cmd;

	memset(sqe, 0, 2 * sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->fd = t->fd;
	sqe->flags = (uint8_t)t->flags;
	sqe->cmd_op = slot->vectored ? NVME_URING_CMD_IO_VEC : NVME_URING_CMD_IO;
	command_prepare(cmd, &d->format, &d->range, (uintptr_t)slot->data.iov_base,
			(uintptr_t)slot->meta.iov_base);
	if (slot->registered) {
		sqe->uring_cmd_flags = IORING_URING_CMD_FIXED;
		sqe->buf_index = slot->index;
	} else if (slot->vectored) {
		cmd->addr = (uintptr_t)target_vector(t, slot);
		cmd->data_len = 1; /* counts vectors */
	}
}

void engine_nvme_aim(const struct ring *r, struct target *t, unsigned int tail,
		     unsigned int n)
{
	const struct command_range *range = &t->device->range;

	for (unsigned int i = 0; i < n; i++)
		command_set_position((struct nvme_uring_cmd *)ring_sqe(r, tail + i)->cmd,
				     range, target_next(t, range->positions));
}

int engine_nvme_good_result(const struct target *t)
{
	(void)t;
	return 0;
}

const struct engine engine_nvme = {
	.name = "nvme",
	.passthrough = true,
	.reads_device = true,
	.can_poll = true,
	.touches_block = true,
	.prepare = engine_nvme_prepare,
	.aim = engine_nvme_aim,
	.good_result = engine_nvme_good_result,
};
