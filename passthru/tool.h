/* SPDX-License-Identifier: MIT */
/*
 * The commands that work on saved results: ngbench compare, merge and plot
 */
#ifndef NGBENCH_TOOL_H
#define NGBENCH_TOOL_H

#include <stdbool.h>

#include "fail.h"

/*
 * compare_main(), merge_main(), plot_main() - the commands, with main()'s arguments
 *
 * argv[0] is the program's name and is not looked at.
 * Context: use getopt's globals; one call at a time.
 * Returns: 0, or -1 with @f set. For compare a regression is STATUS_FAILED.
 */
int compare_main(int argc, char **argv, struct fail *f);
int merge_main(int argc, char **argv, struct fail *f);
int plot_main(int argc, char **argv, struct fail *f);

/* A command, for the parser of its command line. */
struct tool {
	const char *name;
	const char *usage;         /* the help text */
	const char *short_options; /* as getopt() takes them: ":h", with "o:" for -o */
	const char *output;        /* the long option for what it writes; NULL: none */
	bool has_limit;            /* --limit PERCENT */
	unsigned int min, max;     /* files; max 0: any number */
	const char *wants;         /* "two files", for messages */
};

struct tool_options {
	const char *output;   /* NULL: not given */
	double limit_percent; /* [0, 100) */
	char *const *files;   /* points into argv */
	unsigned int nr_files;
	bool help; /* the help text was printed, and there is nothing to do */
};

/*
 * tool_options_parse() - the command line of @tool
 *
 * Errors:  STATUS_USAGE, for all that is wrong with it.
 * Returns: 0 or -1 with @f set.
 */
int tool_options_parse(struct tool_options *o, const struct tool *tool, int argc,
		       char **argv, struct fail *f);

#endif
