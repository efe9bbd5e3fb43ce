/* SPDX-License-Identifier: MIT */
#ifndef NGBENCH_NVME_STATUS_H
#define NGBENCH_NVME_STATUS_H

#include <stddef.h>

/*
 * nvme_status_text() - say what a completion's result means
 *
 * Below 0 it is -errno. Above 0 it is an NVMe status where a good passthrough
 * command gives 0, else the length of a short read.
 * Returns: @buf.
 */
const char *nvme_status_text(int result, int good_result, char *buf, size_t len);

/* nvme_status_cause() - for cause_of(): what may be behind an NVMe status, or "". */
const char *nvme_status_cause(int status);

#endif
