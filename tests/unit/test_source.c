// SPDX-License-Identifier: MIT
/*
 * The clock that readings come from. A process has one, so cases that choose it run in a
 * child; the readings here use the default.
 */
#include "internal.h"
#include "plug_test.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* A clock that this kernel does not have; and the last that was read. */
static clockid_t missing_clock = -1, last_clock = -1;

/* Called once, if set, when a clock is read: a signal handler, or another thread. */
static void (*meanwhile)(void);

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	void (*call)(void) = meanwhile;

	meanwhile = NULL;
	if (call)
		call();
	last_clock = clock;
	if (clock == missing_clock) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_clock_gettime, clock, ts);
}

static void source_read_ns_between_two_readings_of_the_clock(void **state)
{
	uint64_t before_ns = clock_ns();
	uint64_t now_ns = plugclock_source_read_ns();
	uint64_t after_ns = clock_ns();

	(void)state;
	assert_in_range(now_ns, before_ns, after_ns);
}

static void source_read_ns_leaves_errno_alone(void **state)
{
	(void)state;
	errno = EDOM;
	plugclock_source_read_ns();
	assert_int_equal(errno, EDOM);
}

static void use_source_after_a_reading(void **state)
{
	(void)state;
	plugclock_now_ns();
	assert_int_equal(plugclock_use_source(PLUGCLOCK_SOURCE_BOOTTIME), -EBUSY);
	assert_int_equal(plugclock_use_source(PLUGCLOCK_SOURCE_TSC), -EBUSY);
	assert_int_equal(plugclock_use_source(PLUGCLOCK_SOURCE_MONOTONIC), 0);
	plugclock_now_ns();
	assert_int_equal(last_clock, CLOCK_MONOTONIC);
}

static void use_source_that_does_not_exist(void **state)
{
	(void)state;
	assert_int_equal(plugclock_use_source((enum plugclock_source)4), -EINVAL);
	assert_int_equal(plugclock_use_source((enum plugclock_source) - 1), -EINVAL);
}

static enum plugclock_source wanted;
static clockid_t wanted_clock;

static int uses(void)
{
	struct plugclock_plug plug;

	errno = EDOM;
	if (plugclock_use_source(wanted) || plugclock_use_source(wanted))
		return 1;
	if (plugclock_use_source(wanted == PLUGCLOCK_SOURCE_BOOTTIME
					 ? PLUGCLOCK_SOURCE_MONOTONIC
					 : PLUGCLOCK_SOURCE_BOOTTIME) != -EBUSY)
		return 2;
	last_clock = -1;
	plugclock_now_ns();
	if (last_clock != wanted_clock)
		return 3;
	last_clock = -1;
	plugclock_start(&plug, PLUGCLOCK_TRUST_CALLER);
	plugclock_flush();
	plugclock_now_ns();
	return last_clock != wanted_clock ? 4 : errno != EDOM ? 5 : 0;
}

static void use_source_before_the_first_reading(void **state)
{
	static const struct {
		enum plugclock_source source;
		clockid_t clock;
	} all[] = {
		{PLUGCLOCK_SOURCE_MONOTONIC, CLOCK_MONOTONIC},
		{PLUGCLOCK_SOURCE_MONOTONIC_RAW, CLOCK_MONOTONIC_RAW},
		{PLUGCLOCK_SOURCE_BOOTTIME, CLOCK_BOOTTIME},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		wanted = all[i].source;
		wanted_clock = all[i].clock;
		assert_int_equal(in_child(uses), 0);
	}
}

/* A plug by itself has no reading yet. */
static int uses_inside_a_plug(void)
{
	struct plugclock_plug plug;

	plugclock_start(&plug, PLUGCLOCK_TRUST_CALLER);
	plugclock_flush();
	return uses();
}

static void use_source_inside_a_plug_without_a_reading(void **state)
{
	(void)state;
	wanted = PLUGCLOCK_SOURCE_BOOTTIME;
	wanted_clock = CLOCK_BOOTTIME;
	assert_int_equal(in_child(uses_inside_a_plug), 0);
}

static int lacks_a_clock(void)
{
	missing_clock = CLOCK_BOOTTIME;
	errno = EDOM;
	if (plugclock_use_source(PLUGCLOCK_SOURCE_BOOTTIME) != -ENOTSUP || errno != EDOM)
		return 1;
	/* Nothing was settled. */
	return plugclock_use_source(PLUGCLOCK_SOURCE_MONOTONIC_RAW) ? 2 : 0;
}

static void use_source_that_the_kernel_lacks(void **state)
{
	(void)state;
	assert_int_equal(in_child(lacks_a_clock), 0);
}

static int handler_got;

static void handler_chooses(void)
{
	handler_got = plugclock_use_source(PLUGCLOCK_SOURCE_MONOTONIC_RAW);
}

static void handler_reads(void)
{
	handler_got = plugclock_now_ns() == 0;
}

/* Only one can win, and it is the first to have finished. */
static int loses_to_a_handler(void)
{
	handler_got = 1;
	meanwhile = handler_chooses;
	if (plugclock_use_source(PLUGCLOCK_SOURCE_BOOTTIME) != -EBUSY || handler_got)
		return 1;
	plugclock_now_ns();
	return last_clock != CLOCK_MONOTONIC_RAW;
}

static int loses_to_a_reading(void)
{
	handler_got = 1;
	meanwhile = handler_reads;
	if (plugclock_use_source(PLUGCLOCK_SOURCE_BOOTTIME) != -EBUSY || handler_got)
		return 1;
	plugclock_now_ns();
	return last_clock != CLOCK_MONOTONIC;
}

static void use_source_at_the_same_time_as_others(void **state)
{
	(void)state;
	assert_int_equal(in_child(loses_to_a_handler), 0);
	assert_int_equal(in_child(loses_to_a_reading), 0);
}

/* What the system says of itself: the clock source, and the processor's flags. */
static bool tells(const char *path, const char *what)
{
	FILE *file = fopen(path, "r");
	static char text[65536];
	size_t length;

	if (!file)
		return false;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = 0;
	return strstr(text, what);
}

static int uses_tsc(void)
{
	bool may = tells("/sys/devices/system/clocksource/clocksource0/"
			 "current_clocksource",
			 "tsc\n") &&
		   tells("/proc/cpuinfo", "nonstop_tsc");
	int ret;

	errno = EDOM;
	ret = plugclock_use_source(PLUGCLOCK_SOURCE_TSC);
	if (errno != EDOM)
		return 1;
	if (!may)
		return ret != -ENOTSUP;
	/* It may still be refused, by its rate. */
	return ret && ret != -ENOTSUP;
}

static void use_source_tsc_as_this_machine_allows(void **state)
{
	(void)state;
	assert_int_equal(in_child(uses_tsc), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First, in children, while nothing was read. */
		cmocka_unit_test(use_source_that_does_not_exist),
		cmocka_unit_test(use_source_before_the_first_reading),
		cmocka_unit_test(use_source_inside_a_plug_without_a_reading),
		cmocka_unit_test(use_source_that_the_kernel_lacks),
		cmocka_unit_test(use_source_at_the_same_time_as_others),
		cmocka_unit_test(use_source_tsc_as_this_machine_allows),
		cmocka_unit_test(source_read_ns_between_two_readings_of_the_clock),
		cmocka_unit_test(source_read_ns_leaves_errno_alone),
		cmocka_unit_test(use_source_after_a_reading),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
