/* SPDX-License-Identifier: MIT */
/*
 * plug_fake.h - a clock and a detector that do as they are told
 *
 * Linked into a test program they take the place of clock_gettime() and of the rseq
 * detector in the static library. The clock moves by one at each reading. A context
 * switch happens when the test says so, and neither signals nor a fork are one.
 */
#ifndef PLUG_FAKE_H
#define PLUG_FAKE_H

#include "internal.h"
#include "plug_test.h"

#include <sys/syscall.h>

#define FAKE_ARMED 64

static volatile uint64_t fake_ns = 1000;
static volatile uint64_t fake_word;
static enum plugclock_detector fake_reach = PLUGCLOCK_DETECTOR_EXACT;
static bool fake_thread_is_served = true;

/* Called, if set, when the clock is about to be read. */
static void (*volatile before_reading)(void);

/* Called, if set, when the clock has been read but the reader does not know yet. */
static void (*volatile after_reading)(void);

/* Called, if set, when the detector is told to stop watching. */
static void (*volatile on_disarm)(void);

static inline void fake_switch(void)
{
	fake_word = 0;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	uint64_t now_ns;

	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ts);
	if (before_reading)
		before_reading();
	now_ns = __atomic_add_fetch(&fake_ns, 1, __ATOMIC_RELAXED);
	if (after_reading)
		after_reading();
	ts->tv_sec = (time_t)(now_ns / 1000000000);
	ts->tv_nsec = (long)(now_ns % 1000000000);
	return 0;
}

static enum plugclock_detector fake_probe(void)
{
	return fake_reach;
}

static const volatile uint64_t *fake_thread_word(void)
{
	return fake_thread_is_served ? &fake_word : NULL;
}

static uint64_t fake_arm(void)
{
	fake_word = FAKE_ARMED;
	return FAKE_ARMED;
}

static void fake_disarm(void)
{
	fake_word = 0;
	if (on_disarm)
		on_disarm();
}

const struct plugclock_detector_ops plugclock_detect_rseq = {
	.name = "rseq",
	.probe = fake_probe,
	.word = fake_thread_word,
	.arm = fake_arm,
	.disarm = fake_disarm,
};

#endif
