// SPDX-License-Identifier: MIT
#include "tool.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPT_LIMIT = 256 };

static int take_limit(const struct tool *tool, const char *text, double *percent,
		      struct fail *f)
{
	char *end;

	*percent = strtod(text, &end);
	if (end == text || *end || !(*percent >= 0 && *percent < 100))
		return fail(f, STATUS_USAGE,
			    "%s: --limit %s: must be a number of per cent from 0 up to "
			    "100",
			    tool->name, text);
	return 0;
}

static int refuse(const struct tool *tool, int c, const char *word, struct fail *f)
{
	return fail(f, STATUS_USAGE, "%s: %s: %s; see ngbench %s --help", tool->name,
		    word, c == ':' ? "needs a value" : "no such option, or not in full",
		    tool->name);
}

int tool_options_parse(struct tool_options *o, const struct tool *tool, int argc,
		       char **argv, struct fail *f)
{
	struct option options[4] = {{"help", no_argument, NULL, 'h'}};
	unsigned int n = 1;
	int c;

	*o = (struct tool_options){0};
	if (tool->output)
		options[n++] =
			(struct option){tool->output, required_argument, NULL, 'o'};
	if (tool->has_limit)
		options[n++] =
			(struct option){"limit", required_argument, NULL, OPT_LIMIT};
	opterr = 0;
	optind = 0; /* GNU: start over, argv may be permuted again */
	while ((c = getopt_long(argc, argv, tool->short_options, options, NULL)) != -1) {
		switch (c) {
		case 'h':
			o->help = true;
			fputs(tool->usage, stdout);
			return 0;
		case 'o':
			o->output = optarg;
			break;
		case OPT_LIMIT:
			if (take_limit(tool, optarg, &o->limit_percent, f))
				return -1;
			break;
		default:
			return refuse(tool, c, argv[optind - 1], f);
		}
	}
	o->files = argv + optind;
	o->nr_files = (unsigned int)(argc - optind);
	if (o->nr_files < tool->min || (tool->max && o->nr_files > tool->max))
		return fail(f, STATUS_USAGE, "%s: needs %s; see ngbench %s --help",
			    tool->name, tool->wants, tool->name);
	return 0;
}
