// SPDX-License-Identifier: MIT
/* The command line. */
#include "options_test.h"

#include <stdlib.h>

static void options_parse_defaults(void **state)
{
	(void)state;
	assert_good("/dev/ng0n1");
	assert_int_equal(o.depth, 128);
	assert_int_equal(o.submit_batch, 32);
	assert_int_equal(o.complete_batch, 32);
	assert_int_equal(o.block_bytes, 4096);
	assert_int_equal(o.threads, 1);
	assert_int_equal(o.runtime_s, 0);
	assert_int_equal(o.rounds, 20);
	assert_int_equal(o.polled, CHOICE_AUTO);
	assert_int_equal(o.passthrough, CHOICE_AUTO);
	assert_true(o.fixed_buffers && o.registered_files && o.registered_ring);
	assert_true(o.direct && o.random);
	assert_false(o.numa || o.vectored || o.help || o.version);
	assert_int_equal(o.lat, LAT_OFF);
	assert_null(o.engine);
	assert_null(o.ab);
	assert_null(o.json_path);
	assert_null(o.huge_path);
	assert_int_equal(o.nr_cpus, 0);
	assert_int_equal(o.nr_devices, 1);
	assert_string_equal(o.devices[0], "/dev/ng0n1");
	assert_string_equal(o.notes, "");
	assert_good("");
	assert_int_equal(o.nr_devices, 0);
}

/* The line behind 7.06M and 8.29M IOPS. */
static void options_parse_line_of_seed_004(void **state)
{
	(void)state;
	assert_good("-b512 -d256 -c32 -s32 -p1 -F1 -B1 -O0 -n2 -u1 -r4 /dev/ng0n1 "
		    "/dev/ng1n1");
	assert_int_equal(o.block_bytes, 512);
	assert_int_equal(o.depth, 256);
	assert_int_equal(o.complete_batch, 32);
	assert_int_equal(o.submit_batch, 32);
	assert_int_equal(o.polled, CHOICE_ON);
	assert_true(o.registered_files && o.fixed_buffers);
	assert_false(o.direct);
	assert_int_equal(o.threads, 2);
	assert_int_equal(o.passthrough, CHOICE_ON);
	assert_int_equal(o.runtime_s, 4);
	assert_int_equal(o.nr_devices, 2);
	assert_string_equal(o.devices[1], "/dev/ng1n1");
	assert_string_equal(o.notes, "");
}

/* A bare -X: what follows is an option of its own, not its value. */
static void options_parse_line_of_seed_000(void **state)
{
	(void)state;
	assert_good("-d1 -s1 -c1 -p0 -B1 -F1 -X -b512 -n4 /dev/nullb0");
	assert_int_equal(o.depth, 1);
	assert_int_equal(o.submit_batch, 1);
	assert_int_equal(o.complete_batch, 1);
	assert_int_equal(o.polled, CHOICE_OFF);
	assert_true(o.registered_ring);
	assert_int_equal(o.block_bytes, 512);
	assert_int_equal(o.threads, 4);
	assert_int_equal(o.nr_devices, 1);
	assert_string_equal(o.devices[0], "/dev/nullb0");
	assert_non_null(strstr(o.notes, "-X"));
}

static void options_parse_registered_ring_bare_and_with_value(void **state)
{
	(void)state;
	assert_good("/dev/x -X -b512 /dev/y");
	assert_true(o.registered_ring);
	assert_int_equal(o.block_bytes, 512);
	assert_int_equal(o.nr_devices, 2);
	assert_string_equal(o.devices[0], "/dev/x");
	assert_string_equal(o.devices[1], "/dev/y");
	assert_good("-X0 -X");
	assert_true(o.registered_ring);
	assert_good("-X 0 -b512");
	assert_false(o.registered_ring);
	assert_string_equal(o.notes, "");
	assert_good("-X -X0");
	assert_false(o.registered_ring);
	assert_refused(&f, parse("-X-b512"), STATUS_USAGE, "-X -b512: must be 0 or 1");
	assert_refused(&f, parse("-X /dev/nullb0"), STATUS_USAGE, "-X /dev/nullb0");
}

/* Each short option alone turns what it should, and nothing else. */
static void options_parse_each_short_option(void **state)
{
	struct options expected;

	(void)state;
#define alone(line, what)                                                                \
	do {                                                                             \
		assert_good("");                                                         \
		expected = o;                                                            \
		expected.what;                                                           \
		assert_good(line);                                                       \
		expected.devices = o.devices;                                            \
		assert_memory_equal(&o, &expected, sizeof(o));                           \
	} while (0)
	alone("-d 256", depth = 256);
	alone("-d 32768", depth = 32768);
	alone("-s 7", submit_batch = 7);
	alone("-c 9", complete_batch = 9);
	alone("-b 512", block_bytes = 512);
	alone("-b 64k", block_bytes = 65536);
	alone("-p 0", polled = CHOICE_OFF);
	alone("-p1", polled = CHOICE_ON);
	alone("-B0", fixed_buffers = false);
	alone("-F0", registered_files = false);
	alone("-X0", registered_ring = false);
	alone("-n 1024", threads = 1024);
	alone("-O0", direct = false);
	alone("-N0", engine = NULL);
	alone("-t1", lat = LAT_CACHED);
	alone("-t0", lat = LAT_OFF);
	alone("-T 2400000000", depth = 128);
	alone("-T 5400000000", depth = 128);
	alone("-r 30", runtime_s = 30);
	alone("-r0", runtime_s = 0);
	alone("-R0", random = false);
	alone("-a0", depth = 128);
	alone("-S0", depth = 128);
	alone("-P1", numa = true);
	alone("-V1 -B0", vectored = true; expected.fixed_buffers = false);
	alone("-V1", vectored = true; expected.fixed_buffers = false);
	alone("-u0", passthrough = CHOICE_OFF);
	alone("-u1", passthrough = CHOICE_ON);
#undef alone
	assert_good("-N1");
	assert_string_equal(o.engine, "nop");
	assert_good("-H /mnt/huge");
	assert_string_equal(o.huge_path, "/mnt/huge");
	assert_good("-h");
	assert_true(o.help);
	assert_good("-?");
	assert_true(o.help);
}

static void options_parse_long_as_short(void **state)
{
	static const char *const pairs[][2] = {
		{"-d 64", "--depth 64"},
		{"-s 3", "--submit-batch=3"},
		{"-c 4", "--complete-batch 4"},
		{"-b 8k", "--block-size=8k"},
		{"-p 1", "--polled 1"},
		{"-B 0", "--fixed-buffers 0"},
		{"-F 0", "--registered-files 0"},
		{"-X 0", "--registered-ring 0"},
		{"-n 2", "--threads 2"},
		{"-O 0", "--direct 0"},
		{"-N 1", "--engine nop"},
		{"-t 1", "--percentiles 1"},
		{"-t 1", "--lat cached"},
		{"-r 5", "--runtime 5"},
		{"-R 0", "--random 0"},
		{"-P 1", "--numa 1"},
		{"-V 1", "--vectored 1"},
		{"-u 1", "--passthrough 1"},
		{"-h", "--help"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct options by_short;

		assert_good(pairs[i][0]);
		by_short = o;
		assert_good(pairs[i][1]);
		if (o.engine) {
			assert_string_equal(o.engine, by_short.engine);
			o.engine = by_short.engine;
		}
		/* devices points behind the words, of which there may be one more. */
		by_short.devices = o.devices;
		/* Both were zeroed whole: their padding is alike. */
		// NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
		if (memcmp(&o, &by_short, sizeof(o)))
			fail_msg("'%s' is not as '%s'", pairs[i][1], pairs[i][0]);
	}
	assert_good("--huge-file /h");
	assert_string_equal(o.huge_path, "/h");
	assert_good("--version");
	assert_true(o.version);
}

static void options_parse_long_only(void **state)
{
	(void)state;
	assert_good(
		"--lat clock --ab lat=off:clock --rounds 7 --json out.json --cpus 2,0-1 "
		"--engine null --sqpoll 1");
	assert_true(o.kernel_submits);
	assert_int_equal(o.lat, LAT_CLOCK);
	assert_string_equal(o.ab, "lat=off:clock");
	assert_int_equal(o.rounds, 7);
	assert_string_equal(o.json_path, "out.json");
	assert_int_equal(o.nr_cpus, 3);
	assert_int_equal(o.cpus[0], 2);
	assert_int_equal(o.cpus[2], 1);
	assert_string_equal(o.engine, "null");
}

static void options_parse_the_last_of_several_wins(void **state)
{
	(void)state;
	assert_good("-d64 -b512 -d96 -b4k -p1 -p0 -t1 -t0 -N1 -N0");
	assert_int_equal(o.depth, 96);
	assert_int_equal(o.block_bytes, 4096);
	assert_int_equal(o.polled, CHOICE_OFF);
	assert_int_equal(o.lat, LAT_OFF);
	assert_null(o.engine);
	assert_good("--engine null -N0");
	assert_string_equal(o.engine, "null");
	assert_good("--lat clock -t1");
	assert_int_equal(o.lat, LAT_CLOCK);
}

static void options_parse_devices_between_options(void **state)
{
	(void)state;
	assert_good("/dev/a -d 8 -s4 -c4 /dev/b --runtime 3 /dev/c");
	assert_int_equal(o.depth, 8);
	assert_int_equal(o.runtime_s, 3);
	assert_int_equal(o.nr_devices, 3);
	assert_string_equal(o.devices[0], "/dev/a");
	assert_string_equal(o.devices[1], "/dev/b");
	assert_string_equal(o.devices[2], "/dev/c");
	assert_good("-d8 -s4 -c4 -- -d9");
	assert_int_equal(o.depth, 8);
	assert_int_equal(o.nr_devices, 1);
	assert_string_equal(o.devices[0], "-d9");
}

static void options_parse_batches_above_the_depth(void **state)
{
	(void)state;
	assert_good("-d 8");
	assert_int_equal(o.submit_batch, 8);
	assert_int_equal(o.complete_batch, 8);
	assert_string_equal(o.notes, "-s 32: taken as 8, the depth\n"
				     "-c 32: taken as 8, the depth\n");
	assert_good("-s 100 -c 129 -d 100"); /* the order does not matter */
	assert_int_equal(o.submit_batch, 100);
	assert_int_equal(o.complete_batch, 100);
	assert_string_equal(o.notes, "-c 129: taken as 100, the depth\n");
	assert_good("-s 0 -c 0");
	assert_int_equal(o.submit_batch, 1);
	assert_int_equal(o.complete_batch, 1);
	assert_string_equal(o.notes, "-s 0: taken as 1\n-c 0: taken as 1\n");
}

/* Every long option and every short one stands in the help. */
static void options_usage_names_every_option(void **state)
{
	static const char *const names[] = {
		"--depth",
		"--submit-batch",
		"--complete-batch",
		"--block-size",
		"--polled",
		"--fixed-buffers",
		"--registered-files",
		"--registered-ring",
		"--threads",
		"--direct",
		"--runtime",
		"--random",
		"--percentiles",
		"--numa",
		"--vectored",
		"--passthrough",
		"--huge-file",
		"--sqpoll",
		"--engine",
		"--cpus",
		"--lat",
		"--ab",
		"--rounds",
		"--json",
		"--version",
		"--help",
		" -N ",
		" -T ",
		"Exit status: 0 good, 1 failed or invalid, 2 usage, 3 not possible",
	};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	options_usage(out);
	assert_int_equal(fclose(out), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strstr(text, names[i]))
			fail_msg("no %s", names[i]);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 0, 80);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_parse_defaults),
		cmocka_unit_test(options_parse_line_of_seed_004),
		cmocka_unit_test(options_parse_line_of_seed_000),
		cmocka_unit_test(options_parse_registered_ring_bare_and_with_value),
		cmocka_unit_test(options_parse_each_short_option),
		cmocka_unit_test(options_parse_long_as_short),
		cmocka_unit_test(options_parse_long_only),
		cmocka_unit_test(options_parse_the_last_of_several_wins),
		cmocka_unit_test(options_parse_devices_between_options),
		cmocka_unit_test(options_parse_batches_above_the_depth),
		cmocka_unit_test(options_usage_names_every_option),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
