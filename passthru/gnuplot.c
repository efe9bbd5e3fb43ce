// SPDX-License-Identifier: MIT
#include "plot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The line that names the error; above it gnuplot repeats the command and points at it. */
static void last_line(FILE *said, char line[160])
{
	char text[160];

	line[0] = 0;
	rewind(said);
	while (fgets(text, sizeof(text), said)) {
		text[strcspn(text, "\n")] = 0;
		if (text[strspn(text, " ^\t")])
			snprintf(line, 160, "%s", text);
	}
}

static int spawn(FILE *script, FILE *picture, FILE *said, pid_t *pid)
{
	static char *const argv[] = {"gnuplot", "-d", "-", NULL};
	posix_spawn_file_actions_t actions;
	int err;

	err = posix_spawn_file_actions_init(&actions);
	if (err)
		return err;
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
	err = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

int gnuplot_run(FILE *script, FILE *picture, struct fail *f)
{
	FILE *said = tmpfile();
	char line[160];
	int err, status = 0;
	pid_t pid;

	if (!said)
		return fail(f, STATUS_FAILED, "plot: a temporary file: %s",
			    strerror(errno));
	fflush(script);
	rewind(script);
	err = spawn(script, picture, said, &pid);
	if (err == ENOENT) {
		fail(f, STATUS_NOT_POSSIBLE,
		     "plot: gnuplot is not installed; it is in the package gnuplot-nox "
		     "of "
		     "Debian, gnuplot of Fedora and Arch");
	} else if (err) {
		fail(f, STATUS_FAILED, "plot: gnuplot: %s", strerror(err));
	} else {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		last_line(said, line);
		if (WIFSIGNALED(status))
			fail(f, STATUS_FAILED, "plot: gnuplot was ended by signal %d",
			     WTERMSIG(status));
		else if (status)
			fail(f, STATUS_FAILED, "plot: gnuplot: %s",
			     line[0] ? line : "failed without a word");
	}
	fclose(said);
	return f->status ? -1 : 0;
}
