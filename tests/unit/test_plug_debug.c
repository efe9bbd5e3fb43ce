// SPDX-License-Identifier: MIT
/* A debug build asserts what a release build lets pass. */
#define PLUGCLOCK_DEBUG
#include "../../lib/plug.c"

#include "plug_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static struct plugclock_plug outer, inner;

/* Whether use() ends by an assertion, in a child that is quiet about it. */
static bool asserts(void (*use)(void))
{
	const struct rlimit no_core = {0, 0};
	int status = 0, null;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(null, STDERR_FILENO);
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		use();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void pairs(void)
{
	for (int i = 0; i < 2; i++) {
		plugclock_start(&outer, 0);
		plugclock_start(&inner, 0);
		plugclock_start(&inner, 0);
		plugclock_now_ns();
		plugclock_finish(&inner);
		plugclock_finish(&inner);
		plugclock_finish(&outer);
	}
	plugclock_start(NULL, 0); /* refused, so it needs no finish */
}

static void finish_without_start(void)
{
	plugclock_finish(&outer);
}

static void finish_of_nothing(void)
{
	plugclock_start(&outer, 0);
	plugclock_start(&inner, 0);
	plugclock_finish(NULL);
}

static void finish_twice(void)
{
	plugclock_start(&outer, 0);
	plugclock_finish(&outer);
	plugclock_finish(&outer);
}

static void finish_of_another(void)
{
	plugclock_start(&outer, 0);
	plugclock_finish(&inner);
}

static void finish_of_the_outer_first(void)
{
	plugclock_start(&outer, 0);
	plugclock_start(&inner, 0);
	plugclock_finish(&outer);
}

static void start_twice(void)
{
	plugclock_start(&outer, 0);
	plugclock_start(&outer, 0);
}

static void debug_build_lets_pairs_pass(void **state)
{
	(void)state;
	assert_false(asserts(pairs));
}

static void debug_build_asserts_misuse(void **state)
{
	void (*const misuses[])(void) = {
		finish_without_start, finish_of_nothing,         finish_twice,
		finish_of_another,    finish_of_the_outer_first, start_twice,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(misuses) / sizeof(misuses[0]); i++)
		if (!asserts(misuses[i]))
			fail_msg("misuse %zu passed", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(debug_build_lets_pairs_pass),
		cmocka_unit_test(debug_build_asserts_misuse),
	};

	return cmocka_run_group_tests_name("plug_debug", tests, NULL, NULL);
}
