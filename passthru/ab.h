/* SPDX-License-Identifier: MIT */
/*
 * A against B in one run: arms in turn, differences paired by round
 */
#ifndef NGBENCH_AB_H
#define NGBENCH_AB_H

#include "crew.h"
#include "fail.h"
#include "knob.h"
#include "result.h"
#include "session.h"

/*
 * ab_check() - is there time enough for a slice, and can each arm's ring be had?
 *
 * Errors:  STATUS_USAGE: rounds so many that a slice is below 10 ms; those of
 *          crew_open() with an arm's own options.
 */
int ab_check(const struct session *s, const struct knob *k, struct fail *f);

/*
 * ab_run() - measure all arms of @k
 *
 * Each arm warms up, unmeasured, until the pace is steady or a quarter of the
 * time asked for is over, and has its clock reads counted, which also proves
 * that the knob reaches the I/O. Then every round runs the arms forth
 * and back, in an order drawn for each (A B B A, B A C C A B), so that neither a drift nor
 * what comes at a pace of its own falls on one more than another. The proof
 * is asked for again of what was measured.
 * Errors:  those of knob_set(), knob_verify(), crew_end(); a signal before
 *          two rounds were whole.
 * Context: the main thread, after ab_check().
 * Returns: 0 or -1 with @f set. After a signal the whole rounds count, and
 *          @r->complete is false. @c is the crew in place then, or NULL: arms with
 *          options of their own close it and open theirs.
 */
int ab_run(const struct session *s, struct crew **c, struct knob *k, struct result *r,
	   struct fail *f);

/*
 * ab_compare() - fill in r->comparisons from the arms' rounds, each against the first
 *
 * Per cent: of the geometric mean of the rounds' ratios, so that a pair of slow
 * rounds weighs as a pair of fast ones and A against B mirrors B against A.
 * ns per I/O: of the plain differences. Rounds that stand apart stay in; they and
 * a drift are noted beside it. Clock reads explain what b makes more of them than a,
 * the kernel's and ngbench's own, at what one took in the same round. The arms' spread
 * and the mean of @r->clock_rounds are filled in, too.
 * @workers: threads. @touches_block: the kernel's clock reads, where they are not
 * known, may differ between the arms; without, there are none for an I/O.
 * Returns: 0, or -1 with @f set when out of memory.
 */
int ab_compare(struct result *r, unsigned int workers, bool touches_block,
	       struct fail *f);

#endif
