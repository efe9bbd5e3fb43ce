// SPDX-License-Identifier: MIT
/* The knobs' settings, and attributes of a queue that do or do not take them. */
#include "worker_test.h"

#include <stdlib.h>
#include <sys/stat.h>

static char root[64]; /* of the made-up attributes, and of what is noted of them */

#define STATE_ROOT root
#include "state.c"

#include "attr.h"
#include "knob.h"
#include "undo.h"

static struct options o;
static struct device device;
static struct session session;
static struct knob knob;
static struct fail f;

static int set_up(void **test)
{
	char run[80];

	(void)test;
	snprintf(root, sizeof(root), "/tmp/knob.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(run, sizeof(run), "%s/run", root);
	o = options_of(64);
	o.submit_batch = o.complete_batch = 32;
	device = (struct device){.path = "/dev/null", .kind = DEVICE_NULL, .io_poll = -1};
	session = (struct session){.options = &o,
				   .engine = &engine_null,
				   .devices = &device,
				   .nr_devices = 1};
	memset(&f, 0, sizeof(f));
	return mkdir(run, 0700);
}

static int tear_down(void **test)
{
	char command[96];

	(void)test;
	undo_now(0);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void open_knob(const char *text)
{
	if (knob_open(&knob, text, &session, &f))
		fail_msg("%s: %s", text, f.why);
}

static void refuse(const char *text, enum status status, const char *part)
{
	assert_refused(&f, knob_open(&knob, text, &session, &f), status, part);
}

static void knob_open_names_what_there_is(void **test)
{
	(void)test;
	refuse("foo", STATUS_USAGE,
	       "there are lat, stats, iostats, iostats_passthrough, wbt, ktime, poll, "
	       "batch, depth, fixedbufs, sysfs:ATTR, delay, none");
	refuse("sysfs", STATUS_USAGE, "no such knob");
	refuse("lats", STATUS_USAGE, "no such knob");
	refuse("", STATUS_USAGE, "no such knob");
}

static void knob_open_batch_and_depth(void **test)
{
	static const struct {
		const char *text;
		struct {
			unsigned int depth, batch;
		} arms[2];
	} tries[] = {
		{"batch", {{64, 1}, {64, 32}}},
		{"batch=64:7", {{64, 64}, {64, 7}}},
		{"depth=1:128", {{1, 1}, {128, 32}}},
		{"depth=33:16", {{33, 32}, {16, 16}}},
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		open_knob(tries[i].text);
		assert_int_equal(knob.nr_arms, 2);
		for (unsigned int a = 0; a < 2; a++) {
			const struct options *own = knob.arms[a].options;

			assert_int_equal(own->depth, tries[i].arms[a].depth);
			assert_int_equal(own->submit_batch, tries[i].arms[a].batch);
			assert_int_equal(own->complete_batch, tries[i].arms[a].batch);
		}
		assert_int_equal(knob_close(&knob, &f), 0);
	}
	assert_int_equal(o.depth, 64);
	refuse("batch=1:65", STATUS_USAGE, "65 must be from 1 to 64");
	refuse("batch=1:0", STATUS_USAGE, "0 must be from 1");
	refuse("depth=1:32769", STATUS_USAGE, "32769 must be from 1 to 32768");
	refuse("depth=all:1", STATUS_USAGE, "all must be from 1");
}

static void knob_open_poll_and_fixedbufs(void **test)
{
	(void)test;
	refuse("poll", STATUS_NOT_POSSIBLE, "the null engine has nothing to poll");
	session.engine = &engine_nvme;
	device.kind = DEVICE_NG;
	device.io_poll = 1;
	open_knob("poll=on:off");
	assert_int_equal(knob.arms[0].options->polled, CHOICE_ON);
	assert_int_equal(knob.arms[1].options->polled, CHOICE_OFF);
	assert_int_equal(knob_close(&knob, &f), 0);
	open_knob("fixedbufs=0:1");
	assert_false(knob.arms[0].options->fixed_buffers);
	assert_true(knob.arms[1].options->fixed_buffers);
	assert_int_equal(knob_close(&knob, &f), 0);
	device.io_poll = 0;
	refuse("poll", STATUS_NOT_POSSIBLE, "no poll queue");
	o.vectored = true;
	refuse("fixedbufs", STATUS_USAGE, "-V1");
	session.engine = &engine_nop;
	refuse("fixedbufs", STATUS_NOT_POSSIBLE, "has no buffers");
	session.engine = &engine_block;
	device.kind = DEVICE_BLOCK;
	device.io_poll = 1;
	refuse("poll", STATUS_USAGE, "polled reads must be direct");
}

static void knob_open_queue_attributes(void **test)
{
	(void)test;
	refuse("sysfs:nomerges=0:2", STATUS_NOT_POSSIBLE, "through no queue");
	session.engine = &engine_block;
	snprintf(device.disk, sizeof(device.disk), "no-such-disk");
	refuse("sysfs:nomerges=0:2", STATUS_NOT_POSSIBLE,
	       "/sys/block/no-such-disk/queue/nomerges: No such file");
	refuse("sysfs:../ro=0:1", STATUS_USAGE, "must name a file in");
	refuse("sysfs:iosched/x=0:1", STATUS_USAGE, "must name a file in");
	refuse("sysfs:=0:1", STATUS_USAGE, "must name a file in");
	refuse("sysfs:nomerges", STATUS_USAGE, "two settings or more");
	refuse("wbt=soon:off", STATUS_USAGE, "soon must be off, on, or a latency in us");
	refuse("wbt", STATUS_NOT_POSSIBLE, "wbt_lat_usec: No such file");
	refuse("iostats_passthrough", STATUS_NOT_POSSIBLE, "not read by passthrough");
	refuse("iostats=off:maybe", STATUS_USAGE, "maybe must be on or off");
}

/* A file that holds @text, as an attribute of @form. Returns what attr_hold() does. */
static int hold(struct attr *a, enum attr_form form, const char *text)
{
	int undo = -1;
	FILE *out;

	memset(a, 0, sizeof(*a));
	a->form = form;
	snprintf(a->path, sizeof(a->path), "%s/attr", root);
	out = fopen(a->path, "we");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	fclose(out);
	return attr_hold(a, "test", &undo, &f);
}

/* Switching to @value where the file then holds @back. */
static int switch_to(struct attr *a, const char *value, const char *back)
{
	char command[160];

	/* The file that is read back is another one than the one written to. */
	unlink(a->path);
	snprintf(command, sizeof(command), "printf '%s\\n' >%s", back, a->path);
	assert_int_equal(system(command), 0);
	return attr_switch(a, "test", value, &f);
}

static void attr_switch_reads_back(void **test)
{
	static const struct {
		const char *value, *back;
		enum attr_form form;
		bool took;
	} tries[] = {
		{"1", "1", ATTR_FLAG, true},
		{"1", "4", ATTR_FLAG, true},
		{"1", "0", ATTR_FLAG, false},
		{"0", "1", ATTR_FLAG, false},
		{"0", "none", ATTR_FLAG, false},
		{"2", "2", ATTR_TEXT, true},
		{"2", "02", ATTR_TEXT, false},
		{"none", "[none] mq-deadline", ATTR_TEXT, true},
		{"none", "none [mq-deadline]", ATTR_TEXT, false},
		{"mq-deadline", "none [mq-deadline]", ATTR_TEXT, true},
		{"write back", "write back", ATTR_TEXT, true},
		{"-1", "2000", ATTR_WBT, true},
		{"-1", "0", ATTR_WBT, false},
		{"0", "0", ATTR_WBT, true},
		{"500", "2000", ATTR_WBT, false},
	};
	struct attr a;

	(void)test;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		int ret;

		assert_int_equal(hold(&a, tries[i].form, "1\n"), 0);
		ret = switch_to(&a, tries[i].value, tries[i].back);
		if (tries[i].took != !ret)
			fail_msg("%s read back as %s: %d", tries[i].value, tries[i].back,
				 ret);
		if (ret)
			assert_refused(&f, ret, STATUS_NOT_POSSIBLE,
				       "the switch did not take");
		undo_now(0);
	}
}

/* Of a list the choice in force is what is put back. */
static void attr_hold_remembers_the_choice_in_brackets(void **test)
{
	char found[64];
	struct attr a;

	(void)test;
	assert_int_equal(hold(&a, ATTR_TEXT, "none [mq-deadline] kyber\n"), 0);
	assert_int_equal(ftruncate(a.fd, 0), 0);
	assert_int_equal(undo_now(0), 0);
	assert_int_equal(sysfs_read(found, sizeof(found), a.path), 0);
	assert_string_equal(found, "mq-deadline");
}

static void attr_hold_without_a_place_for_notes(void **test)
{
	char run[80];
	struct attr a;

	(void)test;
	snprintf(run, sizeof(run), "%s/run", root);
	assert_int_equal(rmdir(run), 0);
	assert_refused(&f, hold(&a, ATTR_FLAG, "1\n"), STATUS_NOT_POSSIBLE,
		       "so that it can be put back, in /run/plugclock");
}

#define KNOB_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KNOB_TEST(knob_open_names_what_there_is),
		KNOB_TEST(knob_open_batch_and_depth),
		KNOB_TEST(knob_open_poll_and_fixedbufs),
		KNOB_TEST(knob_open_queue_attributes),
		KNOB_TEST(attr_switch_reads_back),
		KNOB_TEST(attr_hold_remembers_the_choice_in_brackets),
		KNOB_TEST(attr_hold_without_a_place_for_notes),
	};

	return cmocka_run_group_tests_name("knob", tests, NULL, NULL);
}
