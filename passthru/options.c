// SPDX-License-Identifier: MIT
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"
#include "units.h"

const char *const lat_mode_names[3] = {"off", "clock", "cached"};

enum {
	OPT_ENGINE = 256,
	OPT_LAT,
	OPT_AB,
	OPT_ROUNDS,
	OPT_JSON,
	OPT_CPUS,
	OPT_RATE,
	OPT_IO_COUNT,
	OPT_MAX_ERRORS,
	OPT_SQPOLL,
	OPT_VERSION,
};

#define SHORT_OPTIONS ":d:s:c:b:p:B:F:n:O:N:t:T:r:R:a:S:X:P:V:u:H:h"

static const struct option long_options[] = {
	{"depth", required_argument, NULL, 'd'},
	{"submit-batch", required_argument, NULL, 's'},
	{"complete-batch", required_argument, NULL, 'c'},
	{"block-size", required_argument, NULL, 'b'},
	{"polled", required_argument, NULL, 'p'},
	{"fixed-buffers", required_argument, NULL, 'B'},
	{"registered-files", required_argument, NULL, 'F'},
	{"registered-ring", required_argument, NULL, 'X'},
	{"threads", required_argument, NULL, 'n'},
	{"direct", required_argument, NULL, 'O'},
	{"percentiles", required_argument, NULL, 't'},
	{"runtime", required_argument, NULL, 'r'},
	{"random", required_argument, NULL, 'R'},
	{"numa", required_argument, NULL, 'P'},
	{"vectored", required_argument, NULL, 'V'},
	{"passthrough", required_argument, NULL, 'u'},
	{"huge-file", required_argument, NULL, 'H'},
	{"engine", required_argument, NULL, OPT_ENGINE},
	{"lat", required_argument, NULL, OPT_LAT},
	{"ab", required_argument, NULL, OPT_AB},
	{"rounds", required_argument, NULL, OPT_ROUNDS},
	{"json", required_argument, NULL, OPT_JSON},
	{"cpus", required_argument, NULL, OPT_CPUS},
	{"rate", required_argument, NULL, OPT_RATE},
	{"io-count", required_argument, NULL, OPT_IO_COUNT},
	{"max-errors", required_argument, NULL, OPT_MAX_ERRORS},
	{"sqpoll", required_argument, NULL, OPT_SQPOLL},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, 'h'},
	{0},
};

/* The option as the user typed it, near enough: for messages. */
static const char *option_name(int c, char buf[32])
{
	for (const struct option *l = long_options; l->name; l++)
		if (l->val == c && c >= 256) {
			snprintf(buf, 32, "--%s", l->name);
			return buf;
		}
	snprintf(buf, 32, "-%c", c);
	return buf;
}

static int take_long(int c, const char *text, uint64_t min, uint64_t max, uint64_t *value,
		     struct fail *f)
{
	int (*parse)(const char *, uint64_t *) =
		c == 'b' ? units_parse_size : units_parse_count;
	char name[32];
	uint64_t n;
	int ret = parse(text, &n);

	if (ret == -EINVAL)
		return fail(f, STATUS_USAGE, "%s %s: not a number", option_name(c, name),
			    text);
	if (ret || n < min || n > max)
		return fail(f, STATUS_USAGE, "%s %s: must be from %llu to %llu",
			    option_name(c, name), text, (unsigned long long)min,
			    (unsigned long long)max);
	*value = n;
	return 0;
}

static int take_count(int c, const char *text, uint64_t min, uint64_t max,
		      unsigned int *value, struct fail *f)
{
	uint64_t n = 0;

	if (take_long(c, text, min, max, &n, f))
		return -1;
	*value = (unsigned int)n;
	return 0;
}

static int take_bool(int c, const char *text, bool *value, struct fail *f)
{
	char name[32];

	if (strcmp(text, "0") && strcmp(text, "1"))
		return fail(f, STATUS_USAGE, "%s %s: must be 0 or 1",
			    option_name(c, name), text);
	*value = text[0] == '1';
	return 0;
}

static int take_choice(int c, const char *text, enum choice *value, struct fail *f)
{
	bool on = false;

	if (take_bool(c, text, &on, f))
		return -1;
	*value = on ? CHOICE_ON : CHOICE_OFF;
	return 0;
}

static int take_lat(const char *text, enum lat_mode *lat, struct fail *f)
{
	for (unsigned int i = 0; i < 3; i++)
		if (!strcmp(text, lat_mode_names[i])) {
			*lat = (enum lat_mode)i;
			return 0;
		}
	return fail(f, STATUS_USAGE, "--lat %s: must be off, clock or cached", text);
}

static int take_cpus(struct options *o, const char *text, struct fail *f)
{
	int n;

	o->cpus_auto = !strcmp(text, "auto");
	o->nr_cpus = 0;
	if (o->cpus_auto)
		return 0;
	n = units_parse_cpus(text, o->cpus, OPTIONS_MAX_CPUS);
	if (n < 0)
		return fail(f, STATUS_USAGE,
			    "--cpus %s: must be auto, or a list such as 2,3 or 0-3",
			    text);
	o->nr_cpus = (unsigned int)n;
	return 0;
}

/* What t/io_uring has and ngbench does not: refused when asked for, fine when not. */
static int take_foreign(int c, const char *text, const char *what, struct fail *f)
{
	bool on = false;

	if (take_bool(c, text, &on, f))
		return -1;
	if (on)
		return fail(f, STATUS_NOT_POSSIBLE,
			    "-%c 1: ngbench drives io_uring only; %s is t/io_uring's", c,
			    what);
	return 0;
}

static int take(struct options *o, int c, const char *arg, struct fail *f)
{
	unsigned int unused;
	bool on = false;

	switch (c) {
	case 'd':
		return take_count(c, arg, 1, RING_MAX_DEPTH, &o->depth, f);
	case 's':
		return take_count(c, arg, 0, UINT32_MAX, &o->submit_batch, f);
	case 'c':
		return take_count(c, arg, 0, UINT32_MAX, &o->complete_batch, f);
	case 'b':
		return take_count(c, arg, 1, 1u << 30, &o->block_bytes, f);
	case 'n':
		return take_count(c, arg, 1, OPTIONS_MAX_THREADS, &o->threads, f);
	case 'r':
		return take_count(c, arg, 0, 31536000, &o->runtime_s, f);
	case 'T':
		return take_count(c, arg, 0, UINT64_MAX, &unused, f);
	case 'p':
		return take_choice(c, arg, &o->polled, f);
	case 'u':
		return take_choice(c, arg, &o->passthrough, f);
	case 'B':
		return take_bool(c, arg, &o->fixed_buffers, f);
	case 'F':
		return take_bool(c, arg, &o->registered_files, f);
	case 'X':
		return take_bool(c, arg, &o->registered_ring, f);
	case 'O':
		return take_bool(c, arg, &o->direct, f);
	case 'R':
		return take_bool(c, arg, &o->random, f);
	case 'P':
		return take_bool(c, arg, &o->numa, f);
	case 'V':
		return take_bool(c, arg, &o->vectored, f);
	case 'N':
		if (take_bool(c, arg, &on, f))
			return -1;
		if (on)
			o->engine = "nop";
		else if (o->engine && !strcmp(o->engine, "nop"))
			o->engine = NULL;
		return 0;
	case 't':
		if (take_bool(c, arg, &on, f))
			return -1;
		if (!on)
			o->lat = LAT_OFF;
		else if (o->lat == LAT_OFF)
			o->lat = LAT_CACHED;
		return 0;
	case 'a':
		return take_foreign(c, arg, "Linux AIO", f);
	case 'S':
		return take_foreign(c, arg, "preadv2", f);
	case 'H':
		o->huge_path = arg;
		return 0;
	case OPT_ENGINE:
		o->engine = arg;
		return 0;
	case OPT_LAT:
		return take_lat(arg, &o->lat, f);
	case OPT_AB:
		o->ab = arg;
		return 0;
	case OPT_ROUNDS:
		return take_count(c, arg, 2, 10000, &o->rounds, f);
	case OPT_JSON:
		o->json_path = arg;
		return 0;
	case OPT_CPUS:
		return take_cpus(o, arg, f);
	case OPT_RATE:
		return take_count(c, arg, 1, 1000000000, &o->rate, f);
	case OPT_IO_COUNT:
		return take_long(c, arg, 1, INT64_MAX, &o->io_count, f);
	case OPT_MAX_ERRORS:
		return take_long(c, arg, 0, INT64_MAX, &o->max_errors, f);
	case OPT_SQPOLL:
		return take_bool(c, arg, &o->kernel_submits, f);
	case OPT_VERSION:
		o->version = true;
		return 0;
	default:
		o->help = true;
		return 0;
	}
}

/* What getopt stopped at, as the user typed it. */
static int refuse(int c, char *const *argv, struct fail *f)
{
	const char *word = argv[optind - 1];

	if (c == ':')
		return fail(f, STATUS_USAGE, "%s: needs a value; see --help", word);
	if (!optopt)
		return fail(f, STATUS_USAGE,
			    "%s: no such option, or not in full; see --help", word);
	if (optopt == 'h' || optopt == OPT_VERSION)
		return fail(f, STATUS_USAGE, "%s: takes no value", word);
	/* In a cluster such as -zR1 the word before is still the last one taken. */
	return fail(f, STATUS_USAGE, "-%c: no such option; see --help", optopt);
}

/*
 * Command lines are handed on with a bare -X: 'io_uring -X -b512 -n4 DEVICE'.
 * t/io_uring takes -b512 for the value of -X there, so that it runs without a
 * registered ring and with 4096 bytes; what was meant is what we do.
 */
static bool take_bare_ring(struct options *o, int c, char *const *argv)
{
	size_t used = strlen(o->notes);

	if (c == ':' ? optopt != 'X'
		     : c != 'X' || optarg[0] != '-' || optarg != argv[optind - 1])
		return false;
	if (c == 'X')
		optind--;
	o->registered_ring = true;
	snprintf(o->notes + used, sizeof(o->notes) - used,
		 "-X without a value: taken as 1 (t/io_uring takes the next word)\n");
	return true;
}

static void clamp(struct options *o, int c, unsigned int *batch)
{
	size_t used = strlen(o->notes);
	unsigned int to = *batch ? o->depth : 1;

	if (*batch && *batch <= o->depth)
		return;
	snprintf(o->notes + used, sizeof(o->notes) - used, "-%c %u: taken as %u%s\n", c,
		 *batch, to, *batch ? ", the depth" : "");
	*batch = to;
}

static int check(struct options *o, struct fail *f)
{
	if (o->nr_devices > OPTIONS_MAX_DEVICES)
		return fail(f, STATUS_USAGE, "%u devices: at most %u", o->nr_devices,
			    OPTIONS_MAX_DEVICES);
	for (unsigned int i = 0; i < o->nr_devices; i++) {
		if (!o->devices[i][0])
			return fail(f, STATUS_USAGE, "DEVICE '': is empty; see --help");
		for (unsigned int k = 0; k < i; k++)
			if (!strcmp(o->devices[i], o->devices[k]))
				return fail(f, STATUS_USAGE,
					    "%s: named twice; use -n for several threads "
					    "on one "
					    "device",
					    o->devices[i]);
	}
	if (o->io_count && o->ab)
		return fail(f, STATUS_USAGE,
			    "--io-count %llu: not with --ab, whose arms need the same "
			    "time; use -r and --rounds",
			    (unsigned long long)o->io_count);
	if (o->vectored && o->fixed_buffers) {
		/* As t/io_uring: vectors replace registered buffers. */
		o->fixed_buffers = false;
	}
	clamp(o, 's', &o->submit_batch);
	clamp(o, 'c', &o->complete_batch);
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct fail *f)
{
	int c;

	memset(o, 0, sizeof(*o));
	o->depth = 128;
	o->submit_batch = o->complete_batch = 32;
	o->block_bytes = 4096;
	o->threads = 1;
	o->polled = o->passthrough = CHOICE_AUTO;
	o->fixed_buffers = o->registered_files = o->registered_ring = true;
	o->direct = o->random = true;
	o->rounds = 20;
	opterr = 0;
	optind = 0; /* GNU: start over, argv may be permuted again */
	while ((c = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		if (take_bare_ring(o, c, argv))
			continue;
		/* -? is t/io_uring's -h. */
		if (c == ':' || (c == '?' && optopt != '?'))
			return refuse(c, argv, f);
		if (take(o, c, optarg, f))
			return -1;
		if (o->help || o->version)
			return 0;
	}
	o->devices = argv + optind;
	o->nr_devices = (unsigned int)(argc - optind);
	return check(o, f);
}
