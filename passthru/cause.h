/* SPDX-License-Identifier: MIT */
#ifndef NGBENCH_CAUSE_H
#define NGBENCH_CAUSE_H

#include "engine.h"

/*
 * cause_of() - what may be behind a bad completion on @d, where we know it
 *
 * Returns: "; and so on" to put behind the error's own text, or "".
 */
const char *cause_of(int result, const struct engine *engine, const struct device *d);

#endif
