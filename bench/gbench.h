/* SPDX-License-Identifier: MIT */
/*
 * gbench.h - Google Benchmark from C
 *
 *	static void sum_run(struct gbench_state *state)
 *	{
 *		uint64_t n, sum = 0;
 *
 *		while ((n = gbench_keep_running(state, 1000)))
 *			while (n--)
 *				sum += read_one(gbench_arg(state, 0));
 *		gbench_counter(state, "sum", (double)sum, 0);
 *	}
 *
 *	static const struct gbench_def sum = {
 *		.name = "sum",
 *		.run = sum_run,
 *		.axes = {{.name = "size", .values = {1, 16, 128}, .nr = 3}},
 *	};
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct gbench_tally tally;
 *
 *		if (gbench_init(&argc, argv, help) || gbench_register(&sum))
 *			return 2;
 *		return gbench_run(&tally) || tally.failed;
 *	}
 *
 * Works with versions 1.7 and newer. No exception leaves a function of this header: in a
 * run it fails the benchmark, with its text; elsewhere it is -ENOMEM.
 */
#ifndef GBENCH_H
#define GBENCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * struct gbench_state - one thread of one run; opaque
 *
 * Handed to the functions of a definition, and good until they return.
 */
struct gbench_state;

/*
 * enum gbench_clock - what the times and the rates of a benchmark are of
 *
 * CPU:     the CPU time of the thread that runs it, or of all its threads.
 * REAL:    wall time.
 * MANUAL:  what gbench_add_time() was told.
 * PROCESS: the CPU time of the process, threads of the benchmark's own included.
 */
enum gbench_clock { GBENCH_CPU, GBENCH_REAL, GBENCH_MANUAL, GBENCH_PROCESS };

enum gbench_unit { GBENCH_NS, GBENCH_US, GBENCH_MS, GBENCH_S };

/*
 * struct gbench_axis - one argument of a benchmark, and the values that it takes
 *
 * With nr: the first nr of 'values'. Without: from 'from' to 'to', both included, by
 * factors of 'times', or one by one where that is 0.
 */
#define GBENCH_VALUES 8
struct gbench_axis {
	const char *name;
	int64_t values[GBENCH_VALUES];
	unsigned int nr;
	int64_t from, to;
	int times;
};

/*
 * struct gbench_def - a benchmark
 *
 * The caller's, with all that it points to, until gbench_done(). What is 0 is left to
 * Google Benchmark, or to its flags.
 *
 * run:          the benchmark; once per thread and run. It calls gbench_keep_running()
 *               until that returns 0, or ends the run with gbench_skip() or gbench_fail().
 * setup:        before each run, once however many threads there are, and before any of
 *               them is in 'run'. Where it skips or fails, all threads do. Not timed.
 * teardown:     after each run, when all of its threads have left 'run'; also where setup
 *               skipped or failed.
 * data:         the caller's, see gbench_data().
 * axes:         it is run for each combination of their values; up to the first without a
 *               name.
 * threads:      it is run for each of these numbers of threads; up to the first 0.
 * min_time_s:   how long, instead of --benchmark_min_time.
 * iterations:   exactly so many, instead of any time.
 * repetitions:  how many runs count, instead of --benchmark_repetitions.
 * aggregates:   report their mean, median, and deviation alone.
 */
#define GBENCH_AXES    4
#define GBENCH_THREADS 4
struct gbench_def {
	const char *name;
	void (*run)(struct gbench_state *state);
	void (*setup)(struct gbench_state *state);
	void (*teardown)(struct gbench_state *state);
	const void *data;
	struct gbench_axis axes[GBENCH_AXES];
	int threads[GBENCH_THREADS];
	enum gbench_clock clock;
	enum gbench_unit unit;
	double min_time_s;
	int64_t iterations;
	int repetitions;
	int aggregates;
};

/*
 * gbench_init() - take Google Benchmark's flags out of the command line
 *
 * argc, argv: those of main(). On return argv[0] and what Google Benchmark does not know.
 *             argv[0] must stay.
 * help:       prints the program's own part of --help; Google Benchmark's follows. Then,
 *             and on a format that Google Benchmark does not know, the process exits, with
 *             status 0 or 2: the library leaves no other way.
 * Errors:     -ENOMEM.
 * Context:    before the others; again only to change the flags.
 */
int gbench_init(int *argc, char **argv, void (*help)(void));

/*
 * gbench_context() - add a line to what the report says of the machine
 *
 * Errors:  -ENOMEM.
 * Context: before gbench_run().
 */
int gbench_context(const char *key, const char *value);

/*
 * gbench_register() - add a benchmark
 *
 * Errors:  -EINVAL if it has no name, no 'run', or an axis without values; -ENOMEM.
 * Context: before gbench_run().
 */
int gbench_register(const struct gbench_def *def);

/*
 * struct gbench_tally - what became of the benchmarks
 *
 * matched: those that the filter chose. 0 after an error in the filter, which Google
 *          Benchmark has printed then.
 * listed:  they were to be listed, not run.
 * ran, skipped, failed: runs, of which a benchmark has several.
 */
struct gbench_tally {
	unsigned int matched;
	int listed;
	unsigned int ran, skipped, failed;
};

/*
 * gbench_run() - run what the filter chooses, and report it as the flags say
 *
 * Errors:  -ENOMEM. A file of --benchmark_out that cannot be written ends the process with
 *          status 1, which is Google Benchmark's way.
 * Context: one thread.
 */
int gbench_run(struct gbench_tally *tally);

/* gbench_done() - forget all benchmarks; gbench_context() stays. */
void gbench_done(void);

/*
 * gbench_keep_running() - how many iterations to do now
 *
 * The first call starts the clock, when all threads of the run have made it; the last one
 * stops it. All calls together return exactly the iterations of the run.
 *
 * most:    1 or more. The call costs some ns: enough to make that little per iteration.
 * Returns: 1 to most; 0 when the run is over, or was ended.
 * Errors:  none; what goes wrong inside ends the run, see gbench_over().
 * Context: as all that take a state, the thread that it was handed to.
 */
uint64_t gbench_keep_running(struct gbench_state *state, uint64_t most);

/* gbench_iterations() - those of this thread so far; 0 before the clock was started. */
uint64_t gbench_iterations(const struct gbench_state *state);

/*
 * gbench_arg() - the value of axis i in this run
 *
 * Errors: an axis that the definition does not have fails the run, and is 0.
 */
int64_t gbench_arg(struct gbench_state *state, unsigned int i);

/* gbench_threads() - of this run. */
int gbench_threads(const struct gbench_state *state);

/* gbench_thread() - which of them this is, from 0 on. */
int gbench_thread(const struct gbench_state *state);

/* gbench_data() - the definition's 'data'. */
const void *gbench_data(const struct gbench_state *state);

/*
 * gbench_add_time() - the time of one iteration, or of several, with GBENCH_MANUAL
 *
 * Unit: seconds.
 */
void gbench_add_time(struct gbench_state *state, double seconds);

/*
 * gbench_counter() - report a figure
 *
 * Those of several threads are added. A name "group:figure" is a detail: on the console it
 * stands in a table below the benchmark's line. In JSON it is as any other.
 *
 * flags: GBENCH_RATE:          per second of the benchmark's time;
 *        GBENCH_PER_THREAD:    divided by the threads;
 *        GBENCH_PER_ITERATION: divided by the iterations of all threads;
 *        GBENCH_TIMES:         times the iterations of all threads;
 *        GBENCH_INVERT:        one divided by all that.
 */
#define GBENCH_RATE          1u
#define GBENCH_PER_THREAD    2u
#define GBENCH_PER_ITERATION 4u
#define GBENCH_TIMES         8u
#define GBENCH_INVERT        16u
void gbench_counter(struct gbench_state *state, const char *name, double value,
		    unsigned int flags);

/* gbench_items() - of this thread, reported per second. Context: after the loop. */
void gbench_items(struct gbench_state *state, uint64_t items);

/* gbench_bytes() - of this thread, reported per second. Context: after the loop. */
void gbench_bytes(struct gbench_state *state, uint64_t bytes);

/* gbench_label() - a text beside the figures. */
void gbench_label(struct gbench_state *state, const char *label);

/*
 * gbench_skip() - this machine or kernel cannot do it
 *
 * The run is over for this thread, and reported with the reason. A later skip or failure
 * of the thread changes nothing.
 */
__attribute__((format(printf, 2, 3))) void gbench_skip(struct gbench_state *state,
						       const char *why, ...);

/* gbench_fail() - the same, for what should have worked. */
__attribute__((format(printf, 2, 3))) void gbench_fail(struct gbench_state *state,
						       const char *why, ...);

/* gbench_over() - was this thread skipped, or did it fail? */
int gbench_over(const struct gbench_state *state);

#ifdef __cplusplus
}
#endif

#endif
