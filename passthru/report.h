/* SPDX-License-Identifier: MIT */
/*
 * Results for people and for programs
 */
#ifndef NGBENCH_REPORT_H
#define NGBENCH_REPORT_H

#include <stdio.h>

#include "conditions.h"
#include "crew.h"
#include "fail.h"
#include "result.h"
#include "session.h"

struct json_object;

/* report_head() - the lines that t/io_uring prints before it runs, notes, conditions. */
void report_head(FILE *out, const struct session *s, const struct conditions *cs,
		 const struct crew *c);

/* report_conditions() - a table of all conditions, with advice below each that has it. */
void report_conditions(FILE *out, const struct conditions *cs);

/* report_conditions_short() - in running text, and a line for each that has advice. */
void report_conditions_short(FILE *out, const struct conditions *cs);

/* report_plain() - what follows 'Maximum IOPS=' after a plain run. */
void report_plain(FILE *out, const struct session *s, const struct result *r);

/*
 * report_ab() - the table of arms, a sentence for each difference, what clock reads
 * explain of it, and whatever speaks against trusting it
 */
void report_ab(FILE *out, const struct session *s, const struct conditions *cs,
	       const struct result *r);

/* The version of the JSON form; it grows when a name goes or changes its meaning. */
#define REPORT_SCHEMA 1

/*
 * report_json_check() - can a result be written to @path, once there is one?
 *
 * Errors and return as report_json(). Leaves nothing behind.
 */
int report_json_check(const char *path, struct fail *f);

/*
 * report_json() - write the result, valid or not, to a file
 *
 * To @path as outfile.h has it. What is unknown is null.
 * Errors:  STATUS_FAILED, with what the system said.
 * Returns: 0 or -1 with @f set.
 */
int report_json(const char *path, const struct session *s, const struct conditions *cs,
		const struct result *r, struct fail *f);

/* report_json_conditions() - the conditions alone, written as report_json() does. */
int report_json_conditions(const char *path, const struct conditions *cs, struct fail *f);

/*
 * report_json_object() - the result in its JSON form
 *
 * @host: NULL where it is not one host's. @options and @conditions become part
 * of it. Returns the object, the caller's to put.
 */
struct json_object *report_json_object(const struct result *r, const char *host,
				       struct json_object *options,
				       struct json_object *conditions);

/* report_json_print() - a line for each name. */
void report_json_print(FILE *out, struct json_object *o);

#endif
