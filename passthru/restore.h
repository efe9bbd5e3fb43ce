/* SPDX-License-Identifier: MIT */
/*
 * What runs that were killed have left switched, and putting it back
 */
#ifndef NGBENCH_RESTORE_H
#define NGBENCH_RESTORE_H

#include <stdio.h>

#include "fail.h"
#include "state.h"

/*
 * restore_pending() - is anything left to put back, of this boot and this user?
 *
 * Runs that are alive are passed over. @path receives the first one's file.
 * Returns: the number of undos that are left.
 */
unsigned int restore_pending(char path[STATE_PATH_LEN]);

/*
 * restore_all() - put it back, last change first, and forget it
 *
 * A line to @out for each thing done and for each run passed over; done once
 * more it has nothing to do. A file that is gone with its device or probe is
 * as good as put back. Notes of an earlier boot are dropped: a boot puts back all.
 * Errors:  STATUS_FAILED: a write was refused; the rest is done all the same, and
 *          what is left stays noted.
 * Returns: 0 or -1 with @f set.
 */
int restore_all(FILE *out, struct fail *f);

/* restore_main() - 'ngbench restore'; argv[0] is the command. Returns 0 or -1. */
int restore_main(int argc, char **argv, struct fail *f);

#endif
