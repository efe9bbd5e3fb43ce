// SPDX-License-Identifier: MIT
/*
 * Which detector is chosen. A process decides once, so every case runs in a child.
 * Kernels that this machine does not have are put on by the calls that the probe makes.
 */
#include "plug_test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#ifdef __aarch64__
#define RSEQ_SIGNATURE 0xd428bc00
#else
#define RSEQ_SIGNATURE 0x53053053
#endif

extern const ptrdiff_t __rseq_offset __attribute__((weak));

/* How the kernel behaves while the probe sleeps. */
static enum {
	AS_IT_IS,
	SURVIVES,      /* a blocking call does not clear the word: 6.19 and later */
	SURVIVES_ONCE, /* in one of five */
	NEVER_BLOCKS,  /* the call comes back at once, and the word is cleared */
	PREEMPTED      /* something else may have cleared the word */
} kernel;

/* Several threads may probe at once. */
static atomic_int sleeps, usages;
static atomic_bool was_interruptible;

static volatile uint64_t *rseq_word(void)
{
	return (volatile uint64_t *)((char *)__builtin_thread_pointer() + __rseq_offset +
				     8);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *want,
		    struct timespec *left)
{
	uint64_t saved = *rseq_word();
	int type;
	sigset_t mask;

	sleeps++;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &type);
	was_interruptible |=
		!sigismember(&mask, SIGALRM) || type != PTHREAD_CANCEL_DISABLE;
	errno = EINTR;
	if (kernel == NEVER_BLOCKS) {
		*rseq_word() = 0;
		return 0;
	}
	syscall(SYS_clock_nanosleep, clock, flags, want, left);
	if (kernel == SURVIVES || (kernel == SURVIVES_ONCE && sleeps % 5 == 3))
		*rseq_word() = saved;
	return 0;
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
	int ret = (int)syscall(SYS_getrusage, who, usage);

	usages++;
	if (kernel == PREEMPTED)
		usage->ru_nivcsw += usages;
	return ret;
}

/* The detector, and whether readings in a plug without a promise are cached or fresh. */
static int detector_and_use(void)
{
	enum plugclock_detector detector = plugclock_detector();
	struct plugclock_plug plug;
	int i, changes = 0;

	if (plugclock_start(&plug, 0))
		return 90;
	for (i = 0; i < 100; i++) {
		uint64_t between_ns;

		plugclock_now_ns();
		between_ns = clock_ns();
		changes += plugclock_now_ns() >= between_ns;
	}
	plugclock_finish(&plug);
	if (detector != PLUGCLOCK_DETECTOR_EXACT && changes != 100)
		return 91;
	if (detector == PLUGCLOCK_DETECTOR_EXACT && changes > 50)
		return 92;
	return (int)detector;
}

static int with_environment(const char *value)
{
	if (value)
		setenv("PLUGCLOCK_DETECTOR", value, 1);
	else
		unsetenv("PLUGCLOCK_DETECTOR");
	return in_child(detector_and_use);
}

static void skip_unless_rseq_is_exact(void)
{
	int detector;

	kernel = AS_IT_IS;
	detector = with_environment("rseq");
	assert_in_range(detector, PLUGCLOCK_DETECTOR_NONE, PLUGCLOCK_DETECTOR_EXACT);
	if (detector != PLUGCLOCK_DETECTOR_EXACT)
		skip_because("rseq does not see every context switch here");
}

static void detector_by_default(void **state)
{
	(void)state;
	skip_unless_rseq_is_exact();
	assert_int_equal(with_environment(NULL), PLUGCLOCK_DETECTOR_EXACT);
}

static void detector_auto_in_the_environment(void **state)
{
	(void)state;
	skip_unless_rseq_is_exact();
	assert_int_equal(with_environment("auto"), PLUGCLOCK_DETECTOR_EXACT);
}

static void detector_none_in_the_environment(void **state)
{
	(void)state;
	assert_int_equal(with_environment("none"), PLUGCLOCK_DETECTOR_NONE);
}

static void detector_unknown_in_the_environment(void **state)
{
	(void)state;
	assert_int_equal(with_environment("rseq2"), PLUGCLOCK_DETECTOR_NONE);
	assert_int_equal(with_environment(""), PLUGCLOCK_DETECTOR_NONE);
}

static void expect_if(int behaviour, int detector)
{
	int perf;

	skip_unless_rseq_is_exact();
	kernel = behaviour;
	assert_int_equal(with_environment("rseq"), detector);
	/* The next best takes its place, if there is one. */
	perf = with_environment("perf");
	assert_int_equal(with_environment("auto"), perf ? perf : detector);
	kernel = AS_IT_IS;
}

static void detector_word_survives_a_blocking_call(void **state)
{
	(void)state;
	expect_if(SURVIVES, PLUGCLOCK_DETECTOR_USER);
}

static void detector_word_survives_one_blocking_call_of_several(void **state)
{
	(void)state;
	expect_if(SURVIVES_ONCE, PLUGCLOCK_DETECTOR_NONE);
}

static void detector_probe_that_never_blocks(void **state)
{
	(void)state;
	expect_if(NEVER_BLOCKS, PLUGCLOCK_DETECTOR_NONE);
}

static void detector_probe_that_is_preempted(void **state)
{
	(void)state;
	expect_if(PREEMPTED, PLUGCLOCK_DETECTOR_NONE);
}

static int probe_leaves_the_thread_as_it_was(void)
{
	struct plugclock_plug plug;
	sigset_t before = {0}, after = {0};
	int type;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	errno = EDOM;
	if (plugclock_start(&plug, 0) || errno != EDOM || sleeps == 0 ||
	    was_interruptible)
		return 1;
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &type);
	return memcmp(&before, &after, sizeof(before)) || type != PTHREAD_CANCEL_ENABLE;
}

static void detector_probe_leaves_errno_signals_and_cancellation(void **state)
{
	(void)state;
	skip_unless_rseq_is_exact();
	setenv("PLUGCLOCK_DETECTOR", "rseq", 1);
	assert_int_equal(in_child(probe_leaves_the_thread_as_it_was), 0);
}

static int leaves_the_word_alone(void)
{
	plugclock_detector();
	return *rseq_word() != 0;
}

static void detector_word_that_survives_is_taken_back(void **state)
{
	(void)state;
	skip_unless_rseq_is_exact();
	kernel = SURVIVES;
	assert_int_equal(in_child(leaves_the_word_alone), 0);
	kernel = AS_IT_IS;
}

/* Another user of the word, such as an allocator, has put its own section there. */
static int finishes_while_the_word_is_taken(void)
{
	static const struct {
		uint32_t version, flags;
		uint64_t start_ip, post_commit_offset, abort_ip;
		uint32_t signature, abort_here;
	} section __attribute__((aligned(32))) = {
		.abort_ip = (uintptr_t)&section.abort_here,
		.signature = RSEQ_SIGNATURE,
	};
	struct plugclock_plug plug;
	uint64_t first_ns, second_ns;
	bool kept;

	plugclock_start(&plug, 0);
	first_ns = plugclock_now_ns();
	*rseq_word() = (uintptr_t)&section;
	second_ns = plugclock_now_ns();
	*rseq_word() = (uintptr_t)&section;
	plugclock_finish(&plug);
	kept = *rseq_word() == (uintptr_t)&section;
	*rseq_word() = 0;
	return !kept || second_ns == first_ns;
}

static void finish_leaves_the_section_of_another_user(void **state)
{
	int i, result = 1;

	(void)state;
	skip_unless_rseq_is_exact();
	/* A switch in the wrong place takes the section away. */
	for (i = 0; i < 5 && result; i++)
		result = in_child(finishes_while_the_word_is_taken);
	assert_int_equal(result, 0);
}

static void *unregisters(void *detector)
{
	char *area = (char *)__builtin_thread_pointer() + __rseq_offset;
	struct plugclock_plug plug;

	*(int *)detector = 94;
	/* The C library's size is not told: 32 in most, which have no fields beyond 20. */
	if (syscall(SYS_rseq, area, 32, 1, RSEQ_SIGNATURE))
		return NULL;
	*(int *)detector = (int)plugclock_detector();
	if (plugclock_start(&plug, 0) || plugclock_now_ns() == plugclock_now_ns())
		*(int *)detector = 91;
	plugclock_finish(&plug);
	return NULL;
}

static int detector_of_unregistered_thread(void)
{
	pthread_t thread;
	int detector = 95;

	setenv("PLUGCLOCK_DETECTOR", "rseq", 1);
	if (plugclock_detector() != PLUGCLOCK_DETECTOR_EXACT ||
	    pthread_create(&thread, NULL, unregisters, &detector))
		return 90;
	pthread_join(thread, NULL);
	return detector;
}

static void detector_in_a_thread_that_is_not_registered(void **state)
{
	int detector;

	(void)state;
	skip_unless_rseq_is_exact();
	detector = in_child(detector_of_unregistered_thread);
	if (detector == 94)
		skip_because("the C library registers another size");
	assert_int_equal(detector, PLUGCLOCK_DETECTOR_NONE);
}

static int probes_once(void)
{
	struct plugclock_plug plug;
	int first;

	plugclock_detector();
	first = sleeps;
	plugclock_start(&plug, 0);
	plugclock_finish(&plug);
	return first == 0 || sleeps != first || *rseq_word() != 0;
}

static void detector_probes_once_and_cleans_up(void **state)
{
	(void)state;
	skip_unless_rseq_is_exact();
	assert_int_equal(in_child(probes_once), 0);
}

static void *detector_of_a_thread(void *detector)
{
	*(enum plugclock_detector *)detector = plugclock_detector();
	return NULL;
}

static int threads_agree(void)
{
	enum plugclock_detector detectors[8];
	pthread_t threads[8];
	int i, differ = 0;

	for (i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, detector_of_a_thread,
				   &detectors[i]))
			return 90;
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		differ += detectors[i] != detectors[0];
	}
	return differ;
}

static void detector_first_asked_by_many_threads_at_once(void **state)
{
	(void)state;
	unsetenv("PLUGCLOCK_DETECTOR");
	assert_int_equal(in_child(threads_agree), 0);
}

static int without_rseq(void)
{
	setenv("PLUGCLOCK_DETECTOR", "rseq", 1);
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	execl(program_invocation_name, "test_detect", "report", NULL);
	return 93;
}

static void detector_rseq_switched_off(void **state)
{
	(void)state;
	assert_int_equal(in_child(without_rseq), PLUGCLOCK_DETECTOR_NONE);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detector_by_default),
		cmocka_unit_test(detector_auto_in_the_environment),
		cmocka_unit_test(detector_none_in_the_environment),
		cmocka_unit_test(detector_unknown_in_the_environment),
		cmocka_unit_test(detector_word_survives_a_blocking_call),
		cmocka_unit_test(detector_word_survives_one_blocking_call_of_several),
		cmocka_unit_test(detector_probe_that_never_blocks),
		cmocka_unit_test(detector_probe_that_is_preempted),
		cmocka_unit_test(detector_probe_leaves_errno_signals_and_cancellation),
		cmocka_unit_test(detector_word_that_survives_is_taken_back),
		cmocka_unit_test(finish_leaves_the_section_of_another_user),
		cmocka_unit_test(detector_in_a_thread_that_is_not_registered),
		cmocka_unit_test(detector_probes_once_and_cleans_up),
		cmocka_unit_test(detector_first_asked_by_many_threads_at_once),
		cmocka_unit_test(detector_rseq_switched_off),
	};

	/* The process that without_rseq() becomes. */
	if (argc == 2 && !strcmp(argv[1], "report"))
		return detector_and_use();
	return cmocka_run_group_tests_name("detect", tests, NULL, NULL);
}
