// SPDX-License-Identifier: MIT
#include "nvme_status.h"

#include <libnvme.h>
#include <stdio.h>
#include <string.h>

const char *nvme_status_text(int result, int good_result, char *buf, size_t len)
{
	if (result < 0)
		snprintf(buf, len, "%s (errno %d)", strerror(-result), -result);
	else if (good_result)
		snprintf(buf, len, "%d bytes came instead of %d", result, good_result);
	else
		snprintf(buf, len, "NVMe status %#x: %s (sct %#x, sc %#x%s)", result,
			 nvme_status_to_string(result & 0x7ff, false),
			 (result >> 8) & 0x7, result & 0xff,
			 result & 0x4000 ? ", DNR" : "");
	return buf;
}

const char *nvme_status_cause(int status)
{
	switch (status & 0x7ff) {
	case NVME_SC_ABORT_REQ:
		return "; its driver asked for that, after a time-out: see the kernel's "
		       "log";
	case NVME_SC_NS_NOT_READY:
	case NVME_SC_FORMAT_IN_PROGRESS:
	case NVME_SC_SANITIZE_IN_PROGRESS:
		return "; the drive is busy with that: run again when it is done";
	default:
		return "";
	}
}
