/* SPDX-License-Identifier: MIT */
/*
 * NVMe read commands for a namespace: the arithmetic, without I/O
 */
#ifndef NGBENCH_COMMAND_H
#define NGBENCH_COMMAND_H

#include <linux/nvme_ioctl.h>
#include <stdbool.h>
#include <stdint.h>

#include "fail.h"
#include "identify.h"

/* Reads of one size over one namespace. */
struct command_range {
	uint64_t positions;  /* whole reads that fit: a read starts at position * nlb */
	uint32_t nlb;        /* LBAs per read, 1 to 65536 */
	uint32_t data_bytes; /* to transfer, metadata included where it is extended */
	uint32_t meta_bytes; /* to transfer to a buffer of its own */
};

/*
 * command_range() - the reads of @block_bytes that fit a namespace
 *
 * Every position p below positions gives p * nlb + nlb <= nsze.
 * Errors:  STATUS_USAGE: @block_bytes is 0, no multiple of the LBA size, beyond
 *          65536 LBAs, 4 GiB or more with its metadata, or larger than the
 *          namespace; @name is for the message.
 * Returns: 0 or -1 with @f set.
 */
int command_range(struct command_range *range, const struct command_format *format,
		  uint64_t block_bytes, const char *name, struct fail *f);

/*
 * command_prepare() - all of a read command but where it starts
 *
 * @meta is the metadata buffer's address, ignored where none is transferred.
 */
void command_prepare(struct nvme_uring_cmd *cmd, const struct command_format *format,
		     const struct command_range *range, uint64_t data, uint64_t meta);

/* command_set_position() - aim a prepared command at a position of @range. */
static inline void command_set_position(struct nvme_uring_cmd *cmd,
					const struct command_range *range,
					uint64_t position)
{
	uint64_t slba = position * range->nlb;

	cmd->cdw10 = (uint32_t)slba;
	cmd->cdw11 = (uint32_t)(slba >> 32);
}

#endif
