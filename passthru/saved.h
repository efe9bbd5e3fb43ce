/* SPDX-License-Identifier: MIT */
/*
 * A result that 'ngbench run --json' or 'ngbench merge' wrote, read back
 */
#ifndef NGBENCH_SAVED_H
#define NGBENCH_SAVED_H

#include "fail.h"
#include "result.h"

struct json_object;

struct saved {
	const char *path;
	struct json_object *root; /* the file, for what struct result has no place for */
	struct result result;     /* valid; latencies where the file has their steps */
};

/*
 * saved_open() - read and check a whole file
 *
 * What the form of result.schema.json requires of all that programs use is
 * there afterwards: arms with positive figures, as many rounds in each.
 * Errors:  STATUS_USAGE: it cannot be opened or read.
 *          STATUS_FAILED: not JSON, not whole, not ngbench's, a name missing or
 *          with a value that it cannot have, a result that is not valid.
 *          STATUS_NOT_POSSIBLE: another version of the form.
 * Returns: 0 or -1 with @f set; then nothing is left to close.
 */
int saved_open(struct saved *s, const char *path, struct fail *f);

/*
 * saved_read() - saved_open() for what was parsed already
 *
 * @r:      initialised; what it got before an error is the caller's to end, too.
 * @path:   for messages.
 * Errors and return as saved_open(), which calls it.
 */
int saved_read(struct json_object *root, const char *path, struct result *r,
	       struct fail *f);

/* saved_host() - where it was measured: "host7", "3 hosts" or "unknown"; may use @buf. */
const char *saved_host(const struct saved *s, char buf[24]);

/* saved_condition() - what was in force; "unknown" where the file does not say. */
const char *saved_condition(const struct saved *s, const char *name);

/* saved_threads() - threads of a host, 1 where the file does not say. */
unsigned int saved_threads(const struct saved *s);

/* saved_touches_block() - did the I/O go through the block layer, and its statistics? */
bool saved_touches_block(const struct saved *s);

/* saved_hosts() - how many were merged into it; 0 for a run's own file. */
unsigned int saved_hosts(const struct saved *s);

/* One point of an arm's latencies: what @percent of its I/Os do not exceed. */
struct saved_percentile {
	double percent; /* above 0, below 100 */
	double ns;      /* above 0 */
};

/*
 * saved_percentiles() - those of arm @arm, at most @max, in the file's order
 *
 * Returns: how many; 0 where the arm has none.
 */
unsigned int saved_percentiles(const struct saved *s, unsigned int arm,
			       struct saved_percentile *list, unsigned int max);

/* saved_close() - takes a zeroed struct. */
void saved_close(struct saved *s);

#endif
