// SPDX-License-Identifier: MIT
/*
 * detect_rseq.c - sees context switches through restartable sequences
 *
 * The thread publishes the descriptor of a critical section that it never enters. Up to
 * Linux 6.18 the kernel takes it away at every return to user mode after a context
 * switch, and after a signal. From 6.19 on it does so only where the switch hit user
 * mode, so that a probe has to tell whether a descriptor survives a blocking call.
 *
 * The C library registers each thread; without that (musl, glibc before 2.35,
 * GLIBC_TUNABLES=glibc.pthread.rseq=0, other architectures) this detector says no.
 */
#include "internal.h"

#include <stddef.h>

#if defined(__x86_64__) && defined(__LP64__)
#define SIGNATURE 0x53053053
#elif defined(__aarch64__) && defined(__AARCH64EB__)
#define SIGNATURE 0x00bc28d4
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00
#endif

#ifdef SIGNATURE

/* As in linux/rseq.h, which not every C library comes with. */
struct rseq_area {
	uint32_t cpu_id_start;
	volatile int32_t cpu_id;
	volatile uint64_t rseq_cs;
};

struct rseq_section {
	uint32_t version;
	uint32_t flags;
	uint64_t start_ip;
	uint64_t post_commit_offset;
	uint64_t abort_ip;
};

/* Of the C library. Weak: one without them still links, and finds them missing. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/*
 * The section is empty, so no instruction is ever inside and nothing is ever aborted. But
 * the kernel checks, on pain of SIGSEGV, that the signature stands before abort_ip.
 */
static const struct {
	struct rseq_section section;
	uint32_t signature;
	uint32_t abort_here;
} descriptor __attribute__((aligned(32))) = {
	.section = {.start_ip = (uintptr_t)&descriptor.abort_here,
		    .abort_ip = (uintptr_t)&descriptor.abort_here},
	.signature = SIGNATURE,
};

static struct rseq_area *rseq_area(void)
{
	return (struct rseq_area *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

static const volatile uint64_t *rseq_word(void)
{
	/* Addresses of weak symbols: NULL if nobody defines them. */
	if (!&__rseq_offset || !&__rseq_size ||
	    __rseq_size < offsetof(struct rseq_area, rseq_cs) + sizeof(uint64_t))
		return NULL;
	/* Negative in a thread that is not registered. */
	if (rseq_area()->cpu_id < 0)
		return NULL;
	return &rseq_area()->rseq_cs;
}

static uint64_t rseq_arm(void)
{
	uint64_t ours = (uintptr_t)&descriptor;

	rseq_area()->rseq_cs = ours;
	return ours;
}

static void rseq_disarm(void)
{
	/* Another user's section is none of our business. */
	if (rseq_area()->rseq_cs == (uintptr_t)&descriptor)
		rseq_area()->rseq_cs = 0;
}

static enum plugclock_detector rseq_probe(void)
{
	/* USER is what the kernel promises wherever there is rseq at all. */
	return plugclock_probe(&plugclock_detect_rseq);
}

#else /* no rseq on this architecture */

static enum plugclock_detector rseq_probe(void)
{
	return PLUGCLOCK_DETECTOR_NONE;
}

static const volatile uint64_t *rseq_word(void)
{
	return NULL;
}

static uint64_t rseq_arm(void)
{
	return 0;
}

static void rseq_disarm(void)
{
}

#endif

const struct plugclock_detector_ops plugclock_detect_rseq = {
	.name = "rseq",
	.probe = rseq_probe,
	.word = rseq_word,
	.arm = rseq_arm,
	.disarm = rseq_disarm,
};
