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
