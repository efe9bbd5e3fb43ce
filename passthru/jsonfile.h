/* SPDX-License-Identifier: MIT */
/*
 * A file that holds one JSON value
 */
#ifndef NGBENCH_JSONFILE_H
#define NGBENCH_JSONFILE_H

#include "fail.h"

struct json_object;

/*
 * jsonfile_read() - the value in @path, whole
 *
 * @f:      without an error in it yet.
 * Errors:  STATUS_USAGE: it cannot be opened or read. STATUS_FAILED: not JSON,
 *          not whole, more than one value, above 64 MiB.
 * Returns: the value, the caller's to put: NULL is JSON's null, or an error,
 *          for which @f is set.
 */
struct json_object *jsonfile_read(const char *path, struct fail *f);

#endif
