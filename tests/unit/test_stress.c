// SPDX-License-Identifier: MIT
/*
 * Forced switches of all kinds at once, see stress.h. PLUGCLOCK_STRESS in the environment
 * says how many for each detector; few by default.
 */
#include "plug_test.h"
#include "stress.h"

static void stress_detector(const char *detector)
{
	const char *wanted = getenv("PLUGCLOCK_STRESS");

	switch (stress_with(detector, wanted ? atol(wanted) : 3000)) {
	case STRESS_NOT_EXACT:
		skip_because("the detector does not see every context switch here");
		break;
	case STRESS_FAULT:
		fail_msg("%s: a reading was stale or went backwards", detector);
		break;
	case STRESS_GOOD:
		break;
	}
}

static void now_ns_under_stress_with_rseq(void **state)
{
	(void)state;
	stress_detector("rseq");
}

static void now_ns_under_stress_with_perf(void **state)
{
	(void)state;
	stress_detector("perf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(now_ns_under_stress_with_rseq),
		cmocka_unit_test(now_ns_under_stress_with_perf),
	};

	return cmocka_run_group_tests_name("stress", tests, NULL, NULL);
}
