// SPDX-License-Identifier: MIT
/* ngbench plot: a picture by the ending of its name. */
#include <errno.h>
#include <string.h>

#include "outfile.h"
#include "plot.h"
#include "saved.h"
#include "tool.h"

static const struct tool tool = {
	.name = "plot",
	.short_options = ":ho:",
	.output = "output",
	.min = 1,
	.max = 1,
	.wants = "one file",
	// clang-format off
	.usage =
	"ngbench plot R.json -o FILE.svg\n"
	"Draws a result of 'ngbench run --json' or 'ngbench merge': IOPS by round and arm,\n"
	"the differences with their 95 % intervals, and latency percentiles. Needs gnuplot.\n"
	"\n"
	" -o, --output FILE         the picture; its name ends in .svg or .png\n"
	" -h, --help\n"
	"\n"
	"Exit status: 0 drawn, 1 failed, 2 usage, 3 gnuplot is not installed.\n",
	// clang-format on
};

/* Of gnuplot; NULL where the ending is another. */
static const char *terminal_for(const char *path)
{
	const char *ending = strrchr(path, '.');

	if (ending && !strcmp(ending, ".svg"))
		return "svg";
	if (ending && !strcmp(ending, ".png"))
		return "pngcairo";
	return NULL;
}

/* A picture is copied to its place once it is whole. */
static int put_picture(FILE *picture, const char *path, struct fail *f)
{
	struct outfile file;
	char part[65536];
	size_t n;

	fseek(picture, 0, SEEK_END);
	if (ftell(picture) <= 0)
		return fail(f, STATUS_FAILED, "plot: gnuplot drew nothing");
	rewind(picture);
	if (outfile_open(&file, "-o", path, f))
		return -1;
	while ((n = fread(part, 1, sizeof(part), picture)) > 0)
		fwrite(part, 1, n, file.out);
	return outfile_commit(&file, f);
}

static int draw(struct saved *s, const char *path, struct fail *f)
{
	FILE *script = tmpfile(), *picture = tmpfile();
	int ret = -1;

	if (!script || !picture)
		fail(f, STATUS_FAILED, "plot: a temporary file: %s", strerror(errno));
	else if (!plot_script(script, s, terminal_for(path), f) &&
		 !gnuplot_run(script, picture, f))
		ret = put_picture(picture, path, f);
	if (picture)
		fclose(picture);
	if (script)
		fclose(script);
	return ret;
}

int plot_main(int argc, char **argv, struct fail *f)
{
	struct tool_options o;
	struct saved s;
	int ret;

	if (tool_options_parse(&o, &tool, argc, argv, f))
		return -1;
	if (o.help)
		return 0;
	if (!o.output)
		return fail(f, STATUS_USAGE, "plot: needs -o FILE.svg or -o FILE.png");
	if (!terminal_for(o.output))
		return fail(f, STATUS_USAGE, "plot: -o %s: must end in .svg or .png",
			    o.output);
	if (outfile_check("-o", o.output, f) || saved_open(&s, o.files[0], f))
		return -1;
	ret = draw(&s, o.output, f);
	saved_close(&s);
	return ret;
}
