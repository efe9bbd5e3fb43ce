/* SPDX-License-Identifier: MIT */
/*
 * A plain run: one setting, a line each second, as t/io_uring has it
 */
#ifndef NGBENCH_RUN_H
#define NGBENCH_RUN_H

#include <stdio.h>

#include "crew.h"
#include "fail.h"
#include "result.h"
#include "session.h"

/*
 * run_plain() - run for the time asked for, or until SIGINT or SIGTERM
 *
 * Prints the per-second lines to @out and adds one arm to @r.
 * Errors:  those of crew_end(); no completion for 30 s.
 * Returns: 0 or -1 with @f set; @r holds what was measured until then.
 */
int run_plain(const struct session *s, struct crew *c, FILE *out, struct result *r,
	      struct fail *f);

#endif
