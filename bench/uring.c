// SPDX-License-Identifier: MIT
#include "uring.h"

#include <errno.h>
#include <stdlib.h>

#include "ring.h"

int uring_try_open(struct io_uring *ring, int64_t year, unsigned int entries,
		   unsigned int cq_entries)
{
	struct io_uring_params p = {0};
	int ret;

	if (year == URING_2022)
		p.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
	if (cq_entries) {
		p.flags |= IORING_SETUP_CQSIZE;
		p.cq_entries = cq_entries;
	}
	ret = io_uring_queue_init_params(entries, ring, &p);
	if (ret)
		return ret;
	if (year == URING_2022) {
		ret = io_uring_register_ring_fd(ring);
		if (ret < 0)
			io_uring_queue_exit(ring);
	}
	return ret < 0 ? ret : 0;
}

void uring_refused(struct gbench_state *state, int64_t year, int err)
{
	struct fail f = {0};

	if (err == -EINVAL && year == URING_2022) {
		gbench_skip(state, "this kernel has no SINGLE_ISSUER and DEFER_TASKRUN "
				   "rings; they came with Linux 6.1");
		return;
	}
	ring_failure(&f, "io_uring_setup", -err);
	if (f.status == STATUS_NOT_POSSIBLE)
		gbench_skip(state, "%s", f.why);
	else
		gbench_fail(state, "%s", f.why);
}

int uring_open(struct gbench_state *state, struct io_uring *ring, int64_t year,
	       unsigned int entries, unsigned int cq_entries)
{
	int ret = uring_try_open(ring, year, entries, cq_entries);

	if (!ret)
		return 0;
	uring_refused(state, year, ret);
	return -1;
}

int uring_supports(struct gbench_state *state, struct io_uring *ring, int op,
		   const char *name, const char *since)
{
	struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
	int there = probe && io_uring_opcode_supported(probe, op);

	io_uring_free_probe(probe);
	if (!there)
		gbench_skip(state, "this kernel has no %s; it came with Linux %s", name,
			    since);
	return there;
}

int uring_finish_one(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;
	int ret;

	do
		ret = io_uring_submit_and_wait(ring, 1);
	while (ret == -EINTR);
	if (ret >= 0)
		ret = io_uring_wait_cqe(ring, &cqe);
	if (ret)
		return ret;
	ret = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return ret;
}
