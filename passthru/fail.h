/* SPDX-License-Identifier: MIT */
/*
 * One error, on its way up to main(), which alone prints it
 */
#ifndef NGBENCH_FAIL_H
#define NGBENCH_FAIL_H

/* The exit status of ngbench. */
enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1, /* the run failed, or its result is invalid */
	STATUS_USAGE = 2,  /* the command line is wrong: an option, a value, a path */
	STATUS_NOT_POSSIBLE = 3, /* this machine, kernel or device cannot do it */
};

struct fail {
	enum status status;
	char why[512]; /* "what: why; what to do" */
};

/*
 * fail() - note the first error and its exit status
 *
 * A later call while @f already holds an error changes nothing: the first
 * cause is the one to tell.
 * Returns: -1 always, so that callers can 'return fail(...)'.
 * Context: one thread at a time for one @f.
 */
__attribute__((format(printf, 3, 4))) int fail(struct fail *f, enum status status,
					       const char *fmt, ...);

#endif
