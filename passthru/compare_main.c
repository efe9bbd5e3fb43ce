// SPDX-License-Identifier: MIT
/* ngbench compare: the table, the verdict and the exit status. */
#include <stdio.h>
#include <time.h>

#include "comparable.h"
#include "compare.h"
#include "saved.h"
#include "tool.h"
#include "units.h"

static const struct tool tool = {
	.name = "compare",
	.short_options = ":h",
	.has_limit = true,
	.min = 2,
	.max = 2,
	.wants = "two files, the earlier first",
	// clang-format off
	.usage =
	"ngbench compare [--limit PERCENT] A.json B.json\n"
	"Compares two results of 'ngbench run --json' that were got by the same settings,\n"
	"B against A, each difference with its 95 % interval. Exit status 1 where B is\n"
	"slower: where a whole interval is below the limit.\n"
	"\n"
	"     --limit PERCENT       accept this much of a loss [0]\n"
	" -h, --help\n"
	"\n"
	"Exit status: 0 no regression shown, 1 a regression or a file that is not valid,\n"
	"2 usage, 3 the two cannot be compared.\n",
	// clang-format on
};

static void print_file(char name, const struct saved *s)
{
	char when[32] = "at an unknown time", host[24];
	time_t started_s = (time_t)s->result.started_unix_s;
	struct tm tm;

	if (started_s && gmtime_r(&started_s, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm);
	printf("%c: %s (%s, Linux %s, %s%s)\n", name, s->path, saved_host(s, host),
	       saved_condition(s, "kernel"), when,
	       s->result.complete ? "" : ", stopped early by a signal");
}

static const char *word(const struct compared *c)
{
	if (c->high < 0)
		return c->of_gap ? "costs more" : "slower";
	if (c->low > 0)
		return c->of_gap ? "costs less" : "faster";
	return "no difference shown";
}

static void print_change(const struct compared *c)
{
	char a[32], b[32], interval[48];

	if (c->of_gap) {
		snprintf(a, sizeof(a), "%+.2f %%", c->a);
		snprintf(b, sizeof(b), "%+.2f %%", c->b);
	} else {
		units_format_iops(a, c->a);
		units_format_iops(b, c->b);
	}
	snprintf(interval, sizeof(interval), "[%+.2f, %+.2f]", c->low, c->high);
	printf("%-10s %10s %10s %+9.2f %%  %-18s %s\n", c->arm, a, b, c->percent,
	       interval, word(c));
}

static void print_changes(const struct result *r, const struct compared *changes,
			  unsigned int n)
{
	bool gaps = false;

	printf("\n%-10s %10s %10s %11s  %-18s\n", r->knob[0] ? r->knob : "lat", "A IOPS",
	       "B IOPS", "B against A", "95 % interval");
	for (unsigned int i = 0; i < n; i++) {
		if (changes[i].of_gap && !gaps)
			printf("\nagainst %s, each within its own run:\n",
			       r->arms[0].name);
		gaps = changes[i].of_gap;
		print_change(&changes[i]);
	}
	putchar('\n');
}

static int verdict(const struct saved *a, const struct saved *b,
		   const struct compared *changes, unsigned int n, double limit,
		   struct fail *f)
{
	const struct compared *worst = compare_worst(changes, n, limit);
	double low = changes[0].low;

	if (worst)
		return fail(
			f, STATUS_FAILED,
			"compare: %s is a regression against %s: %s %s%+.2f %% [%+.2f, "
			"%+.2f], and the limit is %g %%",
			b->path, a->path, worst->arm,
			worst->of_gap ? "against the first arm " : "", worst->percent,
			worst->low, worst->high, limit);
	for (unsigned int i = 1; i < n; i++)
		if (changes[i].low < low)
			low = changes[i].low;
	printf("No regression beyond %g %% is shown", limit);
	if (low < -limit)
		printf(", nor is one of up to %.2f %% ruled out", -low);
	puts(".");
	return 0;
}

int compare_main(int argc, char **argv, struct fail *f)
{
	struct compared changes[COMPARE_MAX_CHANGES];
	struct saved a = {0}, b = {0};
	struct tool_options o;
	int n = -1, ret = -1;

	if (tool_options_parse(&o, &tool, argc, argv, f))
		return -1;
	if (o.help)
		return 0;
	if (saved_open(&a, o.files[0], f) || saved_open(&b, o.files[1], f) ||
	    comparable(&a, &b, f))
		goto close;
	n = compare_results(&a.result, &b.result, changes, f);
	if (n < 0)
		goto close;
	print_file('A', &a);
	print_file('B', &b);
	comparable_notes(stdout, &a, &b);
	print_changes(&b.result, changes, (unsigned int)n);
	ret = verdict(&a, &b, changes, (unsigned int)n, o.limit_percent, f);
	fflush(stdout);
close:
	saved_close(&b);
	saved_close(&a);
	return ret;
}
