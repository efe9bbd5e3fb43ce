// SPDX-License-Identifier: MIT
/* detect.c - which detector this process uses */
#include "internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* In order of preference: exact ones first, then those that need a promise. */
static const struct plugclock_choice choices[] = {
	{&plugclock_detect_rseq, PLUGCLOCK_DETECTOR_EXACT},
	{&plugclock_detect_perf, PLUGCLOCK_DETECTOR_EXACT},
	{&plugclock_detect_rseq, PLUGCLOCK_DETECTOR_USER},
};

static const struct plugclock_choice none = {NULL, PLUGCLOCK_DETECTOR_NONE};

static _Atomic(const struct plugclock_choice *) chosen;

static const struct plugclock_choice *decide(void)
{
	const char *wanted = getenv("PLUGCLOCK_DETECTOR");
	size_t i;

	if (!wanted)
		wanted = "auto";
	for (i = 0; plugclock_fork_is_seen && i < sizeof(choices) / sizeof(choices[0]);
	     i++) {
		if (strcmp(wanted, "auto") && strcmp(wanted, choices[i].ops->name))
			continue;
		if (choices[i].ops->probe() == choices[i].reach)
			return &choices[i];
	}
	return &none;
}

const struct plugclock_choice *plugclock_choose(void)
{
	const struct plugclock_choice *choice, *undecided = NULL;

	choice = atomic_load_explicit(&chosen, memory_order_acquire);
	if (choice)
		return choice;
	/*
	 * No lock and no pthread_once(), for the sake of signal handlers: threads that
	 * come at the same time all probe, and the first result counts.
	 */
	choice = decide();
	if (!atomic_compare_exchange_strong(&chosen, &undecided, choice))
		choice = undecided;
	return choice;
}

enum plugclock_detector plugclock_detector(void)
{
	const struct plugclock_choice *choice = plugclock_choose();

	if (!choice->ops || !choice->ops->word())
		return PLUGCLOCK_DETECTOR_NONE;
	return choice->reach;
}
