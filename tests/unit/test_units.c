// SPDX-License-Identifier: MIT
/* Numbers as people write and read them. */
#include "ng_test.h"

#include "units.h"

#include <errno.h>

static void parse_count_good(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{"0", 0},
		{"1", 1},
		{"007", 7},
		{"4294967296", 4294967296},
		{"18446744073709551615", UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		uint64_t value = 99;

		assert_int_equal(units_parse_count(good[i].text, &value), 0);
		assert_int_equal(value, good[i].value);
	}
}

static void parse_count_bad(void **state)
{
	static const char *const bad[] = {
		"",   " ",    "-1",  "+1",  " 1", "1 ",    "1\n",      "abc", "1k",
		"0x", "0x10", "1.5", "1e3", "--", "1,000", "\xd9\xa1", "1\t",
	};
	uint64_t value = 99;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(units_parse_count(bad[i], &value), -EINVAL);
	assert_int_equal(units_parse_count("18446744073709551616", &value), -ERANGE);
	assert_int_equal(units_parse_count("99999999999999999999999", &value), -ERANGE);
	assert_int_equal(value, 99);
}

static void parse_count_leaves_errno_alone(void **state)
{
	uint64_t value;

	(void)state;
	errno = EDOM;
	units_parse_count("5", &value);
	assert_int_equal(errno, EDOM);
	units_parse_count("99999999999999999999999", &value);
	assert_int_equal(errno, EDOM);
}

static void parse_size_good(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{"512", 512},
		{"4k", 4096},
		{"4K", 4096},
		{"1m", 1048576},
		{"1M", 1048576},
		{"2g", 2147483648},
		{"0k", 0},
		{"17179869183G", 17179869183ull << 30},
		{"18446744073709551615", UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		uint64_t value = 99;

		assert_int_equal(units_parse_size(good[i].text, &value), 0);
		assert_int_equal(value, good[i].value);
	}
}

static void parse_size_bad(void **state)
{
	static const char *const bad[] = {
		"",    "k",  "4kk",   "4kb", "4 k", "-4k",
		"+4k", "4t", "0x200", "4ki", "4k ", "4.5k",
	};
	uint64_t value = 99;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(units_parse_size(bad[i], &value), -EINVAL);
	assert_int_equal(units_parse_size("17179869184g", &value), -ERANGE);
	assert_int_equal(units_parse_size("18446744073709551615k", &value), -ERANGE);
	assert_int_equal(units_parse_size("18446744073709551616", &value), -ERANGE);
	assert_int_equal(value, 99);
}

static void parse_cpus_good(void **state)
{
	static const struct {
		const char *text;
		int n;
		unsigned int cpus[6];
	} good[] = {
		{"0", 1, {0}},
		{"2,3", 2, {2, 3}},
		{"3,2", 2, {3, 2}},
		{"0-3", 4, {0, 1, 2, 3}},
		{"0-1,8,4-5", 5, {0, 1, 8, 4, 5}},
		{"5-5", 1, {5}},
		{"1,1", 2, {1, 1}},
		{"4095", 1, {4095}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		unsigned int cpus[6];

		assert_int_equal(units_parse_cpus(good[i].text, cpus, 6), good[i].n);
		assert_memory_equal(cpus, good[i].cpus,
				    (size_t)good[i].n * sizeof(cpus[0]));
	}
}

static void parse_cpus_bad(void **state)
{
	static const char *const bad[] = {
		"",    ",",   "1,",  ",1",   "1,,2", "a",  "1-",  "-1",  "1-2-3",
		"3-1", "2-1", "1 2", "1, 2", " 1",   "1 ", "0x1", "1.2",
	};
	unsigned int cpus[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(units_parse_cpus(bad[i], cpus, 8), -EINVAL);
	assert_int_equal(units_parse_cpus("4096", cpus, 8), -ERANGE);
	assert_int_equal(units_parse_cpus("0-4096", cpus, 8), -ERANGE);
	assert_int_equal(units_parse_cpus("99999999999999999999", cpus, 8), -ERANGE);
	assert_int_equal(units_parse_cpus("0-7", cpus, 8), 8);
	assert_int_equal(units_parse_cpus("0-8", cpus, 8), -E2BIG);
	assert_int_equal(units_parse_cpus("0-7,9", cpus, 8), -E2BIG);
}

/* t/io_uring compares with 'above', not with 'from'. */
static void format_iops_at_its_thresholds(void **state)
{
	static const struct {
		double iops;
		const char *text;
	} cases[] = {
		{0, "0"},
		{95012, "95012"},
		{100000, "100000"},
		{100001, "100.00K"},
		{341200, "341.20K"},
		{1000000, "1000.00K"},
		{1000001, "1.00M"},
		{8290000, "8.29M"},
		{123456789, "123.46M"},
	};
	char buf[24];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(units_format_iops(buf, cases[i].iops), cases[i].text);
}

static void format_bandwidth_at_its_thresholds(void **state)
{
	static const struct {
		double mib;
		const char *text;
	} cases[] = {
		{0, "0MiB/s"},       {812, "812MiB/s"},   {2000, "2000MiB/s"},
		{2001, "2.00GiB/s"}, {3447, "3.45GiB/s"},
	};
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(units_format_bandwidth(buf, cases[i].mib * 1048576),
				    cases[i].text);
}

static void format_cpus_as_ranges(void **state)
{
	static const char *const lists[] = {"", "0", "0-3", "1,3,5-6,15", "14-15"};
	unsigned int numbers[16];
	char buf[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		bool cpus[16] = {false};
		int n = lists[i][0] ? units_parse_cpus(lists[i], numbers, 16) : 0;

		for (int k = 0; k < n; k++)
			cpus[numbers[k]] = true;
		assert_string_equal(units_format_cpus(buf, sizeof(buf), cpus, 16),
				    lists[i]);
		/* Cut, and never beyond the end. */
		memset(buf, '#', sizeof(buf));
		units_format_cpus(buf, 4, cpus, 16);
		assert_int_equal(strncmp(buf, lists[i], strlen(buf)), 0);
		assert_true(strlen(buf) < 4 && buf[4] == '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse_count_good),
		cmocka_unit_test(parse_count_bad),
		cmocka_unit_test(parse_count_leaves_errno_alone),
		cmocka_unit_test(parse_size_good),
		cmocka_unit_test(parse_size_bad),
		cmocka_unit_test(parse_cpus_good),
		cmocka_unit_test(parse_cpus_bad),
		cmocka_unit_test(format_iops_at_its_thresholds),
		cmocka_unit_test(format_bandwidth_at_its_thresholds),
		cmocka_unit_test(format_cpus_as_ranges),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
