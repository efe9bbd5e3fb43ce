// SPDX-License-Identifier: MIT
/*
 * detect_perf.c - sees context switches through the mmap page of a perf event
 *
 * The kernel takes an event that follows a thread off the CPU and puts it back on with
 * it, and raises the sequence count in the event's page both times. The event counts
 * nothing. Each thread needs its own, which is one page until it exits; and permission,
 * which containers and /proc/sys/kernel/perf_event_paranoid may deny.
 */
#include "internal.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#if defined(__linux__) && defined(__LP64__) && __has_include(<linux/perf_event.h>)

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Where the page has its lock and the event's index, which is constant, for one load. */
#define WORD offsetof(struct perf_event_mmap_page, lock)
static_assert(offsetof(struct perf_event_mmap_page, index) ==
		      offsetof(struct perf_event_mmap_page, lock) + sizeof(uint32_t),
	      "two counters that one load reads");

enum { UNTRIED, BUSY, OPEN, REFUSED };

/* Initial-exec, since the first use of any other kind may allocate. */
static __thread struct perf_thread {
	volatile int state;
	char *page;
	const volatile uint64_t *word;
} perf __attribute__((tls_model("initial-exec")));

/* Its destructor ends a thread's event. */
static pthread_key_t at_thread_exit;
static bool has_key;

static void perf_close(void *unused)
{
	(void)unused;
	if (perf.state != OPEN)
		return;
	/* Destructors of others may still open plugs, or have one open. */
	plugclock_detach(&plugclock_thread_state);
	perf.state = UNTRIED;
	munmap(perf.page, (size_t)sysconf(_SC_PAGESIZE));
}

__attribute__((constructor)) static void make_key(void)
{
	has_key = !pthread_key_create(&at_thread_exit, perf_close);
}

static bool perf_open(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page;
	int fd;

	/* A filter may kill the process for the call, and cannot be asked. */
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0)
		return false;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return false;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	/* The mapping keeps the event. Others may close a descriptor, and reuse it. */
	close(fd);
	if (page == MAP_FAILED)
		return false;
	if (pthread_setspecific(at_thread_exit, &perf)) {
		munmap(page, size);
		return false;
	}
	perf.page = page;
	perf.word = (const volatile void *)(perf.page + WORD);
	return true;
}

static const volatile uint64_t *perf_word(void)
{
	int saved_errno = errno;

	if (perf.state == UNTRIED && has_key) {
		/* A handler that comes now goes without. */
		perf.state = BUSY;
		perf.state = perf_open() ? OPEN : REFUSED;
		errno = saved_errno;
	}
	/* Once refused, not asked again: this is on the way of every plug. */
	return perf.state == OPEN ? perf.word : NULL;
}

static uint64_t perf_arm(void)
{
	/* Even while the thread runs: the kernel has left the page's write section. */
	return *perf.word;
}

static void perf_disarm(void)
{
}

/* The child does not get the mapping. What a handler starts meanwhile goes without. */
static void perf_fork(enum plugclock_fork when)
{
	static __thread int state __attribute__((tls_model("initial-exec")));

	if (when == PLUGCLOCK_BEFORE_FORK) {
		state = perf.state;
		perf.state = BUSY;
	} else {
		perf.state = when == PLUGCLOCK_IN_PARENT ? state : UNTRIED;
	}
}

static enum plugclock_detector perf_probe(void)
{
	if (plugclock_probe(&plugclock_detect_perf) != PLUGCLOCK_DETECTOR_EXACT)
		return PLUGCLOCK_DETECTOR_NONE;
	return PLUGCLOCK_DETECTOR_EXACT;
}

#else

static const volatile uint64_t *perf_word(void)
{
	return NULL;
}

static uint64_t perf_arm(void)
{
	return 0;
}

static void perf_disarm(void)
{
}

static void perf_fork(enum plugclock_fork when)
{
	(void)when;
}

static enum plugclock_detector perf_probe(void)
{
	return PLUGCLOCK_DETECTOR_NONE;
}

#endif

const struct plugclock_detector_ops plugclock_detect_perf = {
	.name = "perf",
	.probe = perf_probe,
	.word = perf_word,
	.arm = perf_arm,
	.disarm = perf_disarm,
	.fork = perf_fork,
};
