// SPDX-License-Identifier: MIT
/* detect.c - which detector this process uses */
#include "internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* In order of preference. */
static const struct plugclock_detector_ops *const detectors[] = {
	&plugclock_detect_rseq,
	&plugclock_detect_perf,
};

/* Stands for a decision in favour of none. */
static const struct plugclock_detector_ops no_detector = {.name = "none"};

static _Atomic(const struct plugclock_detector_ops *) chosen;

static const struct plugclock_detector_ops *decide(void)
{
	const char *wanted = getenv("PLUGCLOCK_DETECTOR");
	size_t i;

	if (!wanted)
		wanted = "auto";
	for (i = 0;
	     plugclock_fork_is_seen && i < sizeof(detectors) / sizeof(detectors[0]);
	     i++) {
		if (strcmp(wanted, "auto") && strcmp(wanted, detectors[i]->name))
			continue;
		if (detectors[i]->probe() == PLUGCLOCK_DETECTOR_EXACT)
			return detectors[i];
	}
	return &no_detector;
}

const struct plugclock_detector_ops *plugclock_detector_choose(void)
{
	const struct plugclock_detector_ops *ops;
	const struct plugclock_detector_ops *undecided = NULL;

	ops = atomic_load_explicit(&chosen, memory_order_acquire);
	if (!ops) {
		/*
		 * No lock and no pthread_once(), for the sake of signal handlers: threads
		 * that come at the same time all probe, and the first result counts.
		 */
		ops = decide();
		if (!atomic_compare_exchange_strong(&chosen, &undecided, ops))
			ops = undecided;
	}
	return ops == &no_detector ? NULL : ops;
}

enum plugclock_detector plugclock_detector(void)
{
	const struct plugclock_detector_ops *ops = plugclock_detector_choose();

	return ops && ops->word() ? PLUGCLOCK_DETECTOR_EXACT : PLUGCLOCK_DETECTOR_NONE;
}
