// SPDX-License-Identifier: MIT
/* What the perf detector takes and gives back, and where it must not be tried. */
#include "plug_test.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static int pages(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, "perf_event") != NULL;
	if (maps)
		fclose(maps);
	return count;
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static void *opens_a_plug(void *page_count)
{
	struct plugclock_plug plug;

	plugclock_start(&plug, 0);
	plugclock_now_ns();
	*(int *)page_count = pages();
	return NULL;
}

static void thread_exit_gives_the_page_back(void **state)
{
	int i, within = 0, before, before_fds = descriptors();

	(void)state;
	skip_unless_exact();
	before = pages();
	for (i = 0; i < 50; i++) {
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, opens_a_plug, &within), 0);
		pthread_join(thread, NULL);
		assert_int_equal(within, before + 1);
	}
	assert_int_equal(pages(), before);
	assert_int_equal(descriptors(), before_fds);
}

static pthread_key_t key;
static int wrong_at_exit;

static void uses_the_clock_at_exit(void *plug)
{
	uint64_t before_ns = clock_ns();

	wrong_at_exit += plugclock_now_ns() < before_ns;
	plugclock_finish(plug);
	plugclock_start(plug, 0);
	wrong_at_exit += plugclock_now_ns() < before_ns;
}

static void *leaves_the_clock_to_a_destructor(void *plug)
{
	plugclock_start(plug, 0);
	plugclock_now_ns();
	pthread_setspecific(key, plug);
	return NULL;
}

static void thread_exit_destructor_uses_the_clock(void **state)
{
	struct plugclock_plug plug;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_key_create(&key, uses_the_clock_at_exit), 0);
	assert_int_equal(
		pthread_create(&thread, NULL, leaves_the_clock_to_a_destructor, &plug),
		0);
	pthread_join(thread, NULL);
	pthread_key_delete(key);
	assert_int_equal(wrong_at_exit, 0);
}

static int forks_again(void)
{
	uint64_t before_ns = clock_ns();

	return plugclock_now_ns() < before_ns ||
	       plugclock_detector() != PLUGCLOCK_DETECTOR_EXACT || pages() != 1;
}

static int child_has_its_own_page(void)
{
	return forks_again() || in_child(forks_again);
}

static void fork_inside_a_plug_twice(void **state)
{
	struct plugclock_plug plug;

	(void)state;
	skip_unless_exact();
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_now_ns();
	assert_int_equal(in_child(child_has_its_own_page), 0);
	plugclock_finish(&plug);
	assert_int_equal(in_child(child_has_its_own_page), 0);
}

static void *asks_without_descriptors(void *result)
{
	struct plugclock_plug plug;
	uint64_t first_ns, between_ns;

	errno = EDOM;
	if (plugclock_start(&plug, 0) || errno != EDOM)
		return NULL;
	first_ns = plugclock_now_ns();
	between_ns = clock_ns();
	if (first_ns <= between_ns && plugclock_now_ns() >= between_ns)
		*(int *)result = (int)plugclock_detector();
	plugclock_finish(&plug);
	return NULL;
}

static int detector_without_descriptors(void)
{
	const struct rlimit limit = {3, 3};
	pthread_t thread;
	int result = 94;

	plugclock_detector();
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return 93;
	if (!pthread_create(&thread, NULL, asks_without_descriptors, &result))
		pthread_join(thread, NULL);
	return result;
}

static void start_in_a_thread_that_gets_no_descriptor(void **state)
{
	(void)state;
	skip_unless_exact();
	assert_int_equal(in_child(detector_without_descriptors), PLUGCLOCK_DETECTOR_NONE);
}

static uint64_t forked_ns;
static int early_reading_is_wrong;

/* Comes in the child before the library has done anything there, as a signal may. */
static void early_in_child(void)
{
	struct plugclock_plug own;

	if (!forked_ns)
		return;
	early_reading_is_wrong = plugclock_now_ns() < forked_ns;
	plugclock_start(&own, 0);
	early_reading_is_wrong |= plugclock_now_ns() < forked_ns;
	plugclock_finish(&own);
}

/* Registered before the library's handlers, and so called before them in the child. */
__attribute__((constructor(101))) static void be_early(void)
{
	pthread_atfork(NULL, NULL, early_in_child);
}

static int early_reading(void)
{
	return early_reading_is_wrong || plugclock_now_ns() < forked_ns;
}

static void fork_reading_before_the_child_is_set_up(void **state)
{
	struct plugclock_plug plug;

	(void)state;
	assert_int_equal(plugclock_start(&plug, 0), 0);
	plugclock_now_ns();
	forked_ns = clock_ns();
	assert_int_equal(in_child(early_reading), 0);
	plugclock_finish(&plug);
	forked_ns = clock_ns();
	assert_int_equal(in_child(early_reading), 0);
}

static uint32_t on_perf_event_open;

static bool set_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, on_perf_event_open),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int detector_behind_a_filter(void)
{
	return set_filter() ? (int)plugclock_detector() : 93;
}

static void *ask_for_detector(void *detector)
{
	*(int *)detector = (int)plugclock_detector();
	return NULL;
}

/* In a thread that comes after it; the process has decided before. */
static int detector_of_a_thread_behind_a_filter(void)
{
	pthread_t thread;
	int detector = 94;

	plugclock_detector();
	if (!set_filter())
		return 93;
	if (!pthread_create(&thread, NULL, ask_for_detector, &detector))
		pthread_join(thread, NULL);
	return detector;
}

static void detector_behind_a_seccomp_filter(void **state)
{
	int detector;

	(void)state;
	on_perf_event_open = SECCOMP_RET_ERRNO | EPERM;
	detector = in_child(detector_behind_a_filter);
	if (detector == 93)
		skip_because("no seccomp filters here");
	assert_int_equal(detector, PLUGCLOCK_DETECTOR_NONE);
	on_perf_event_open = SECCOMP_RET_KILL_PROCESS;
	assert_int_equal(in_child(detector_behind_a_filter), PLUGCLOCK_DETECTOR_NONE);
	detector = in_child(detector_of_a_thread_behind_a_filter);
	assert_int_equal(detector, PLUGCLOCK_DETECTOR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First, before this process has decided. */
		cmocka_unit_test(detector_behind_a_seccomp_filter),
		cmocka_unit_test(thread_exit_gives_the_page_back),
		cmocka_unit_test(thread_exit_destructor_uses_the_clock),
		cmocka_unit_test(fork_inside_a_plug_twice),
		cmocka_unit_test(start_in_a_thread_that_gets_no_descriptor),
		cmocka_unit_test(fork_reading_before_the_child_is_set_up),
	};

	setenv("PLUGCLOCK_DETECTOR", "perf", 1);
	return cmocka_run_group_tests_name("detect_perf", tests, NULL, NULL);
}
