/* SPDX-License-Identifier: MIT */
/*
 * Which kernel runs here, and what is known to be wrong with it
 */
#ifndef NGBENCH_KERNEL_H
#define NGBENCH_KERNEL_H

#include <stdbool.h>
#include <sys/utsname.h>

#include "session.h"

/* To compare versions by. */
#define KERNEL_CODE(major, minor, sub) (((major) << 20) | ((minor) << 10) | (sub))
#define KERNEL_SUB_UNKNOWN             0x3ffu

/*
 * kernel_code() - the version that uname() tells, as KERNEL_CODE()
 *
 * Distributions may freeze the third number of the release ("6.1.0-57-amd64"). Debian
 * tells the true one in the version; elsewhere it is KERNEL_SUB_UNKNOWN, so that a fix
 * of the line counts as taken.
 * Returns: the code, or 0 for a release that is no version.
 */
unsigned int kernel_code(const struct utsname *uts);

struct kernel_fault {
	const char *name;
	const char *known; /* of which versions, and where it was seen */
	const char *advice;
	unsigned int from, before; /* KERNEL_CODE() */
	bool (*meets)(const struct session *s);
};

/*
 * kernel_fault() - the @nth fault of version @code that a run of @s may meet
 *
 * By version: whether a vendor took a fix is not to be seen from outside. But a kernel
 * that shows the debug switch of our series has none of the faults of the cached time.
 * Returns: NULL where there are no more.
 */
const struct kernel_fault *kernel_fault(unsigned int code, const struct session *s,
					unsigned int nth);

#endif
