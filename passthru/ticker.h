/* SPDX-License-Identifier: MIT */
/*
 * A line that tells how far a run is, and is gone when it ends: on a terminal that can
 * erase a line, which one without TERM, or with TERM=dumb, cannot
 */
#ifndef NGBENCH_TICKER_H
#define NGBENCH_TICKER_H

/* ticker_show() - in place of the last one, on standard error, if that is such a terminal. */
__attribute__((format(printf, 1, 2))) void ticker_show(const char *fmt, ...);

/* ticker_clear() - take it away, before anything else is printed. */
void ticker_clear(void);

#endif
