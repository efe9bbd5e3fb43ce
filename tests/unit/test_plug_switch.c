// SPDX-License-Identifier: MIT
/*
 * Real context switches and real signals. getrusage(), which the kernel counts on its
 * own, is the judge of what a switch is.
 */
#include "plug_test.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* Each test goes on until it has seen enough, but not for longer. */
#define LIMIT_NS 1500000000u

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static cpu_set_t all_cpus;

static void pin_to_this_cpu(void)
{
	cpu_set_t one;

	sched_getaffinity(0, sizeof(all_cpus), &all_cpus);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void unpin(void)
{
	sched_setaffinity(0, sizeof(all_cpus), &all_cpus);
}

/* Keeps a CPU busy until killed, or for three seconds should nobody come to do so. */
static pid_t busy_neighbour(void)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(3);
		for (;;)
			;
	}
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/*
 * Work that the kernel puts off to the return to user mode (the scan of mm_cid, NUMA
 * balancing: every 100 ms or so) takes the descriptor away, too. That wastes a reading,
 * which is harmless, so a few of them are let pass.
 */
static int wasted_by_kernel_work(uint64_t elapsed_ns)
{
	return 3 + (int)(elapsed_ns / 20000000);
}

struct tally {
	int hits, misses;
	int stale;  /* hits although there was a switch */
	int wasted; /* misses although there was none */
};

/*
 * One reading after something was done, between two looks at the counter. A hit has to
 * mean that no switch came between the last reading and this; a miss that one did, at
 * most as long ago as the look before the last reading.
 */
static void tally_reading(struct tally *tally)
{
	static uint64_t last_ns;
	static long last_before, last_after;
	long before = switches();
	uint64_t now_ns = plugclock_now_ns();
	long after = switches();

	if (now_ns == last_ns) {
		tally->hits++;
		tally->stale += before != last_after;
	} else if (last_ns) {
		tally->misses++;
		tally->wasted += after == last_before;
	}
	last_ns = now_ns;
	last_before = before;
	last_after = after;
}

static void now_ns_beside_a_busy_neighbour(void **state)
{
	struct plugclock_plug plug;
	struct tally tally = {0};
	uint64_t begin_ns = clock_ns(), elapsed_ns;
	volatile int spin;
	pid_t neighbour;

	(void)state;
	skip_unless_exact();
	pin_to_this_cpu();
	neighbour = busy_neighbour();
	assert_int_equal(plugclock_start(&plug, 0), 0);
	tally_reading(&tally);
	tally = (struct tally){0};
	while (tally.misses < 50 && clock_ns() - begin_ns < LIMIT_NS) {
		/* Now in user mode for a while, now in and out of the kernel. */
		if (tally.hits & 1)
			for (spin = 0; spin < 2000; spin++)
				;
		tally_reading(&tally);
	}
	plugclock_finish(&plug);
	end(neighbour);
	unpin();
	elapsed_ns = clock_ns() - begin_ns;
	printf("# %d switches seen, %d hits\n", tally.misses, tally.hits);
	assert_int_equal(tally.stale, 0);
	assert_in_range(tally.wasted, 0, wasted_by_kernel_work(elapsed_ns));
	assert_true(tally.misses > 0);
	assert_true(tally.hits > 0);
}

static void sleep_a_moment(void)
{
	usleep(50);
}

static void yield_to_neighbour(void)
{
	sched_yield();
}

static void change_cpu(void)
{
	static int turn;
	cpu_set_t one;
	int cpu, skipped = turn++ % CPU_COUNT(&all_cpus);

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all_cpus) && skipped-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void call_without_switch(void)
{
	syscall(SYS_getppid);
}

/* Readings around something that is done a hundred times. */
static struct tally readings_around(void (*event)(void))
{
	struct plugclock_plug plug;
	struct tally tally = {0};
	uint64_t begin_ns = clock_ns();
	int i;

	assert_int_equal(plugclock_start(&plug, 0), 0);
	tally_reading(&tally);
	tally = (struct tally){0};
	for (i = 0; i < 100; i++) {
		event();
		tally_reading(&tally);
	}
	plugclock_finish(&plug);
	assert_int_equal(tally.stale, 0);
	assert_in_range(tally.wasted, 0, wasted_by_kernel_work(clock_ns() - begin_ns));
	return tally;
}

static void now_ns_around_a_blocking_call(void **state)
{
	struct tally tally;

	(void)state;
	skip_unless_exact();
	tally = readings_around(sleep_a_moment);
	assert_true(tally.misses > 0);
}

static void now_ns_around_calls_that_do_not_switch(void **state)
{
	struct tally tally;

	(void)state;
	skip_unless_exact();
	tally = readings_around(call_without_switch);
	assert_true(tally.hits > 0);
}

static void now_ns_around_a_yield(void **state)
{
	struct tally tally;
	pid_t neighbour;

	(void)state;
	skip_unless_exact();
	pin_to_this_cpu();
	/* Yields rather than spins: a hundred slices of a spinner would take too long. */
	neighbour = fork();
	if (neighbour == 0) {
		alarm(3);
		for (;;)
			sched_yield();
	}
	tally = readings_around(yield_to_neighbour);
	end(neighbour);
	unpin();
	assert_true(tally.misses > 0);
}

static void now_ns_around_a_migration(void **state)
{
	struct tally tally;

	(void)state;
	skip_unless_exact();
	pin_to_this_cpu();
	tally = readings_around(change_cpu);
	unpin();
	if (CPU_COUNT(&all_cpus) > 1)
		assert_true(tally.misses > 50);
}

/* Written by the handler, read by what it interrupts. */
static volatile uint64_t handed_out_ns;
static volatile sig_atomic_t signals, handler_went_wrong;

static void on_timer(int signal)
{
	struct plugclock_plug plug;
	uint64_t floor_ns = handed_out_ns, first_ns, second_ns;

	(void)signal;
	signals++;
	if (signals % 3 == 0)
		plugclock_start(&plug, 0);
	first_ns = signals % 2 ? plugclock_now_ns() : plugclock_read_ns();
	if (signals % 5 == 0)
		plugclock_flush();
	second_ns = plugclock_now_ns();
	if (signals % 3 == 0)
		plugclock_finish(&plug);
	if (first_ns < floor_ns || second_ns < first_ns)
		handler_went_wrong = 1;
	handed_out_ns = second_ns;
}

static void now_ns_under_a_storm_of_signals(void **state)
{
	const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
	uint64_t begin_ns = clock_ns(), last_ns = 0, now_ns;
	struct plugclock_plug plug;
	int backwards = 0, behind_handler = 0;
	unsigned int i;

	(void)state;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; signals < 2000 && clock_ns() - begin_ns < LIMIT_NS; i++) {
		uint64_t floor_ns = handed_out_ns;

		if (i % 16 == 0)
			plugclock_start(&plug, 0);
		now_ns = i % 4 ? plugclock_now_ns() : plugclock_read_ns();
		if (i % 16 == 11)
			plugclock_finish(&plug);
		backwards += now_ns < last_ns;
		behind_handler += now_ns < floor_ns;
		last_ns = now_ns;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	plugclock_finish(&plug);
	printf("# %d signals, %u readings\n", (int)signals, i);
	assert_int_equal(backwards, 0);
	assert_int_equal(behind_handler, 0);
	assert_false(handler_went_wrong);
	assert_true(signals > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(now_ns_beside_a_busy_neighbour),
		cmocka_unit_test(now_ns_around_a_blocking_call),
		cmocka_unit_test(now_ns_around_calls_that_do_not_switch),
		cmocka_unit_test(now_ns_around_a_yield),
		cmocka_unit_test(now_ns_around_a_migration),
		cmocka_unit_test(now_ns_under_a_storm_of_signals),
	};

	choose_detector();
	return cmocka_run_group_tests_name("plug_switch", tests, NULL, NULL);
}
