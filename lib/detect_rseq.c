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

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__x86_64__) && defined(__LP64__)
#define SIGNATURE 0x53053053
#elif defined(__aarch64__) && defined(__AARCH64EB__)
#define SIGNATURE 0x00bc28d4
#elif defined(__aarch64__)
#define SIGNATURE 0xd428bc00
#endif

#ifdef SIGNATURE

/* Probing: this many blocking calls must all have cleared the word, in so many tries. */
#define ROUNDS 5
#define TRIES  50

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

enum outcome { CLEARED, SURVIVED, UNCLEAR };

/* Arms, blocks for a moment, and looks. */
static enum outcome block_once(void)
{
	struct timespec moment = {.tv_nsec = 20000};
	struct rusage before = {0}, after = {0};
	uint64_t seen, ours;

	getrusage(RUSAGE_THREAD, &before);
	ours = rseq_arm();
	clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
	seen = rseq_area()->rseq_cs;
	getrusage(RUSAGE_THREAD, &after);
	/*
	 * A sleep may be over before it blocks, and a preemption in user mode clears the
	 * word on every kernel.
	 */
	if (after.ru_nvcsw == before.ru_nvcsw || after.ru_nivcsw != before.ru_nivcsw)
		return UNCLEAR;
	return seen == ours ? SURVIVED : CLEARED;
}

static enum plugclock_detector rseq_probe(void)
{
	int saved_errno = errno, cancel_state, cleared = 0, tries;
	enum outcome outcome = CLEARED;
	sigset_t all, before;

	if (!rseq_word())
		return PLUGCLOCK_DETECTOR_NONE;
	/* A signal, too, may clear the word. And this must not be a cancellation point.
	 */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	for (tries = 0; tries < TRIES && cleared < ROUNDS && outcome != SURVIVED;
	     tries++) {
		outcome = block_once();
		cleared += outcome == CLEARED;
	}
	rseq_disarm();
	pthread_setcancelstate(cancel_state, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved_errno;
	return cleared == ROUNDS ? PLUGCLOCK_DETECTOR_EXACT : PLUGCLOCK_DETECTOR_NONE;
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
