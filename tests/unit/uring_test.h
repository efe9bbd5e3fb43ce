/* SPDX-License-Identifier: MIT */
/* uring_test.h - a ring, or the reason why there is none */
#ifndef URING_TEST_H
#define URING_TEST_H

#include "plug_test.h"

#include "plugclock_uring.h"

#include <string.h>

#define ENTRIES 8

static inline void open_ring(struct io_uring *ring, unsigned int flags)
{
	char why[80];
	int ret = io_uring_queue_init(ENTRIES, ring, flags);

	if (ret < 0) {
		snprintf(why, sizeof(why), "io_uring_setup: %s", strerror(-ret));
		skip_because(why);
	}
}

static inline void prepare_nops(struct io_uring *ring, unsigned int n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

		assert_non_null(sqe);
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data64(sqe, i);
	}
}

#endif
