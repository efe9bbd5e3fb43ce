// SPDX-License-Identifier: MIT
/*
 * The commands of NVMe passthrough, sent to /dev/null, which completes any
 * uring_cmd at once: the whole path of user space and io_uring, without a device.
 */
#include "engine.h"

const struct engine engine_null = {
	.name = "null",
	.passthrough = true,
	.reads_device = true,
	.prepare = engine_nvme_prepare,
	.aim = engine_nvme_aim,
	.good_result = engine_nvme_good_result,
};
