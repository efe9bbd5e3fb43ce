// SPDX-License-Identifier: MIT
/* Command lines that are refused. */
#include "options_test.h"

static void options_parse_refuses(void **state)
{
	static const struct {
		const char *line, *names;
	} bad[] = {
		{"-d 0", "-d 0: must be from 1 to 32768"},
		{"-d 32769", "-d 32769"},
		{"-d 100000", "-d 100000: must be from 1 to 32768"},
		{"-d -1", "-d -1: not a number"},
		{"-d abc", "-d abc: not a number"},
		{"-d 4k", "-d 4k"},
		{"-d 99999999999999999999", "must be from"},
		{"-d 4294967297", "must be from"},
		{"-s x", "-s x"},
		{"-s 4294967296", "-s 4294967296"},
		{"-c -3", "-c -3"},
		{"-b 0", "-b 0: must be from 1 to 1073741824"},
		{"-b 2g", "-b 2g"},
		{"-b 4kb", "-b 4kb"},
		{"-b 18014398509481984k", "-b 18014398509481984k"},
		{"-n 0", "-n 0: must be from 1 to 1024"},
		{"-n 1025", "-n 1025"},
		{"-r -1", "-r -1"},
		{"-r 31536001", "-r 31536001"},
		{"-T x", "-T x"},
		{"-p 2", "-p 2: must be 0 or 1"},
		{"-p yes", "-p yes"},
		{"-B 01", "-B 01"},
		{"-F x", "-F x"},
		{"-X 2", "-X 2"},
		{"-O -1", "-O -1"},
		{"-N 3", "-N 3"},
		{"-t on", "-t on"},
		{"-R 1x", "-R 1x"},
		{"-P a", "-P a"},
		{"-V b", "-V b"},
		{"-u 9", "-u 9"},
		{"-a 2", "-a 2"},
		{"-S 2", "-S 2"},
		{"--lat fast", "--lat fast: must be off, clock or cached"},
		{"--cpus 3-1", "--cpus 3-1"},
		{"--cpus x", "--cpus x"},
		{"--cpus 5000", "--cpus 5000"},
		{"--rounds 1", "--rounds 1: must be from 2 to 10000"},
		{"--rounds x", "--rounds x"},
		{"-d", "-d: needs a value"},
		{"-B1 -d", "-d: needs a value"},
		{"--json", "--json: needs a value"},
		{"-z", "-z: no such option"},
		{"-zR1", "-z: no such option"},
		{"--direct=1 -zR1", "-z: no such option"},
		{"--nonsense", "--nonsense: no such option"},
		{"--r 3", "--r: no such option, or not in full"},
		{"--version=3", "--version=3: takes no value"},
		{"--help=3", "--help=3: takes no value"},
		{"/dev/a /dev/b /dev/a", "/dev/a: named twice"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_refused(&f, parse(bad[i].line), STATUS_USAGE, bad[i].names);
}

static void options_parse_an_empty_value_or_device(void **state)
{
	char self[] = "ngbench", depth[] = "-d", empty[] = "";
	char *value[] = {self, depth, empty, NULL}, *device[] = {self, empty, NULL};

	(void)state;
	memset(&f, 0, sizeof(f));
	assert_refused(&f, options_parse(&o, 3, value, &f), STATUS_USAGE, "not a number");
	assert_refused(&f, options_parse(&o, 2, device, &f), STATUS_USAGE, "empty");
}

static void options_parse_what_only_t_io_uring_has(void **state)
{
	(void)state;
	assert_refused(&f, parse("-a1 /dev/x"), STATUS_NOT_POSSIBLE, "-a 1");
	assert_refused(&f, parse("-S1 /dev/x"), STATUS_NOT_POSSIBLE, "-S 1");
}

static void options_parse_more_devices_than_there_is_room_for(void **state)
{
	char names[OPTIONS_MAX_DEVICES + 1][8], self[] = "ngbench";
	char *argv[OPTIONS_MAX_DEVICES + 3] = {self};

	(void)state;
	memset(&f, 0, sizeof(f));
	for (unsigned int i = 0; i <= OPTIONS_MAX_DEVICES; i++) {
		snprintf(names[i], sizeof(names[i]), "d%u", i);
		argv[i + 1] = names[i];
	}
	assert_int_equal(options_parse(&o, OPTIONS_MAX_DEVICES + 1, argv, &f), 0);
	assert_int_equal(o.nr_devices, OPTIONS_MAX_DEVICES);
	assert_refused(&f, options_parse(&o, OPTIONS_MAX_DEVICES + 2, argv, &f),
		       STATUS_USAGE, "257 devices: at most 256");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_parse_refuses),
		cmocka_unit_test(options_parse_an_empty_value_or_device),
		cmocka_unit_test(options_parse_what_only_t_io_uring_has),
		cmocka_unit_test(options_parse_more_devices_than_there_is_room_for),
	};

	return cmocka_run_group_tests_name("options_bad", tests, NULL, NULL);
}
