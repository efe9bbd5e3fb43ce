// SPDX-License-Identifier: MIT
/* Where the reads go, and what the entries of each engine hold. */
#include "ng_test.h"

#include "engine.h"

#include <stdlib.h>

static struct device device = {
	.fd = 9,
	.format = {.nsid = 5, .nsze = 8000, .lba_bytes = 512},
	.range = {.positions = 1000, .nlb = 8, .data_bytes = 4096},
};

/* A queue of four entries without a ring behind it. */
static union {
	unsigned char bytes[4 * 128];
	struct io_uring_sqe align;
} queue;

static struct ring ring_of(const struct engine *e)
{
	return (struct ring){
		.sqes = queue.bytes, .sq_mask = 3, .sqe_shift = e->passthrough ? 7 : 6};
}

static void target_next_random_stays_below_and_hits_both_ends(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 7, 100};

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		struct target t = {.random = 1};
		unsigned int seen[100] = {0};

		for (unsigned int i = 0; i < 20000; i++) {
			uint64_t p = target_next(&t, sizes[s]);

			assert_in_range(p, 0, sizes[s] - 1);
			seen[p]++;
		}
		for (uint64_t p = 0; p < sizes[s]; p++)
			assert_true(seen[p] > 0);
	}
}

/* Chi-square over 64 equal parts of a range that is no power of two. */
static void target_next_random_is_about_uniform(void **state)
{
	static const uint64_t ranges[] = {1000003ull * 64, 3ull << 60};

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(ranges); r++) {
		struct target t = {.random = 0x9e3779b97f4a7c15ull};
		unsigned int parts[64] = {0};
		double chi = 0;

		for (unsigned int i = 0; i < 64000; i++)
			parts[target_next(&t, ranges[r]) / (ranges[r] / 64)]++;
		for (unsigned int i = 0; i < 64; i++)
			chi += (parts[i] - 1000.0) * (parts[i] - 1000.0) / 1000;
		/* 63 degrees of freedom: 0.0001 lies below 24, 0.0001 above 112. */
		assert_in_range((int)chi, 24, 112);
	}
}

static void target_next_random_is_not_stuck(void **state)
{
	struct target t = {.random = 1};
	uint64_t last = 0, same = 0;

	(void)state;
	for (unsigned int i = 0; i < 100000; i++) {
		uint64_t p = target_next(&t, 1ull << 50);

		same += p == last;
		last = p;
		assert_int_not_equal(t.random, 0); /* 0 would mean sequential */
	}
	assert_int_equal(same, 0);
}

static void target_next_sequential_covers_all_and_wraps(void **state)
{
	struct target t = {.position = 3};

	(void)state;
	for (uint64_t i = 0; i < 25; i++)
		assert_int_equal(target_next(&t, 10), (3 + i) % 10);
	t.position = 0;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(target_next(&t, 1), 0);
}

static void nvme_prepare_plain_registered_vectored(void **state)
{
	static const struct engine *const engines[] = {&engine_nvme, &engine_null};
	struct target t = {.device = &device, .fd = 2, .flags = IOSQE_FIXED_FILE};
	char data[1];

	(void)state;
	for (size_t e = 0; e < ARRAY_SIZE(engines); e++) {
		struct ring r = ring_of(engines[e]);
		struct slot slot = {.data = {data, 4096}, .index = 3};
		struct io_uring_sqe *sqe = ring_sqe(&r, 2);
		struct nvme_uring_cmd *cmd = (struct nvme_uring_cmd *)sqe->cmd;

		memset(queue.bytes, 0xff, sizeof(queue));
		engines[e]->prepare(sqe, &t, &slot);
		assert_int_equal(sqe->opcode, IORING_OP_URING_CMD);
		assert_int_equal(sqe->cmd_op, NVME_URING_CMD_IO);
		assert_int_equal(sqe->fd, 2);
		assert_int_equal(sqe->flags, IOSQE_FIXED_FILE);
		assert_int_equal(sqe->uring_cmd_flags, 0);
		assert_int_equal(cmd->nsid, 5);
		assert_int_equal(cmd->addr, (uintptr_t)data);
		assert_int_equal(cmd->data_len, 4096);
		assert_int_equal(cmd->cdw12, 7);
		assert_int_equal(queue.bytes[(size_t)3 * 128], 0xff); /* the neighbour */

		slot.registered = true;
		engines[e]->prepare(sqe, &t, &slot);
		assert_int_equal(sqe->uring_cmd_flags, IORING_URING_CMD_FIXED);
		assert_int_equal(sqe->buf_index, 3);
		assert_int_equal(cmd->addr, (uintptr_t)data);

		slot.registered = false;
		slot.vectored = true;
		engines[e]->prepare(sqe, &t, &slot);
		assert_int_equal(sqe->cmd_op, NVME_URING_CMD_IO_VEC);
		assert_int_equal(cmd->addr, (uintptr_t)&slot.data);
		assert_int_equal(cmd->data_len, 1);
	}
}

static void block_prepare_plain_registered_vectored(void **state)
{
	struct target t = {.device = &device, .fd = 9};
	struct ring r = ring_of(&engine_block);
	struct io_uring_sqe *sqe = ring_sqe(&r, 1);
	char data[1];
	struct slot slot = {.data = {data, 4096}, .index = 3};

	(void)state;
	memset(queue.bytes, 0xff, sizeof(queue));
	engine_block.prepare(sqe, &t, &slot);
	assert_int_equal(sqe->opcode, IORING_OP_READ);
	assert_int_equal(sqe->fd, 9);
	assert_int_equal(sqe->flags, 0);
	assert_int_equal(sqe->addr, (uintptr_t)data);
	assert_int_equal(sqe->len, 4096);
	assert_int_equal(queue.bytes[(size_t)2 * 64], 0xff);
	slot.registered = true;
	engine_block.prepare(sqe, &t, &slot);
	assert_int_equal(sqe->opcode, IORING_OP_READ_FIXED);
	assert_int_equal(sqe->buf_index, 3);
	slot.registered = false;
	slot.vectored = true;
	engine_block.prepare(sqe, &t, &slot);
	assert_int_equal(sqe->opcode, IORING_OP_READV);
	assert_int_equal(sqe->addr, (uintptr_t)&slot.data);
	assert_int_equal(sqe->len, 1);
}

/* Entries tail to tail + n, around the end of the queue, and no others. */
static void aim_sequential_entries(void **state)
{
	static const struct engine *const engines[] = {&engine_nvme, &engine_null,
						       &engine_block};

	(void)state;
	for (size_t e = 0; e < ARRAY_SIZE(engines); e++) {
		struct target t = {.device = &device, .position = 998};
		struct ring r = ring_of(engines[e]);
		uint64_t at[4];

		memset(queue.bytes, 0, sizeof(queue));
		ring_sqe(&r, 1)->off = 77;
		engines[e]->aim(&r, &t, 6, 3); /* entries 2, 3, 0 */
		for (unsigned int i = 0; i < 4; i++) {
			const struct io_uring_sqe *sqe = ring_sqe(&r, i);
			const struct nvme_uring_cmd *cmd =
				(const struct nvme_uring_cmd *)sqe->cmd;

			at[i] = engines[e]->passthrough ? cmd->cdw10 * 512ull : sqe->off;
		}
		assert_int_equal(at[2], 998 * 4096);
		assert_int_equal(at[3], 999 * 4096);
		assert_int_equal(at[0], 0);
		assert_int_equal(ring_sqe(&r, 1)->off, 77);
		assert_int_equal(t.position, 1);
	}
}

static void good_result_of_each_engine(void **state)
{
	struct target t = {.device = &device};

	(void)state;
	assert_int_equal(engine_nvme.good_result(&t), 0);
	assert_int_equal(engine_null.good_result(&t), 0);
	assert_int_equal(engine_nop.good_result(&t), 0);
	assert_int_equal(engine_block.good_result(&t), 4096);
}

static void engine_by_name_known_and_unknown(void **state)
{
	struct fail f = {0};

	(void)state;
	assert_ptr_equal(engine_by_name("nvme", &f), &engine_nvme);
	assert_ptr_equal(engine_by_name("block", &f), &engine_block);
	assert_ptr_equal(engine_by_name("null", &f), &engine_null);
	assert_ptr_equal(engine_by_name("nop", &f), &engine_nop);
	assert_int_equal(f.status, STATUS_OK);
	assert_refused(&f, engine_by_name("aio", &f) ? 0 : -1, STATUS_USAGE,
		       "--engine aio: must be nvme, block, null or nop");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(target_next_random_stays_below_and_hits_both_ends),
		cmocka_unit_test(target_next_random_is_about_uniform),
		cmocka_unit_test(target_next_random_is_not_stuck),
		cmocka_unit_test(target_next_sequential_covers_all_and_wraps),
		cmocka_unit_test(nvme_prepare_plain_registered_vectored),
		cmocka_unit_test(block_prepare_plain_registered_vectored),
		cmocka_unit_test(aim_sequential_entries),
		cmocka_unit_test(good_result_of_each_engine),
		cmocka_unit_test(engine_by_name_known_and_unknown),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
