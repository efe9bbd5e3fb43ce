// SPDX-License-Identifier: MIT
/* ngbench merge: the table of hosts, and the merged file. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "outfile.h"
#include "report.h"
#include "tool.h"
#include "units.h"

static const struct tool tool = {
	.name = "merge",
	.short_options = ":h",
	.output = "json",
	.min = 2,
	.wants = "two files or more, one of each host",
	// clang-format off
	.usage =
	"ngbench merge [--json FILE] A.json B.json...\n"
	"Adds up the results of 'ngbench run --json' from several hosts, arm by arm.\n"
	"All must be of the same settings.\n"
	"\n"
	"     --json FILE           the sum, with each host's own; - is standard output\n"
	" -h, --help\n"
	"\n"
	"Exit status: 0 good, 1 a file is not valid, 2 usage, 3 they cannot be added up.\n",
	// clang-format on
};

static void print_row(FILE *out, const char *host, const char *path,
		      const struct result *r)
{
	char text[32];

	fprintf(out, "%-16s %-24s", host, path);
	for (unsigned int i = 0; i < r->nr_arms; i++)
		fprintf(out, " %10s", units_format_iops(text, r->arms[i].iops_mean));
	fputc('\n', out);
}

static void print_together(FILE *out, struct together t, unsigned int n)
{
	if (t.all_s <= 0)
		fprintf(out, "%u hosts; whether they ran together is not known\n\n", n);
	else
		fprintf(out, "%u hosts, which ran together for %.1f of %.1f s%s\n\n", n,
			t.together_s, t.all_s,
			t.together_s < 0.9 * t.all_s
				? ": their sum is none of drives or links that they share"
				: "");
}

/* Of all hosts' I/Os; where some have latencies and one has not, which. */
static void print_latency(FILE *out, const struct result *r, unsigned int arm,
			  const struct saved *list, unsigned int n)
{
	const char *lacks = merge_lacks_latency(list, n, arm);
	const struct histogram *h = r->arms[arm].latency;
	bool kept = false;

	for (unsigned int i = 0; i < n; i++)
		kept |= list[i].result.arms[arm].latency != NULL;
	if (lacks && kept)
		fprintf(out, "latency %s: not of all, %s has none\n", r->arms[arm].name,
			lacks);
	else if (h && h->count)
		fprintf(out,
			"latency %s: p50 %llu, p99 %llu, p99.9 %llu, mean %.0f, "
			"max %llu ns, of %llu I/Os\n",
			r->arms[arm].name,
			(unsigned long long)histogram_percentile(h, 50),
			(unsigned long long)histogram_percentile(h, 99),
			(unsigned long long)histogram_percentile(h, 99.9),
			histogram_mean(h), (unsigned long long)h->max_ns,
			(unsigned long long)h->count);
}

static void print_merged(FILE *out, const struct result *r, const struct saved *list,
			 unsigned int n)
{
	char host[24];

	print_together(out, merge_together(list, n), n);
	fprintf(out, "%-16s %-24s", "host", "file");
	for (unsigned int i = 0; i < r->nr_arms; i++)
		fprintf(out, " %10s", r->arms[i].name);
	fputc('\n', out);
	for (unsigned int i = 0; i < n; i++)
		print_row(out, saved_host(&list[i], host), list[i].path, &list[i].result);
	print_row(out, "all, IOPS", "", r);
	for (unsigned int i = 0; i < r->nr_arms; i++)
		print_latency(out, r, i, list, n);
	for (unsigned int i = 0; i < r->nr_comparisons; i++) {
		const struct comparison *c = &r->comparisons[i];

		fprintf(out, "%s%s against %s: IOPS %+.2f %% [%+.2f, %+.2f]\n",
			i ? "" : "\n", r->arms[c->b].name, r->arms[c->a].name,
			c->diff_percent, c->ci95_percent[0], c->ci95_percent[1]);
	}
}

static int write_merged(const char *path, const struct result *r,
			const struct saved *list, unsigned int n, struct fail *f)
{
	struct json_object *o;
	struct outfile file;

	if (outfile_open(&file, "--json", path, f))
		return -1;
	o = merge_json(r, list, n);
	report_json_print(file.out, o);
	json_object_put(o);
	return outfile_commit(&file, f);
}

static int merge(const struct tool_options *o, struct saved *list, struct fail *f)
{
	FILE *out = o->output && !strcmp(o->output, "-") ? stderr : stdout;
	unsigned int n = o->nr_files;
	struct result r;
	int ret;

	for (unsigned int i = 0; i < n; i++)
		if (saved_open(&list[i], o->files[i], f))
			return -1;
	if (merge_check(list, n, f))
		return -1;
	result_init(&r);
	ret = merge_results(&r, list, n, f);
	if (!ret && o->output)
		ret = write_merged(o->output, &r, list, n, f);
	if (!ret)
		print_merged(out, &r, list, n);
	result_done(&r);
	return ret;
}

int merge_main(int argc, char **argv, struct fail *f)
{
	struct tool_options o;
	struct saved *list;
	int ret;

	if (tool_options_parse(&o, &tool, argc, argv, f))
		return -1;
	if (o.help)
		return 0;
	if (o.output && outfile_check("--json", o.output, f))
		return -1;
	list = calloc(o.nr_files, sizeof(*list));
	if (!list)
		return fail(f, STATUS_FAILED, "out of memory");
	ret = merge(&o, list, f);
	for (unsigned int i = 0; i < o.nr_files; i++)
		saved_close(&list[i]);
	free(list);
	return ret;
}
