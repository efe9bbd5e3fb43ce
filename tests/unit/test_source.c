// SPDX-License-Identifier: MIT
/* The clock that readings come from. */
#include "internal.h"
#include "plug_test.h"

#include <errno.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(source_read_ns_between_two_readings_of_the_clock),
		cmocka_unit_test(source_read_ns_leaves_errno_alone),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
