/* SPDX-License-Identifier: MIT */
/*
 * How often the kernel reads the clock for one I/O: a kprobe on ktime_get()
 */
#ifndef NGBENCH_CLOCKREADS_H
#define NGBENCH_CLOCKREADS_H

#include <stddef.h>

#include "crew.h"
#include "result.h"
#include "session.h"

/*
 * clockreads_pass() - run at @pace for a short time and count
 *
 * A pass of its own, since the probe slows the run down. It counts every call
 * of ktime_get() on the machine while it lasts; an idle machine makes 40 to 90
 * a second. User space's readings through the vDSO are not among them.
 * Sets @arm->clock_reads_per_io, or leaves it NAN and says why in @why, for
 * engines that do not go through the block layer, without tracefs, kprobes or
 * permission, or when a signal or an error ended the pass.
 * Changes: a probe plugclock/ktime_get_PID in tracefs, gone again on return.
 */
void clockreads_pass(const struct session *s, struct crew *c, const struct pace *pace,
		     struct arm_result *arm, char *why, size_t len);

#endif
