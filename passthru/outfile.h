/* SPDX-License-Identifier: MIT */
/*
 * A file that is there whole or not at all
 *
 * It is written beside its place first and then renamed. What is no regular
 * file (a pipe, /dev/null) is written to as it is; "-" is standard output. A
 * link stays, and what it leads to is replaced.
 */
#ifndef NGBENCH_OUTFILE_H
#define NGBENCH_OUTFILE_H

#include <limits.h>
#include <stdio.h>

#include "fail.h"

struct outfile {
	FILE *out;
	const char *option, *path; /* for messages: "--json r.json" */
	char target[PATH_MAX];
	char beside[PATH_MAX + 32]; /* "" where it is written as it is */
};

/*
 * outfile_check() - can @path be written to, once there is something?
 *
 * Errors:  STATUS_FAILED, with what the system said. Leaves nothing behind.
 * Returns: 0 or -1 with @f set.
 */
int outfile_check(const char *option, const char *path, struct fail *f);

/*
 * outfile_open() - open @o->out; @option and @path must outlive it
 *
 * Errors and return as outfile_check(). Follow it by one of the two below.
 */
int outfile_open(struct outfile *o, const char *option, const char *path, struct fail *f);

/*
 * outfile_commit() - all is written: close it, and put it into its place
 *
 * Errors:  STATUS_FAILED: it could not be written, with what the system said;
 *          then an earlier file is still there.
 * Returns: 0 or -1 with @f set.
 */
int outfile_commit(struct outfile *o, struct fail *f);

/* outfile_abort() - leave the place as it was. */
void outfile_abort(struct outfile *o);

#endif
