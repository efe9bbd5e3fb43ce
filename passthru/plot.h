/* SPDX-License-Identifier: MIT */
/*
 * A saved result as a picture, drawn by gnuplot
 */
#ifndef NGBENCH_PLOT_H
#define NGBENCH_PLOT_H

#include <stdio.h>

#include "fail.h"
#include "saved.h"

/*
 * plot_script() - what gnuplot is to do, data included
 *
 * @terminal: of gnuplot, "svg" or "pngcairo". The picture has the IOPS by
 * round, or by second of a plain run; of an A/B run each arm's difference to
 * the first with its 95 % interval; and latency percentiles where there are any.
 * No text of the result can become a command.
 * Errors:  STATUS_FAILED: a plain run without a whole second; out of memory.
 * Returns: 0 or -1 with @f set.
 */
int plot_script(FILE *script, struct saved *s, const char *terminal, struct fail *f);

/*
 * gnuplot_run() - let gnuplot do @script, and take what it draws into @picture
 *
 * Without a shell and without the user's start-up file.
 * Errors:  STATUS_NOT_POSSIBLE: it is not installed. STATUS_FAILED: it cannot be
 *          started, or it fails, with what it said.
 * Returns: 0 or -1 with @f set.
 */
int gnuplot_run(FILE *script, FILE *picture, struct fail *f);

#endif
