// SPDX-License-Identifier: MIT
#include "ng_test.h"

#include "condition.h"

static void add_keeps_all_that_many_devices_have(void **state)
{
	struct conditions cs = {0};
	char name[32], value[32];

	(void)state;
	for (unsigned int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "name.%u", i);
		condition_add(&cs, name, "", "%u", i);
		if (i % 3 == 0)
			condition_advise(&cs, "mend %u", i);
	}
	assert_int_equal(cs.n, 3000);
	assert_int_equal(condition_nr_advised(&cs), 1000);
	for (unsigned int i = 0; i < 3000; i += 7) {
		snprintf(name, sizeof(name), "name.%u", i);
		snprintf(value, sizeof(value), "%u", i);
		assert_string_equal(condition_effective(&cs, name), value);
	}
	assert_string_equal(cs.list[2997].advice, "mend 2997");
	assert_string_equal(cs.list[2998].advice, "");
	conditions_done(&cs);
	assert_int_equal(cs.n, 0);
	conditions_done(&cs);
}

static void add_cuts_what_does_not_fit(void **state)
{
	struct conditions cs = {0};
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	condition_advise(&cs, "nothing there yet");
	condition_add(&cs, text, text, "%s", text);
	condition_advise(&cs, "%s", text);
	assert_int_equal(strlen(cs.list[0].name), sizeof(cs.list[0].name) - 1);
	assert_int_equal(strlen(cs.list[0].asked), sizeof(cs.list[0].asked) - 1);
	assert_int_equal(strlen(cs.list[0].effective), sizeof(cs.list[0].effective) - 1);
	assert_int_equal(strlen(cs.list[0].advice), sizeof(cs.list[0].advice) - 1);
	conditions_done(&cs);
}

static void file_that_cannot_be_read_is_unknown(void **state)
{
	struct conditions cs = {0};

	(void)state;
	condition_add_file(&cs, "there", "/proc/sys/kernel/ostype");
	condition_add_file(&cs, "missing", "/proc/nonexistent");
	assert_string_equal(condition_effective(&cs, "there"), "Linux");
	assert_string_equal(condition_effective(&cs, "missing"), "unknown");
	assert_string_equal(condition_effective(&cs, "never added"), "unknown");
	conditions_done(&cs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(add_keeps_all_that_many_devices_have),
		cmocka_unit_test(add_cuts_what_does_not_fit),
		cmocka_unit_test(file_that_cannot_be_read_is_unknown),
	};

	return cmocka_run_group_tests_name("condition", tests, NULL, NULL);
}
