/* SPDX-License-Identifier: MIT */
/*
 * What a run has changed on this machine, on disk, should it be killed
 *
 * A file for each run that changes something: a line per undo, there before the
 * change and gone after the undo. Its run holds a lock on it, so that one without
 * is what a dead run left, for restore.h. It names the boot that it is of.
 */
#ifndef NGBENCH_STATE_H
#define NGBENCH_STATE_H

#include <stdbool.h>
#include <stddef.h>

#define STATE_PLACES   3
#define STATE_TITLE    "plugclock undo 1"
#define STATE_PATH_LEN 192

/*
 * state_place() - the folders that such files are in, the first that can be is taken
 *
 * /run/plugclock, /run/user/UID/plugclock, /tmp/plugclock-UID.
 */
void state_place(unsigned int i, char place[STATE_PATH_LEN]);

/*
 * state_open_place() - open such a folder and lock it
 *
 * Lines in it are written to files of the kernel: the folder must be this user's
 * alone to write to. @create: make it where it is not there.
 * Returns: a descriptor, closing it unlocks; or -errno (-EPERM: somebody else's).
 */
int state_open_place(const char *place, bool create);

/* state_boot_id() - of this boot; returns 0 or -errno. */
int state_boot_id(char *id, size_t len);

/*
 * state_push() - note, and sync, that @text is to be written to @path
 *
 * Errors:  -EINVAL: a tab or newline in them; what the last place's file system said.
 * Context: the main thread.
 * Returns: a mark for state_pop(), or -errno; then nothing may be changed.
 */
long state_push(const char *path, const char *text);

/*
 * state_pop() - forget what was noted at @mark and after it
 *
 * Context: any, signal handlers included.
 */
void state_pop(long mark);

#endif
