/* SPDX-License-Identifier: MIT */
/*
 * A latency histogram as JSON, and back
 */
#ifndef NGBENCH_HISTOGRAM_JSON_H
#define NGBENCH_HISTOGRAM_JSON_H

#include "histogram.h"

struct json_object;

/*
 * histogram_json() - "latency" of result.schema.json: figures, percentiles, all steps
 *
 * The caller's to put.
 */
struct json_object *histogram_json(const struct histogram *h);

/* histogram_json_on_a_line() - have the steps of a "latency" that was read printed so. */
void histogram_json_on_a_line(struct json_object *o);

/*
 * histogram_from_json() - fill the zeroed @h from the steps in @o
 *
 * All but the sum is as it was written; that is the mean's, as exact as a double.
 * Errors:  a name missing or with a value that it cannot have, steps that do not rise,
 *          are none of histogram.h's, or do not add up to the count.
 * Returns: NULL, or what is wrong, as a sentence without its subject.
 */
const char *histogram_from_json(struct json_object *o, struct histogram *h);

#endif
