// SPDX-License-Identifier: MIT
#include "plot.h"

#include <ctype.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "ab.h"

#define MAX_PERCENTILES 64
/* Beyond so many points a mark on each hides the line. */
#define MAX_MARKS 100

/*
 * A string in single quotes, where nothing is special but the quote. It becomes
 * a typographic one: gnuplot 5.4 takes a doubled quote for the end of the string
 * where it stands at its beginning.
 */
static void quote(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("\u2019", out);
		else
			fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
	}
	fputc('\'', out);
}

static long long option(const struct saved *s, const char *name)
{
	struct json_object *o;

	json_object_object_get_ex(s->root, "options", &o);
	json_object_object_get_ex(o, name, &o);
	return json_object_get_int64(o);
}

static void put_title(FILE *out, const struct saved *s)
{
	const struct result *r = &s->result;
	time_t started_s = (time_t)r->started_unix_s;
	long long threads = option(s, "threads");
	bool ab = r->knob[0], stamped = !ab && strcmp(r->arms[0].name, "off");
	char text[256], when[32] = "", host[24];
	struct tm tm;

	if (started_s && gmtime_r(&started_s, &tm))
		strftime(when, sizeof(when), ", %Y-%m-%d %H:%M UTC", &tm);
	snprintf(text, sizeof(text),
		 "ngbench%s%s, %s engine, reads of %lld bytes, depth %lld, %lld thread%s",
		 ab        ? " --ab "
		 : stamped ? " --lat "
			   : "",
		 ab        ? r->knob
		 : stamped ? r->arms[0].name
			   : "",
		 saved_condition(s, "engine"), option(s, "block_size"),
		 option(s, "depth"), threads, threads == 1 ? "" : "s");
	quote(out, text);
	fputs(".\"\\n\".", out);
	snprintf(text, sizeof(text), "%s, Linux %s%s%s", saved_host(s, host),
		 saved_condition(s, "kernel"), when,
		 r->complete ? "" : ", STOPPED EARLY");
	quote(out, text);
}

/* Where a panel is, in parts of the picture; edges are left for labels outside. */
static void put_panel(FILE *out, double left, double right, double bottom, double top)
{
	fprintf(out,
		"set lmargin at screen %g\nset rmargin at screen %g\n"
		"set bmargin at screen %g\nset tmargin at screen %g\n",
		left, right, bottom, top);
}

static void put_iops(FILE *out, const struct result *r, unsigned int n)
{
	double unit = 1, max = 0;
	bool ab = r->knob[0];

	for (unsigned int i = 0; i < r->nr_arms; i++)
		max = fmax(max, r->arms[i].iops_mean);
	if (max >= 1e6)
		unit = 1e6;
	else if (max >= 1e3)
		unit = 1e3;
	fprintf(out,
		"set title 'IOPS by %s'\nset xlabel '%s'\nset ylabel '%sIOPS'\n"
		"set xrange [0.5:%u.5]\nset offsets 0, 0, graph 0.08, graph 0.08\n"
		"set format y '%%g'\n%s\n%s\n",
		ab ? "round" : "second", ab ? "round" : "second of the run",
		unit == 1e6   ? "million "
		: unit == 1e3 ? "thousand "
			      : "",
		n, n <= 12 ? "set xtics 1" : "set xtics autofreq",
		r->nr_arms > 1 ? "set key outside below center horizontal" : "unset key");
	for (unsigned int i = 0; i < r->nr_arms; i++) {
		const double *values = ab ? r->arms[i].rounds : r->arms[i].seconds;

		fprintf(out, "$iops%u << EOD\n", i);
		for (unsigned int k = 0; k < n; k++)
			fprintf(out, "%u %.10g\n", k + 1, values[k] / unit);
		fputs("EOD\n", out);
	}
	fputs("plot ", out);
	for (unsigned int i = 0; i < r->nr_arms; i++) {
		fprintf(out, "%s$iops%u with %s ls %u title ", i ? ", " : "", i,
			n > MAX_MARKS ? "lines" : "linespoints", i + 1);
		quote(out, r->arms[i].name);
	}
	fputs("\nset offsets 0, 0, 0, 0\n", out);
}

/* The intervals as the report has them. */
static void put_differences(FILE *out, const struct result *r)
{
	fprintf(out, "set ylabel 'IOPS in %%'\nunset xlabel\nunset key\nset title "
		     "'against '.");
	quote(out, r->arms[0].name);
	fprintf(out,
		".', with 95 %% interval'\nset xrange [0.5:%u.9]\n"
		"set offsets 0, 0, graph 0.1, graph 0.1\nset format y '%%+g'\n"
		"set xzeroaxis ls 100\nset xtics (",
		r->nr_comparisons);
	for (unsigned int i = 0; i < r->nr_comparisons; i++) {
		fputs(i ? ", " : "", out);
		quote(out, r->arms[r->comparisons[i].b].name);
		fprintf(out, " %u", i + 1);
	}
	fputs(")\n$differences << EOD\n", out);
	for (unsigned int i = 0; i < r->nr_comparisons; i++)
		fprintf(out, "%u %.10g %.10g %.10g %u\n", i + 1,
			r->comparisons[i].diff_percent, r->comparisons[i].ci95_percent[0],
			r->comparisons[i].ci95_percent[1], i + 2);
	/* 0 belongs to the picture: is it inside an interval? */
	fputs("EOD\nplot [][] 0 with lines ls 100, ", out);
	for (unsigned int i = 0; i < r->nr_comparisons; i++)
		fprintf(out,
			"%s$differences every ::%u::%u using 1:2:3:4 with yerrorbars ls "
			"%u",
			i ? ", " : "", i, i, i + 2);
	fputs(", $differences using 1:2:(sprintf('%+.2f %%', $2)) with labels left "
	      "offset 1, 0\n"
	      "set xtics autofreq\nset offsets 0, 0, 0, 0\nunset xzeroaxis\n",
	      out);
}

/* Per cent on an axis that gives each further nine as much room. */
static void put_latencies(FILE *out, const struct saved *s)
{
	const struct result *r = &s->result;
	bool first = true;

	fputs("set title 'latency percentiles'\nset xlabel '% of the I/Os'\n"
	      "set ylabel 'latency'\nset logscale y\nset format y '%.0s %cs'\n"
	      "set xrange [0:4.1]\nset yrange [*:*]\nunset key\n"
	      "set xtics ('0' 0, '50' 0.30103, '90' 1, '99' 2, '99.9' 3, '99.99' 4)\n",
	      out);
	for (unsigned int i = 0; i < r->nr_arms; i++) {
		struct saved_percentile list[MAX_PERCENTILES];
		unsigned int n = saved_percentiles(s, i, list, MAX_PERCENTILES);

		if (!n)
			continue;
		fprintf(out, "$latency%u << EOD\n", i);
		for (unsigned int k = 0; k < n; k++)
			fprintf(out, "%.6g %.6g\n", -log10(1 - list[k].percent / 100),
				list[k].ns / 1e9);
		fputs("EOD\n", out);
	}
	for (unsigned int i = 0; i < r->nr_arms; i++) {
		struct saved_percentile one;

		if (!saved_percentiles(s, i, &one, 1))
			continue;
		fprintf(out, "%s$latency%u with linespoints ls %u title ",
			first ? "plot " : ", ", i, i + 1);
		quote(out, r->arms[i].name);
		first = false;
	}
	fputc('\n', out);
}

static bool has_latencies(const struct saved *s)
{
	struct saved_percentile one;

	for (unsigned int i = 0; i < s->result.nr_arms; i++)
		if (saved_percentiles(s, i, &one, 1))
			return true;
	return false;
}

static void put_styles(FILE *out)
{
	/* Okabe and Ito's colours, which colour-blind people can tell apart. */
	static const char *const colours[RESULT_MAX_ARMS] = {
		"#0072B2", "#D55E00", "#009E73", "#CC79A7",
		"#E69F00", "#56B4E9", "#000000", "#7F7F7F",
	};
	static const unsigned int marks[RESULT_MAX_ARMS] = {7, 5, 9, 13, 11, 6, 4, 8};

	for (unsigned int i = 0; i < RESULT_MAX_ARMS; i++)
		fprintf(out, "set style line %u lc rgb '%s' lw 1.6 pt %u ps 0.7\n", i + 1,
			colours[i], marks[i]);
	fputs("set style line 100 lc rgb '#7F7F7F' lw 1 dt 2\n"
	      "set style line 101 lc rgb '#D0D0D0' lw 0.6\n"
	      "set grid ls 101\nset border lc rgb '#404040'\nset bars 2\n"
	      "set encoding utf8\n",
	      out);
}

int plot_script(FILE *script, struct saved *s, const char *terminal, struct fail *f)
{
	struct result *r = &s->result;
	unsigned int n = r->knob[0] ? r->nr_rounds : r->arms[0].nr_seconds;
	bool latencies = has_latencies(s);
	double bottom = latencies ? 0.58 : 0.17, top = latencies ? 0.86 : 0.8;

	if (!n)
		return fail(f, STATUS_FAILED,
			    "plot: %s: the run has no whole second to draw; run it with "
			    "-r 10",
			    s->path);
	if (r->knob[0] && ab_compare(r, 1, false, f))
		return -1;
	fprintf(script,
		"set terminal %s noenhanced size 1000,%d font 'DejaVu Sans,%d' "
		"background rgb 'white'\n",
		terminal, latencies ? 800 : 480,
		/* Pixels in one, points in the other. */
		strcmp(terminal, "svg") ? 12 : 15);
	put_styles(script);
	fputs("set multiplot title ", script);
	put_title(script, s);
	fputc('\n', script);
	put_panel(script, 0.11, r->nr_comparisons ? 0.58 : 0.97, bottom, top);
	put_iops(script, r, n);
	if (r->nr_comparisons) {
		put_panel(script, 0.70, 0.97, bottom, top);
		put_differences(script, r);
	}
	if (latencies) {
		put_panel(script, 0.11, 0.97, 0.13, 0.42);
		put_latencies(script, s);
	}
	fputs("unset multiplot\n", script);
	return 0;
}
