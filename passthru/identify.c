// SPDX-License-Identifier: MIT
#include "identify.h"

#include <endian.h>
#include <errno.h>
#include <libnvme.h>
#include <stdlib.h>
#include <string.h>

/* In bytes, 0 for no limit, where the smallest page is of 4 KiB; -1 is not to be known. */
static int64_t largest_transfer(int fd)
{
	struct nvme_id_ctrl *ctrl = aligned_alloc(4096, sizeof(*ctrl));
	int64_t bytes = -1;

	if (ctrl && !nvme_identify_ctrl(fd, ctrl))
		bytes = ctrl->mdts && ctrl->mdts < 40 ? 4096ll << ctrl->mdts : 0;
	free(ctrl);
	return bytes;
}

static const char *reason_of(int err)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return "the kernel wants CAP_SYS_ADMIN for passthrough, whatever the "
		       "mode "
		       "is (since Linux 6.2 not for reads); run as root";
	case EAGAIN:
		return "no path leads to it at the moment (multipath, or just detached)";
	default:
		return strerror(err);
	}
}

int identify_namespace(struct command_format *fmt, int fd, const char *path,
		       struct fail *f)
{
	struct nvme_id_ns *ns;
	unsigned int index;
	int ret = -1;

	if (nvme_get_nsid(fd, &fmt->nsid))
		return fail(f, STATUS_NOT_POSSIBLE,
			    "%s: reading its namespace number: %s", path,
			    reason_of(errno));
	ns = aligned_alloc(4096, sizeof(*ns));
	if (!ns)
		return fail(f, STATUS_FAILED, "out of memory");
	ret = nvme_identify_ns(fd, fmt->nsid, ns);
	if (ret) {
		fail(f, STATUS_NOT_POSSIBLE, "%s: identify namespace %u: %s", path,
		     fmt->nsid,
		     ret > 0 ? nvme_status_to_string(ret, false) : reason_of(errno));
		goto out;
	}
	/* Bits 6:5 extend the index where there are more than 16 formats (NVMe 2.0). */
	index = ns->flbas & 0xfu;
	if (ns->nlbaf >= 16)
		index |= (ns->flbas >> 1) & 0x30u;
	fmt->nsze = le64toh(ns->nsze);
	fmt->lba_bytes = ns->lbaf[index].ds < 32 ? 1u << ns->lbaf[index].ds : 0;
	fmt->meta_bytes = le16toh(ns->lbaf[index].ms);
	fmt->meta_extended = fmt->meta_bytes && (ns->flbas & 0x10);
	fmt->protection = ns->dps & 0x7;
	fmt->mdts_bytes = largest_transfer(fd);
	if (!fmt->nsze || fmt->lba_bytes < 512) {
		ret = fail(f, STATUS_NOT_POSSIBLE,
			   "%s: namespace %u has no size or no LBA format; is it ready?",
			   path, fmt->nsid);
		goto out;
	}
	ret = 0;
out:
	free(ns);
	return ret ? -1 : 0;
}
