/* SPDX-License-Identifier: MIT */
/*
 * A list of conditions: what was asked for, what is in force, what to do about it
 */
#ifndef NGBENCH_CONDITION_H
#define NGBENCH_CONDITION_H

#include <stdbool.h>

struct condition {
	char name[96];       /* unlike any other in its list */
	char asked[96];      /* "" where nobody asked, or nobody can */
	char effective[256]; /* "unknown" where it cannot be read */
	char advice[320];    /* "" where it takes nothing from this kind of run */
};

/* Zeroed to begin with. */
struct conditions {
	unsigned int n, room;
	struct condition *list;
};

/*
 * condition_add() - one more, without advice; left out when there is no memory
 *
 * What does not fit is cut.
 * Errors:  none.
 */
__attribute__((format(printf, 4, 5))) void condition_add(struct conditions *cs,
							 const char *name,
							 const char *asked,
							 const char *format, ...);

/* condition_add_file() - the first line of a file; "unknown" where it cannot be read. */
void condition_add_file(struct conditions *cs, const char *name, const char *path);

/* condition_advise() - what to do about the one that was added last. */
__attribute__((format(printf, 2, 3))) void condition_advise(struct conditions *cs,
							    const char *format, ...);

/* condition_effective() - what is in force, "unknown" for a name that is not there. */
const char *condition_effective(const struct conditions *cs, const char *name);

/* condition_nr_advised() - how many have advice. */
unsigned int condition_nr_advised(const struct conditions *cs);

/* conditions_done() - takes a zeroed list, and one that is done. */
void conditions_done(struct conditions *cs);

#endif
