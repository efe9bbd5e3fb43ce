/* SPDX-License-Identifier: MIT */
#ifndef NGBENCH_CLOCKCOST_H
#define NGBENCH_CLOCKCOST_H

/*
 * clockcost_ns() - what clock_gettime() takes here, in ns, at its quickest
 *
 * The quickest of some rounds, so that losing the CPU in one of them does not
 * count. Where the clock source can be read from user space it stands for the
 * kernel's ktime_get() as well, which reads the same counter. About 200 us. An A/B
 * prices readings in each of its rounds instead, as its machine is then.
 */
double clockcost_ns(void);

#endif
