// SPDX-License-Identifier: MIT
/* Promises of the caller, with a detector that needs them and without any. */
#include "plug_fake.h"

#define FLUSHES PLUGCLOCK_FLUSHES_SYSCALLS
#define TRUST   PLUGCLOCK_TRUST_CALLER

static bool caches(void)
{
	uint64_t now_ns = plugclock_now_ns();

	return now_ns == plugclock_now_ns();
}

static bool caches_in_plug(unsigned int flags)
{
	struct plugclock_plug plug;
	bool cached;

	if (plugclock_start(&plug, flags))
		return false;
	cached = caches();
	plugclock_finish(&plug);
	return cached && !caches();
}

static int user_mode_only(void)
{
	struct plugclock_plug plug;
	uint64_t now_ns;

	if (plugclock_detector() != PLUGCLOCK_DETECTOR_USER)
		return 1;
	if (caches_in_plug(0) || !caches_in_plug(FLUSHES) || !caches_in_plug(TRUST))
		return 2;
	/* A preemption is seen with either promise, and a flush is a flush. */
	plugclock_start(&plug, TRUST);
	now_ns = plugclock_now_ns();
	fake_switch();
	if (plugclock_now_ns() != now_ns + 1)
		return 3;
	plugclock_flush();
	return plugclock_now_ns() == now_ns + 2 ? 0 : 4;
}

static int no_detector(void)
{
	struct plugclock_plug plug;
	uint64_t now_ns;

	if (plugclock_detector() != PLUGCLOCK_DETECTOR_NONE)
		return 1;
	if (caches_in_plug(0) || caches_in_plug(FLUSHES) || !caches_in_plug(TRUST))
		return 2;
	plugclock_start(&plug, TRUST | FLUSHES);
	now_ns = plugclock_now_ns();
	plugclock_flush();
	return plugclock_now_ns() == now_ns + 1 && plugclock_now_ns() == now_ns + 1 ? 0
										    : 3;
}

static int exact(void)
{
	struct plugclock_plug outer, inner;

	if (!caches_in_plug(0) || !caches_in_plug(FLUSHES) || !caches_in_plug(TRUST))
		return 1;
	/* The promise of the outer plug was not needed. */
	plugclock_start(&outer, FLUSHES);
	plugclock_start(&inner, 0);
	return caches() ? 0 : 2;
}

/* Whether caching goes on in a plug, in one inside it, and after that. */
static bool nested(unsigned int outer_flags, unsigned int inner_flags, bool goes_on)
{
	struct plugclock_plug outer, inner;
	bool as_told;

	plugclock_start(&outer, outer_flags);
	as_told = caches();
	plugclock_start(&inner, inner_flags);
	as_told &= caches() == goes_on;
	plugclock_finish(&inner);
	as_told &= caches() == goes_on;
	plugclock_finish(&outer);
	return as_told && !caches();
}

static int user_mode_only_nested(void)
{
	return !nested(FLUSHES, FLUSHES, true) || !nested(FLUSHES, TRUST, true) ||
	       !nested(TRUST, FLUSHES, true) || !nested(FLUSHES, 0, false) ||
	       !nested(TRUST, 0, false);
}

static int no_detector_nested(void)
{
	return !nested(TRUST, TRUST, true) || !nested(TRUST, FLUSHES, false) ||
	       !nested(TRUST, 0, false);
}

/* The plug goes on in both processes, each with a reading of its own. */
static int trusted_fork(void)
{
	struct plugclock_plug plug;
	uint64_t now_ns;
	pid_t child;
	int status;

	plugclock_start(&plug, TRUST);
	now_ns = plugclock_now_ns();
	child = fork();
	if (plugclock_now_ns() == now_ns || !caches())
		status = 1;
	else
		status = 0;
	if (child == 0)
		_exit(status);
	now_ns = (uint64_t)status;
	return waitpid(child, &status, 0) != child || status != 0 || now_ns;
}

static int check_with(enum plugclock_detector reach, int (*check)(void))
{
	fake_reach = reach;
	return in_child(check);
}

static void start_where_user_mode_is_seen(void **state)
{
	(void)state;
	assert_int_equal(check_with(PLUGCLOCK_DETECTOR_USER, user_mode_only), 0);
}

static void start_where_nothing_is_seen(void **state)
{
	(void)state;
	assert_int_equal(check_with(PLUGCLOCK_DETECTOR_NONE, no_detector), 0);
}

static void start_where_everything_is_seen(void **state)
{
	(void)state;
	assert_int_equal(check_with(PLUGCLOCK_DETECTOR_EXACT, exact), 0);
}

static void start_inside_a_plug_with_other_promises(void **state)
{
	(void)state;
	assert_int_equal(check_with(PLUGCLOCK_DETECTOR_USER, user_mode_only_nested), 0);
	assert_int_equal(check_with(PLUGCLOCK_DETECTOR_NONE, no_detector_nested), 0);
}

static void fork_inside_a_trusted_plug(void **state)
{
	(void)state;
	assert_int_equal(check_with(PLUGCLOCK_DETECTOR_NONE, trusted_fork), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start_where_user_mode_is_seen),
		cmocka_unit_test(start_where_nothing_is_seen),
		cmocka_unit_test(start_where_everything_is_seen),
		cmocka_unit_test(start_inside_a_plug_with_other_promises),
		cmocka_unit_test(fork_inside_a_trusted_plug),
	};

	setenv("PLUGCLOCK_DETECTOR", "rseq", 1); /* the fake one */
	return cmocka_run_group_tests_name("plug_flags", tests, NULL, NULL);
}
