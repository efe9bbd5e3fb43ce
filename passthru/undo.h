/* SPDX-License-Identifier: MIT */
/*
 * What was changed on this machine, and how to put it back on every way out
 *
 * An undo is a text written to an open file of sysfs or tracefs, so that it can
 * be done from a signal handler: on a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
 * SIGABRT), at exit(), and when asked for. Last added, first done. Each is noted on
 * disk as well (state.h), for the ways out on which nothing can be done.
 */
#ifndef NGBENCH_UNDO_H
#define NGBENCH_UNDO_H

/*
 * undo_add() - remember to write @text to @fd, the file @path; the undo owns @fd now
 *
 * Context: the main thread.
 * Errors:  -E2BIG: too many, or @text is too long; those of state_push().
 * Returns: a number for undo_now(), or -errno; then @fd stays the caller's and
 *          nothing may be changed.
 */
int undo_add(int fd, const char *path, const char *text);

/*
 * undo_now() - do undo number @i and all that were added after it, and forget them
 *
 * One that failed, and what was noted before it, stay noted on disk.
 * Returns: 0, or -errno of the first that failed.
 */
int undo_now(int i);

#endif
