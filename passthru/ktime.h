/* SPDX-License-Identifier: MIT */
/*
 * The cached clock of the block layer, where a kernel of our series has its debug
 * switch: /sys/kernel/debug/blk_ktime/{enabled,reads,cached,switched}
 */
#ifndef NGBENCH_KTIME_H
#define NGBENCH_KTIME_H

#include "attr.h"
#include "fail.h"

/*
 * ktime_hold() - take hold of the switch, as attr_hold() does
 *
 * Mounts nothing.
 * Errors:  STATUS_NOT_POSSIBLE, with which it is: a kernel without debugfs, debugfs
 *          not mounted, no permission, a kernel without the series or its debug
 *          switch (CONFIG_BLK_KTIME_DEBUG), another run holds it.
 * Context: the main thread.
 */
int ktime_hold(struct attr *a, int *undo, struct fail *f);

/*
 * ktime_cached() - stamps that were served from the cache, since boot and system-wide
 *
 * Returns: the count, or -1 where there is none to read.
 */
long long ktime_cached(void);

/* ktime_state() - "on" or "off", NULL where it cannot be read. */
const char *ktime_state(void);

/*
 * ktime_verify() - did the switch reach this I/O?
 *
 * @on, @off: the least and the most of what ktime_cached() rose by per I/O, over the
 * arms that had the cache on and off; NAN where it could not be read.
 * Errors:  STATUS_NOT_POSSIBLE: stamps were cached although it was off, or hardly any
 *          were although it was on, with what was seen.
 */
int ktime_verify(double on, double off, struct fail *f);

#endif
