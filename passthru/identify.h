/* SPDX-License-Identifier: MIT */
/*
 * What a namespace is, from its identify data
 *
 * A header of its own: libnvme's headers and <linux/nvme_ioctl.h> do not go
 * together in one file.
 */
#ifndef NGBENCH_IDENTIFY_H
#define NGBENCH_IDENTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"

struct command_format {
	uint32_t nsid;
	uint64_t nsze;           /* size of the namespace in LBAs */
	uint32_t lba_bytes;      /* data bytes per LBA */
	uint32_t meta_bytes;     /* metadata bytes per LBA, 0 for none */
	bool meta_extended;      /* metadata follows each LBA's data in one buffer */
	unsigned int protection; /* type of protection information, 0 for none */
	int64_t mdts_bytes;      /* largest transfer (MDTS), 0: no limit, -1: unknown */
};

/*
 * identify_namespace() - ask the namespace that @fd is the generic device of
 *
 * @path is for messages.
 * Errors:  STATUS_NOT_POSSIBLE: no such command on @fd, no permission, a
 *          namespace without a size or format.
 * Returns: 0 or -1 with @f set.
 */
int identify_namespace(struct command_format *fmt, int fd, const char *path,
		       struct fail *f);

#endif
