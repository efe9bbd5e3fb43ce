// SPDX-License-Identifier: MIT
#include "cause.h"

#include <errno.h>

#include "nvme_status.h"

const char *cause_of(int result, const struct engine *engine, const struct device *d)
{
	if (result > 0)
		return engine->passthrough ? nvme_status_cause(result) : "";
	switch (-result) {
	case 0:
		/* A good passthrough command has 0. */
		return engine->reads_device && !engine->passthrough
			       ? "; the device ends before that: it was removed, or has "
				 "shrunk"
			       : "";
	case ENODEV:
	case ENXIO:
		return "; the device was removed";
	case EINTR:
		return engine->passthrough ? "; its driver cancelled it, after a "
					     "time-out or a reset: see the kernel's log"
					   : "";
	case EAGAIN:
		return "; the queue takes no more at once: use a smaller -d";
	case EIO:
		return d->kind == DEVICE_BLOCK
			       ? "; the kernel's log has more, and the generic device "
				 "(/dev/ngXnY) tells the NVMe status"
			       : "";
	case ENODATA:
		return "; a medium error, whose NVMe status the generic device "
		       "(/dev/ngXnY) tells";
	case EINVAL:
		return d->kind == DEVICE_NG && d->max_bytes
			       ? "; the request may need more segments than "
				 "queue/max_segments allows: use a smaller -b"
			       : "";
	default:
		return "";
	}
}
