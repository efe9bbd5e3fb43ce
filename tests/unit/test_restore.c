// SPDX-License-Identifier: MIT
/* What a killed run leaves, noted on disk and put back, on made-up files. */
#include "ng_test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

#define STATE_ROOT root
#include "state.c"
#define RESTORE_BELOW root
#include "restore.c"

#include "undo.h"

static struct fail f;
static char said[4096]; /* what restore_all() printed */

static const char *at(const char *name)
{
	static char path[2][128];
	static unsigned int next;
	char *p = path[next++ % 2];

	snprintf(p, sizeof(path[0]), "%s/%s", root, name);
	return p;
}

static void put(const char *name, const char *text)
{
	FILE *out = fopen(at(name), "we");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static void assert_holds(const char *name, const char *text)
{
	char found[256];

	assert_int_equal(sysfs_read(found, sizeof(found), at(name)), 0);
	assert_string_equal(found, text);
}

/* How many notes there are in the first place. */
static unsigned int nr_notes(void)
{
	DIR *dir = opendir(at("run/plugclock"));
	const struct dirent *e;
	unsigned int n = 0;

	while (dir && (e = readdir(dir)))
		n += e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

static int set_up(void **test)
{
	(void)test;
	snprintf(root, sizeof(root), "/tmp/restore.XXXXXX");
	if (!mkdtemp(root) || mkdir(at("run"), 0700))
		return -1;
	memset(&f, 0, sizeof(f));
	return 0;
}

static int tear_down(void **test)
{
	char command[96];

	(void)test;
	undo_now(0);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static int restore(void)
{
	FILE *out = fmemopen(said, sizeof(said), "w");
	int ret;

	assert_non_null(out);
	ret = restore_all(out, &f);
	fclose(out);
	return ret;
}

/* A file opened to be changed, which holds @text, with that noted. */
static int hold(const char *name, const char *text)
{
	int fd = open(at(name), O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return undo_add(fd, at(name), text);
}

/* A run that turns two files and is killed. Returns its pid. */
static pid_t run_and_die(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (hold("first", "1") < 0 || hold("second", "mq-deadline") < 0)
			_exit(1);
		put("first", "0");
		put("second", "none");
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	return pid;
}

static void notes_come_before_the_change_and_go_with_the_undo(void **test)
{
	char path[STATE_PATH_LEN];
	int first, second;

	(void)test;
	put("first", "1");
	put("second", "2");
	assert_int_equal(nr_notes(), 0);
	first = hold("first", "1");
	assert_int_equal(nr_notes(), 1);
	second = hold("second", "2");
	assert_true(first >= 0 && second > first);
	assert_int_equal(nr_notes(), 1);
	assert_int_equal(undo_now(second), 0);
	assert_int_equal(nr_notes(), 1);
	assert_int_equal(undo_now(first), 0);
	assert_int_equal(nr_notes(), 0);
	assert_int_equal(restore_pending(path), 0);
}

static void what_a_killed_run_left_is_put_back_once(void **test)
{
	char path[STATE_PATH_LEN], line[160];
	pid_t pid;

	(void)test;
	put("first", "1");
	put("second", "mq-deadline");
	pid = run_and_die();
	assert_holds("second", "none");
	assert_int_equal(restore_pending(path), 2);
	assert_string_equal(path, at("first"));
	put("first", ""); /* a regular file is appended to */
	put("second", "");
	assert_int_equal(restore(), 0);
	assert_holds("first", "1");
	assert_holds("second", "mq-deadline");
	snprintf(line, sizeof(line), "%s: put back to mq-deadline (run %d)\n%s",
		 at("second"), pid, at("first"));
	assert_non_null(strstr(said, line)); /* the last change first */
	assert_int_equal(restore_pending(path), 0);
	assert_int_equal(nr_notes(), 0);
	assert_int_equal(restore(), 0);
	assert_string_equal(said, "nothing to put back\n");
	assert_holds("first", "1");
}

static void a_live_run_is_left_alone(void **test)
{
	char path[STATE_PATH_LEN];

	(void)test;
	put("first", "0");
	assert_true(hold("first", "1") >= 0);
	assert_int_equal(restore_pending(path), 0);
	assert_int_equal(restore(), 0);
	assert_non_null(strstr(said, "is still at work: left alone"));
	assert_holds("first", "0");
	assert_int_equal(nr_notes(), 1);
}

/* Notes as @head and @lines have them, of a run that is dead. */
static void leave(const char *head, const char *lines)
{
	char text[1024];

	if (mkdir(at("run/plugclock"), 0755))
		assert_int_equal(errno, EEXIST);
	snprintf(text, sizeof(text), "%s%s", head, lines);
	put("run/plugclock/run-77-0", text);
}

static const char *head_of_this_boot(void)
{
	static char head[128];
	char boot[64];

	assert_int_equal(state_boot_id(boot, sizeof(boot)), 0);
	snprintf(head, sizeof(head), STATE_TITLE "\n%s\n77\n", boot);
	return head;
}

static const char *line_of(const char *name, const char *rest)
{
	static char line[256];

	snprintf(line, sizeof(line), "%s%s", at(name), rest);
	return line;
}

static void notes_of_an_earlier_boot_are_dropped(void **test)
{
	char path[STATE_PATH_LEN];

	(void)test;
	put("first", "0");
	leave(STATE_TITLE "\n00000000-0000-0000-0000-000000000000\n77\n",
	      line_of("first", "\t1\n"));
	assert_int_equal(restore_pending(path), 0);
	assert_int_equal(restore(), 0);
	assert_non_null(strstr(said, "run 77, from before this boot: dropped"));
	assert_holds("first", "0");
	assert_int_equal(nr_notes(), 0);
}

static void a_note_cut_short_was_before_its_change(void **test)
{
	(void)test;
	put("first", "0");
	leave(head_of_this_boot(), line_of("first", "\t11"));
	assert_int_equal(restore(), 0);
	assert_string_equal(said, "nothing to put back\n");
	assert_holds("first", "0");
	assert_int_equal(nr_notes(), 0);
	/* Nor has a run changed anything that did not get through its header. */
	leave(STATE_TITLE "\n", "");
	assert_int_equal(restore(), 0);
	assert_int_equal(nr_notes(), 0);
}

static void what_is_gone_needs_no_undo(void **test)
{
	(void)test;
	leave(head_of_this_boot(), line_of("missing", "\t1\n"));
	assert_int_equal(restore(), 0);
	assert_non_null(strstr(said, "missing: gone, nothing to put back (run 77)"));
	assert_int_equal(nr_notes(), 0);
}

static void what_cannot_be_put_back_stays_noted(void **test)
{
	(void)test;
	assert_int_equal(mkdir(at("folder"), 0700), 0);
	leave(head_of_this_boot(), line_of("folder", "\t1\n"));
	assert_refused(&f, restore(), STATUS_FAILED, "folder: Is a directory");
	assert_int_equal(nr_notes(), 1);
	leave(head_of_this_boot(), "/etc/passwd\troot\n");
	assert_refused(&f, restore(), STATUS_FAILED, "nothing of ngbench's");
	leave(head_of_this_boot(), line_of("x/../../../etc/passwd", "\troot\n"));
	assert_refused(&f, restore(), STATUS_FAILED, "nothing of ngbench's");
}

static void a_failed_undo_stays_noted_with_what_was_below_it(void **test)
{
	int fd, first;

	(void)test;
	put("first", "0");
	put("second", "0");
	first = hold("first", "1");
	fd = open(at("second"), O_RDONLY | O_CLOEXEC);
	assert_true(undo_add(fd, at("second"), "1") > first);
	assert_int_equal(undo_now(first), -EBADF);
	assert_holds("first", "1");
	assert_int_equal(nr_notes(), 1);
}

static void a_folder_that_others_may_write_to_is_not_trusted(void **test)
{
	char path[STATE_PATH_LEN];

	(void)test;
	put("first", "0");
	leave(head_of_this_boot(), line_of("first", "\t1\n"));
	assert_int_equal(chmod(at("run/plugclock"), 0777), 0);
	assert_int_equal(restore_pending(path), 0);
	assert_int_equal(restore(), 0);
	assert_holds("first", "0");
	/* Nor is anything noted there: with no other place it is said. */
	assert_int_equal(hold("first", "1"), -ENOENT);
	assert_int_equal(mkdir(at("tmp"), 0700), 0);
	assert_true(hold("first", "1") >= 0);
	assert_int_equal(nr_notes(), 1);
}

static void a_note_that_is_no_single_line_is_refused(void **test)
{
	int fd;

	(void)test;
	put("first", "0");
	fd = open(at("first"), O_RDWR | O_CLOEXEC);
	assert_int_equal(undo_add(fd, at("first"), "1\n/sys/x\t2"), -EINVAL);
	assert_int_equal(undo_add(fd, at("first\t"), "1"), -EINVAL);
	assert_int_equal(nr_notes(), 0);
	close(fd);
}

#define RESTORE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESTORE_TEST(notes_come_before_the_change_and_go_with_the_undo),
		RESTORE_TEST(what_a_killed_run_left_is_put_back_once),
		RESTORE_TEST(a_live_run_is_left_alone),
		RESTORE_TEST(notes_of_an_earlier_boot_are_dropped),
		RESTORE_TEST(a_note_cut_short_was_before_its_change),
		RESTORE_TEST(what_is_gone_needs_no_undo),
		RESTORE_TEST(what_cannot_be_put_back_stays_noted),
		RESTORE_TEST(a_folder_that_others_may_write_to_is_not_trusted),
		RESTORE_TEST(a_note_that_is_no_single_line_is_refused),
		RESTORE_TEST(a_failed_undo_stays_noted_with_what_was_below_it), /* last */
	};

	return cmocka_run_group_tests_name("restore", tests, NULL, NULL);
}
