// SPDX-License-Identifier: MIT
/* The knob 'ktime', on a made-up debugfs. */
#include "ng_test.h"

#include <linux/magic.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

static char root[64]; /* of the made-up debugfs */
static long fs_type;

#define KTIME_DEBUGFS root
#define KTIME_FS_TYPE fs_type
#include "ktime.c"
#define STATE_ROOT root
#include "state.c"

#include "knob.h"
#include "undo.h"

/* As an attribute of debugfs answers, which has no positions. */
ssize_t pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	(void)fd;
	(void)buf;
	(void)n;
	(void)offset;
	errno = ESPIPE;
	return -1;
}

static struct options o;
static struct device device = {.path = "/dev/nullb0"};
static struct session session = {
	.options = &o, .engine = &engine_block, .devices = &device, .nr_devices = 1};
static struct knob knob;
static struct fail f;

static const char *at(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *out = fopen(at(name), "we");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static long enabled(void)
{
	return sysfs_read_long(at("blk_ktime/enabled"), -1);
}

/* A debugfs as on a patched kernel, with the clock @on. */
static void patched(const char *on)
{
	assert_int_equal(mkdir(at("blk_ktime"), 0700), 0);
	put("blk_ktime/enabled", on);
	put("blk_ktime/cached", "100\n");
}

static int set_up(void **state)
{
	struct statfs fs;

	(void)state;
	snprintf(root, sizeof(root), "/tmp/ktime.XXXXXX");
	if (!mkdtemp(root) || statfs(root, &fs))
		return -1;
	if (mkdir(at("run"), 0700))
		return -1;
	fs_type = fs.f_type;
	session.engine = &engine_block;
	memset(&f, 0, sizeof(f));
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"blk_ktime/enabled",
					    "blk_ktime/cached",
					    "blk_ktime",
					    "run/plugclock",
					    "run",
					    ""};

	(void)state;
	undo_now(0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		(void)remove(at(names[i]));
	return 0;
}

static void open_knob(const char *text)
{
	if (knob_open(&knob, text, &session, &f))
		fail_msg("%s", f.why);
}

static void ktime_is_switched_in_either_order_and_put_back(void **state)
{
	static const struct {
		const char *text;
		long first, second;
	} tries[] = {{"ktime", 0, 1}, {"ktime=off:on", 0, 1}, {"ktime=on:off", 1, 0}};
	static const char *const found[] = {"1\n", "0\n"};

	(void)state;
	patched("1\n");
	for (size_t i = 0; i < 2 * ARRAY_SIZE(tries); i++) {
		put("blk_ktime/enabled", found[i % 2]);
		open_knob(tries[i / 2].text);
		assert_int_equal(knob.nr_arms, 2);
		assert_int_equal(enabled(), i % 2 ? 0 : 1);
		assert_int_equal(knob_set(&knob, &knob.arms[0], &f), 0);
		assert_int_equal(enabled(), tries[i / 2].first);
		assert_int_equal(knob_set(&knob, &knob.arms[1], &f), 0);
		assert_int_equal(enabled(), tries[i / 2].second);
		assert_int_equal(knob_close(&knob, &f), 0);
		assert_int_equal(enabled(), i % 2 ? 0 : 1);
	}
}

static void ktime_of_a_run_that_never_closes_is_put_back(void **state)
{
	(void)state;
	patched("1\n");
	open_knob("ktime");
	assert_int_equal(knob_set(&knob, &knob.arms[0], &f), 0);
	assert_int_equal(enabled(), 0);
	undo_now(0); /* as at exit() and on a crash */
	assert_int_equal(enabled(), 1);
}

static void ktime_held_by_another_run(void **state)
{
	struct knob second;

	(void)state;
	patched("1\n");
	open_knob("ktime");
	assert_refused(&f, knob_open(&second, "ktime", &session, &f), STATUS_NOT_POSSIBLE,
		       "held by another run");
	assert_int_equal(knob_close(&knob, &f), 0);
	open_knob("ktime");
	assert_int_equal(knob_close(&knob, &f), 0);
}

static void ktime_that_does_not_take(void **state)
{
	(void)state;
	patched("1\n");
	open_knob("ktime");
	/* What is held is gone from its place: what is written is not read back. */
	assert_int_equal(remove(at("blk_ktime/enabled")), 0);
	put("blk_ktime/enabled", "1\n");
	assert_refused(&f, knob_set(&knob, &knob.arms[0], &f), STATUS_NOT_POSSIBLE,
		       "reads back 1 after writing 0");
	assert_int_equal(knob_close(&knob, &f), 0);
}

static void ktime_where_it_is_not_possible(void **state)
{
	(void)state;
	assert_refused(&f, knob_open(&knob, "ktime", &session, &f), STATUS_NOT_POSSIBLE,
		       "without CONFIG_BLK_KTIME_DEBUG");
	fs_type++;
	assert_refused(&f, knob_open(&knob, "ktime", &session, &f), STATUS_NOT_POSSIBLE,
		       "debugfs is not mounted at");
	assert_int_equal(rmdir(at("run")), 0);
	assert_int_equal(rmdir(root), 0);
	assert_refused(&f, knob_open(&knob, "ktime", &session, &f), STATUS_NOT_POSSIBLE,
		       "this kernel has no debugfs");
	session.engine = &engine_null;
	assert_refused(&f, knob_open(&knob, "ktime", &session, &f), STATUS_NOT_POSSIBLE,
		       "the null engine does not go through the block layer");
}

static void ktime_without_permission(void **state)
{
	(void)state;
	patched("1\n");
	/* As root by another user, else with a folder that is closed to oneself, too. */
	if (getuid() ? chmod(root, 0) : setresuid(65534, 65534, 0))
		fail_msg("cannot be without permission");
	assert_refused(&f, knob_open(&knob, "ktime", &session, &f), STATUS_NOT_POSSIBLE,
		       "is for root only; run as root");
	(void)setresuid(0, 0, 0);
	assert_int_equal(chmod(root, 0700), 0);
}

static void ktime_with_a_wrong_setting(void **state)
{
	(void)state;
	assert_refused(&f, knob_open(&knob, "ktime=off:cached", &session, &f),
		       STATUS_USAGE, "cached must be on or off");
	assert_refused(&f, knob_open(&knob, "ktime=on", &session, &f), STATUS_USAGE,
		       "two settings or more, as in ktime=off:on");
}

/* knob_verify() after arms off and on that had @off and @on stamps cached per I/O. */
static int verify(double off, double on)
{
	struct result r;

	result_init(&r);
	result_add_arm(&r, "off", false, 0)->cached_per_io = off;
	result_add_arm(&r, "on", false, 0)->cached_per_io = on;
	return knob_verify(&knob, &r, &f);
}

static void ktime_must_be_seen_to_work(void **state)
{
	(void)state;
	patched("1\n");
	open_knob("ktime");
	assert_int_equal(knob_counts(&knob).cached, 100);
	assert_int_equal(knob_counts(&knob).accounted, -1);
	assert_int_equal(verify(0, 1.94), 0);
	assert_refused(&f, verify(1.94, 1.94), STATUS_NOT_POSSIBLE,
		       "off, 1.94 stamps per I/O were still served");
	assert_refused(&f, verify(0, 0.02), STATUS_NOT_POSSIBLE,
		       "on, only 0.02 stamps per I/O");
	assert_int_equal(remove(at("blk_ktime/cached")), 0);
	assert_int_equal(knob_counts(&knob).cached, -1);
	assert_refused(&f, verify(NAN, NAN), STATUS_NOT_POSSIBLE, "cannot be read");
	assert_int_equal(knob_close(&knob, &f), 0);
}

static void ktime_state_by_what_the_file_says(void **state)
{
	(void)state;
	assert_null(ktime_state());
	patched("1\n");
	assert_string_equal(ktime_state(), "on");
	put("blk_ktime/enabled", "0\n");
	assert_string_equal(ktime_state(), "off");
}

#define KTIME_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KTIME_TEST(ktime_is_switched_in_either_order_and_put_back),
		KTIME_TEST(ktime_of_a_run_that_never_closes_is_put_back),
		KTIME_TEST(ktime_held_by_another_run),
		KTIME_TEST(ktime_that_does_not_take),
		KTIME_TEST(ktime_where_it_is_not_possible),
		KTIME_TEST(ktime_without_permission),
		KTIME_TEST(ktime_with_a_wrong_setting),
		KTIME_TEST(ktime_must_be_seen_to_work),
		KTIME_TEST(ktime_state_by_what_the_file_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
