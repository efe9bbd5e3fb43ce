/* SPDX-License-Identifier: MIT */
/* options_test.h - parsing a line of text */
#ifndef OPTIONS_TEST_H
#define OPTIONS_TEST_H

#include "ng_test.h"

#include "options.h"

#define MAX_WORDS 64

static struct options o;
static struct fail f;
static char *words[MAX_WORDS];
static char line_copy[1024];

/* Parse 'ngbench LINE', split at spaces. The words live until the next call. */
static inline int parse(const char *line)
{
	static char self[] = "ngbench";
	int argc = 1;

	assert_in_range(snprintf(line_copy, sizeof(line_copy), "%s", line), 0,
			sizeof(line_copy) - 1);
	words[0] = self;
	for (char *w = strtok(line_copy, " "); w; w = strtok(NULL, " ")) {
		assert_in_range(argc, 1, MAX_WORDS - 2);
		words[argc++] = w;
	}
	words[argc] = NULL;
	memset(&f, 0, sizeof(f));
	return options_parse(&o, argc, words, &f);
}

static inline void assert_good(const char *line)
{
	if (parse(line))
		fail_msg("%s: %s", line, f.why);
	assert_int_equal(f.status, STATUS_OK);
}

#endif
