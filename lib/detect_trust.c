// SPDX-License-Identifier: MIT
/* detect_trust.c - sees nothing: the caller has promised to flush, PLUGCLOCK_TRUST_CALLER
 */
#include "internal.h"

static const volatile uint64_t always = 2;

static const volatile uint64_t *trust_word(void)
{
	return &always;
}

static uint64_t trust_arm(void)
{
	return 2;
}

static void trust_disarm(void)
{
}

const struct plugclock_detector_ops plugclock_detect_trust = {
	.name = "trust",
	.word = trust_word,
	.arm = trust_arm,
	.disarm = trust_disarm,
};
