/* SPDX-License-Identifier: MIT */
/*
 * The command line of 'ngbench run', parsed and checked as far as it can be
 * without looking at a device
 */
#ifndef NGBENCH_OPTIONS_H
#define NGBENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fail.h"

#define OPTIONS_MAX_CPUS    1024
#define OPTIONS_MAX_THREADS 1024
/* user_data keeps 8 bits for the number of the file. */
#define OPTIONS_MAX_DEVICES 256

/* An option whose default depends on the device. */
enum choice { CHOICE_OFF, CHOICE_ON, CHOICE_AUTO };

enum lat_mode {
	LAT_OFF,    /* no clock is read in the loop */
	LAT_CLOCK,  /* clock_gettime() at submission and at completion of each I/O */
	LAT_CACHED, /* libplugclock: one reading per batch */
};

struct options {
	unsigned int depth;                  /* -d */
	unsigned int submit_batch;           /* -s */
	unsigned int complete_batch;         /* -c */
	unsigned int block_bytes;            /* -b */
	unsigned int threads;                /* -n */
	unsigned int runtime_s;              /* -r, 0: until stopped */
	enum choice polled;                  /* -p */
	enum choice passthrough;             /* -u */
	bool fixed_buffers;                  /* -B */
	bool registered_files;               /* -F */
	bool registered_ring;                /* -X */
	bool direct;                         /* -O */
	bool random;                         /* -R */
	bool numa;                           /* -P */
	bool vectored;                       /* -V */
	bool kernel_submits;                 /* --sqpoll */
	const char *huge_path;               /* -H, NULL: ordinary pages */
	const char *engine;                  /* --engine or -N1, NULL: by the path */
	enum lat_mode lat;                   /* --lat, -t1 */
	unsigned int rate;                   /* --rate, IOPS in all; 0: none kept */
	uint64_t io_count;                   /* --io-count, in all; 0: no end */
	uint64_t max_errors;                 /* --max-errors */
	const char *ab;                      /* --ab, NULL: a plain run */
	unsigned int rounds;                 /* --rounds */
	const char *json_path;               /* --json, NULL: none */
	unsigned int cpus[OPTIONS_MAX_CPUS]; /* --cpus */
	unsigned int nr_cpus;
	bool cpus_auto;       /* --cpus auto */
	char *const *devices; /* points into argv */
	unsigned int nr_devices;
	bool help, version;
	char notes[512]; /* what was changed and why, a line each */
};

extern const char *const lat_mode_names[3];

/*
 * options_parse() - fill @o from the arguments after 'ngbench [run]'
 *
 * argv is permuted as by getopt_long(): devices may stand between options.
 * -s and -c above the depth are clamped to it, as t/io_uring does, with a note.
 * Errors:  STATUS_USAGE for an unknown option, a value that is no number or out
 *          of range, a device named twice; STATUS_NOT_POSSIBLE for what
 *          t/io_uring can do and ngbench does not (-a1, -S1).
 * Context: uses getopt's globals; one call at a time.
 * Returns: 0 or -1 with @f set.
 */
int options_parse(struct options *o, int argc, char **argv, struct fail *f);

/* options_usage() - the help text, every option with its default. */
void options_usage(FILE *out);

/* options_answered() - print what --help or --version ask for; false: neither was. */
bool options_answered(const struct options *o, FILE *out);

#endif
