// SPDX-License-Identifier: MIT
/* Ranges and NVMe read commands. */
#include "ng_test.h"

#include "command.h"

static struct command_format format(uint32_t lba_bytes, uint64_t nsze)
{
	return (struct command_format){.nsid = 1, .nsze = nsze, .lba_bytes = lba_bytes};
}

/* Where a command starts, as the drive reads it. */
static uint64_t slba(const struct nvme_uring_cmd *cmd)
{
	return (uint64_t)cmd->cdw11 << 32 | cmd->cdw10;
}

static void command_range_every_lba_and_block_size(void **state)
{
	static const uint64_t sizes[] = {1,          2,          7,         8,
					 1000,       2097152,    2097153,   4294967295u,
					 4294967296, 4294967297, 1ull << 40};

	(void)state;
	for (uint32_t lba = 512; lba <= 65536; lba *= 2)
		for (uint64_t nlb = 1; nlb <= 65536; nlb += nlb < 20 ? 1 : nlb / 3)
			for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
				struct command_format fmt = format(lba, sizes[i]);
				struct command_range range;
				struct fail f = {0};
				struct nvme_uring_cmd cmd;

				if (nlb > sizes[i] || nlb * lba > UINT32_MAX)
					continue;
				assert_int_equal(
					command_range(&range, &fmt, nlb * lba, "d", &f),
					0);
				assert_int_equal(range.nlb, nlb);
				assert_int_equal(range.data_bytes, nlb * lba);
				assert_int_equal(range.meta_bytes, 0);
				command_prepare(&cmd, &fmt, &range, 0x1000, 0x2000);
				command_set_position(&cmd, &range, range.positions - 1);
				/* The last read ends inside, and one more would not. */
				assert_in_range(slba(&cmd) + cmd.cdw12 + 1, 1, sizes[i]);
				assert_true(sizes[i] - slba(&cmd) - nlb < nlb);
				command_set_position(&cmd, &range, 0);
				assert_int_equal(slba(&cmd), 0);
			}
}

/* t/io_uring multiplies LBAs by the block size here: 7 of 8 reads lie outside. */
static void command_set_position_4096_on_512_byte_lbas(void **state)
{
	struct command_format fmt = format(512, 80);
	struct command_range range;
	struct nvme_uring_cmd cmd;
	struct fail f = {0};

	(void)state;
	assert_int_equal(command_range(&range, &fmt, 4096, "d", &f), 0);
	assert_int_equal(range.positions, 10);
	command_prepare(&cmd, &fmt, &range, 0, 0);
	for (uint64_t p = 0; p < range.positions; p++) {
		command_set_position(&cmd, &range, p);
		assert_int_equal(slba(&cmd), p * 8);
		assert_int_equal(cmd.cdw12, 7);
	}
}

static void command_set_position_on_both_sides_of_32_bits(void **state)
{
	struct command_format fmt = format(512, (1ull << 32) + 8);
	struct command_range range;
	struct nvme_uring_cmd cmd;
	struct fail f = {0};

	(void)state;
	assert_int_equal(command_range(&range, &fmt, 4096, "d", &f), 0);
	assert_int_equal(range.positions, (1ull << 29) + 1);
	command_prepare(&cmd, &fmt, &range, 0, 0);
	command_set_position(&cmd, &range, (1ull << 29) - 1);
	assert_int_equal(cmd.cdw10, 0xfffffff8);
	assert_int_equal(cmd.cdw11, 0);
	command_set_position(&cmd, &range, 1ull << 29);
	assert_int_equal(cmd.cdw10, 0);
	assert_int_equal(cmd.cdw11, 1);
}

static void command_prepare_without_metadata(void **state)
{
	struct command_format fmt = format(4096, 100);
	struct command_range range;
	struct nvme_uring_cmd cmd, expected = {0};
	struct fail f = {0};

	(void)state;
	fmt.nsid = 3;
	assert_int_equal(command_range(&range, &fmt, 8192, "d", &f), 0);
	memset(&cmd, 0xff, sizeof(cmd)); /* what an entry held before does not stay */
	command_prepare(&cmd, &fmt, &range, 0x123456789000, 0x5000);
	expected.opcode = 2;
	expected.nsid = 3;
	expected.addr = 0x123456789000;
	expected.data_len = 8192;
	expected.cdw12 = 1;
	assert_memory_equal(&cmd, &expected, sizeof(cmd));
}

static void command_prepare_separate_metadata(void **state)
{
	struct command_format fmt = format(512, 100);
	struct command_range range;
	struct nvme_uring_cmd cmd;
	struct fail f = {0};

	(void)state;
	fmt.meta_bytes = 8;
	assert_int_equal(command_range(&range, &fmt, 4096, "d", &f), 0);
	assert_int_equal(range.data_bytes, 4096);
	assert_int_equal(range.meta_bytes, 64);
	command_prepare(&cmd, &fmt, &range, 0x1000, 0x9000);
	assert_int_equal(cmd.data_len, 4096);
	assert_int_equal(cmd.metadata, 0x9000);
	assert_int_equal(cmd.metadata_len, 64);
}

static void command_prepare_extended_metadata(void **state)
{
	struct command_format fmt = format(512, 100);
	struct command_range range;
	struct nvme_uring_cmd cmd;
	struct fail f = {0};

	(void)state;
	fmt.meta_bytes = 8;
	fmt.meta_extended = true;
	assert_int_equal(command_range(&range, &fmt, 4096, "d", &f), 0);
	assert_int_equal(range.positions, 12);
	assert_int_equal(range.data_bytes, 4096 + 64);
	assert_int_equal(range.meta_bytes, 0);
	command_prepare(&cmd, &fmt, &range, 0x1000, 0x9000);
	assert_int_equal(cmd.data_len, 4096 + 64);
	assert_int_equal(cmd.metadata, 0);
	assert_int_equal(cmd.metadata_len, 0);
}

static void command_range_refusals(void **state)
{
	struct command_format small = format(512, 7), large = format(4096, 1ull << 40);
	struct command_range range;
	struct fail f = {0};

	(void)state;
	assert_refused(&f, command_range(&range, &small, 0, "/dev/x", &f), STATUS_USAGE,
		       "/dev/x: block size 0 ");
	assert_refused(&f, command_range(&range, &small, 513, "d", &f), STATUS_USAGE,
		       "513");
	assert_refused(&f, command_range(&range, &small, 511, "d", &f), STATUS_USAGE,
		       "-b512");
	assert_refused(&f, command_range(&range, &large, 512, "d", &f), STATUS_USAGE,
		       "-b4096");
	assert_refused(&f, command_range(&range, &small, 4096, "d", &f), STATUS_USAGE,
		       "smaller");
	assert_int_equal(command_range(&range, &large, 65536ull * 4096, "d", &f), 0);
	assert_int_equal(range.nlb, 65536);
	assert_refused(&f, command_range(&range, &large, 65537ull * 4096, "d", &f),
		       STATUS_USAGE, "268439552");
}

/* Lengths of a command have 32 bits. */
static void command_range_of_4_gib_and_more(void **state)
{
	struct command_format fmt = format(65536, 1ull << 40);
	struct command_range range;
	struct fail f = {0};

	(void)state;
	assert_int_equal(command_range(&range, &fmt, 65535ull * 65536, "d", &f), 0);
	assert_int_equal(range.data_bytes, 65535u * 65536);
	assert_refused(&f, command_range(&range, &fmt, 1ull << 32, "d", &f), STATUS_USAGE,
		       "4294967296");
	fmt.meta_bytes = 64;
	fmt.meta_extended = true;
	assert_refused(&f, command_range(&range, &fmt, 65535ull * 65536, "d", &f),
		       STATUS_USAGE, "4294901760");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_range_every_lba_and_block_size),
		cmocka_unit_test(command_set_position_4096_on_512_byte_lbas),
		cmocka_unit_test(command_set_position_on_both_sides_of_32_bits),
		cmocka_unit_test(command_prepare_without_metadata),
		cmocka_unit_test(command_prepare_separate_metadata),
		cmocka_unit_test(command_prepare_extended_metadata),
		cmocka_unit_test(command_range_refusals),
		cmocka_unit_test(command_range_of_4_gib_and_more),
	};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
