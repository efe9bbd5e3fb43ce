// SPDX-License-Identifier: MIT
#include "command.h"

#include <string.h>

#define NVME_OPCODE_READ 0x02
#define NLB_MAX          65536u /* the field is 16 bits wide, zero-based */

int command_range(struct command_range *range, const struct command_format *format,
		  uint64_t block_bytes, const char *name, struct fail *f)
{
	uint64_t nlb;

	if (!block_bytes || block_bytes % format->lba_bytes)
		return fail(
			f, STATUS_USAGE,
			"%s: block size %llu is no multiple of its LBA size %u; use -b%u "
			"or a multiple",
			name, (unsigned long long)block_bytes, format->lba_bytes,
			format->lba_bytes);
	nlb = block_bytes / format->lba_bytes;
	/* Lengths, extended metadata included, have 32 bits. */
	if (nlb > NLB_MAX || block_bytes + nlb * format->meta_bytes > UINT32_MAX)
		return fail(f, STATUS_USAGE,
			    "%s: block size %llu is more than one NVMe read can carry "
			    "(65536 LBAs of %u bytes, and below 4 GiB); use a smaller -b",
			    name, (unsigned long long)block_bytes, format->lba_bytes);
	if (nlb > format->nsze)
		return fail(f, STATUS_USAGE,
			    "%s: smaller (%llu LBAs of %u bytes) than one block of %llu "
			    "bytes",
			    name, (unsigned long long)format->nsze, format->lba_bytes,
			    (unsigned long long)block_bytes);
	range->nlb = (uint32_t)nlb;
	range->positions = format->nsze / nlb;
	range->data_bytes = (uint32_t)block_bytes;
	range->meta_bytes = (uint32_t)nlb * format->meta_bytes;
	if (format->meta_extended) {
		range->data_bytes += range->meta_bytes;
		range->meta_bytes = 0;
	}
	return 0;
}

void command_prepare(struct nvme_uring_cmd *cmd, const struct command_format *format,
		     const struct command_range *range, uint64_t data, uint64_t meta)
{
	memset(cmd, 0, sizeof(*cmd));
	cmd->opcode = NVME_OPCODE_READ;
	cmd->nsid = format->nsid;
	cmd->addr = data;
	cmd->data_len = range->data_bytes;
	if (range->meta_bytes) {
		cmd->metadata = meta;
		cmd->metadata_len = range->meta_bytes;
	}
	cmd->cdw12 = range->nlb - 1;
}
