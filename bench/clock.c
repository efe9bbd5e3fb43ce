// SPDX-License-Identifier: MIT
/*
 * clock.c - what a reading of the time costs: plugclock against the other clocks
 *
 * Compare them within one run, with repetitions in random order (see bench/run), so that
 * whatever else the machine does hits all of them. "clock/empty" is the loop itself; a
 * processor may do it beside a reading, so that to subtract it says little.
 */
#include <stdint.h>
#include <time.h>

#include <uv.h>

#include <plugclock_uring.h>

#include "gbench.h"
#include "pin.h"
#include "subjects.h"

struct way {
	const char *text;
	int in_plug;
	uint64_t (*run)(uint64_t n);
};

/* Each thread's, as libuv wants it. */
static __thread uv_loop_t uv_loop;

static inline uint64_t clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * A loop whose every turn has a value that the compiler cannot guess, nor leave out, nor
 * keep in a register for the next turn. As in an I/O loop, nothing waits for the value.
 */
#define WAY(name, reading)                                                               \
	static uint64_t run_##name(uint64_t n)                                           \
	{                                                                                \
		uint64_t sum = 0;                                                        \
                                                                                         \
		while (n--) {                                                            \
			uint64_t value = (reading);                                      \
                                                                                         \
			__asm__ volatile("" : "+r"(value) : : "memory");                 \
			sum += value;                                                    \
		}                                                                        \
		return sum;                                                              \
	}

WAY(empty, 0)
WAY(now, plugclock_now_ns())
WAY(miss, (plugclock_flush(), plugclock_now_ns()))
WAY(read, plugclock_read_ns())
WAY(uring, (plugclock_uring_flush(), 0))
WAY(gettime, clock_read(CLOCK_MONOTONIC))
WAY(coarse, clock_read(CLOCK_MONOTONIC_COARSE))
WAY(uv_now, uv_now(&uv_loop))
WAY(uv_hrtime, uv_hrtime())
#if defined(__x86_64__)
WAY(rdtsc, __builtin_ia32_rdtsc())
#endif

static void clock_run(struct gbench_state *state)
{
	const struct way *w = gbench_data(state);
	struct plugclock_plug plug;
	uint64_t n;

	if (gbench_threads(state) > pin_cpus()) {
		gbench_skip(state,
			    "%d threads want a CPU each, and this process may use %d",
			    gbench_threads(state), pin_cpus());
		return;
	}
	if (uv_loop_init(&uv_loop)) {
		gbench_fail(state, "uv_loop_init");
		return;
	}
	/* The loops make no system call that could block. */
	if (w->in_plug)
		plugclock_start(&plug, PLUGCLOCK_FLUSHES_SYSCALLS);
	while ((n = gbench_keep_running(state, 10000)))
		(void)w->run(n);
	if (w->in_plug)
		plugclock_finish(&plug);
	gbench_label(state, w->text);
	if (uv_loop_close(&uv_loop))
		gbench_fail(state, "uv_loop_close");
}

#define CLOCK(key, plug, function, what)                                                 \
	{                                                                                \
		.name = "clock/" key, .run = clock_run,                                  \
		.data = &(const struct way){what, plug, function}, .threads = {          \
			1,                                                               \
			2                                                                \
		}                                                                        \
	}

static const struct gbench_def clocks[] = {
	CLOCK("empty", 0, run_empty, "the loop alone"),
	CLOCK("gettime", 0, run_gettime, "clock_gettime(CLOCK_MONOTONIC)"),
	CLOCK("hit", 1, run_now, "plugclock_now_ns, cached"),
	CLOCK("miss", 1, run_miss, "plugclock_flush and _now_ns"),
	CLOCK("outside", 0, run_now, "plugclock_now_ns, no plug"),
	CLOCK("read", 0, run_read, "plugclock_read_ns, no plug"),
	CLOCK("read_in", 1, run_read, "plugclock_read_ns in a plug"),
	CLOCK("uring", 1, run_uring, "plugclock_uring_flush"),
	CLOCK("coarse", 0, run_coarse, "CLOCK_MONOTONIC_COARSE"),
	CLOCK("uv_now", 0, run_uv_now, "libuv's cached ms"),
	CLOCK("uv_hrtime", 0, run_uv_hrtime, "libuv's ns"),
#if defined(__x86_64__)
	CLOCK("rdtsc", 0, run_rdtsc, "the counter, as it is"),
#endif
};

int clock_register(void)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]) && !ret; i++)
		ret = gbench_register(&clocks[i]);
	return ret;
}
