// SPDX-License-Identifier: MIT
/*
 * A signal handler between any two instructions. Each call is first made in single steps,
 * to learn which instructions it consists of; then it is made once for each of them with
 * a breakpoint there, whose handler does what handlers may do. Two at a time for a
 * reading.
 */
#include "plug_fake.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

/* ThreadSanitizer does not run signal handlers where the signal comes. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)

#define STEP_FLAG  0x100u
#define BREAKPOINT 0xcc
#define MAX_STEPS  2000

enum action { NOW, READ, FLUSH, OWN_PLUG, NOW_THEN_SWITCH, ACTIONS };

static const char *const action_name[ACTIONS] = {
	"now", "read, then now", "flush", "own plug", "now, then switch",
};

/* In which call, and where, the handler does what; the second only after the first. */
static struct plan {
	int call;
	unsigned char *at[2];
	enum action action[2];
} plan;

static volatile int done;

/* Of the call that is being learnt, each instruction once. */
static unsigned char *instructions[MAX_STEPS];
static volatile int steps;
static volatile bool learning;

static unsigned char *volatile planted;
static volatile unsigned char replaced;

/* No call that begins now may return less. */
static volatile uint64_t floor_ns;
static volatile int too_old;

static void raise_floor(uint64_t ns)
{
	if (ns > floor_ns)
		floor_ns = ns;
}

static void check_now(void)
{
	uint64_t least_ns = floor_ns;
	uint64_t now_ns = plugclock_now_ns();

	too_old += now_ns < least_ns;
	raise_floor(now_ns);
}

static void check_read(void)
{
	uint64_t least_ns = fake_ns + 1;
	uint64_t now_ns = plugclock_read_ns();

	too_old += now_ns < least_ns;
	raise_floor(now_ns);
}

static void check_flush(void)
{
	uint64_t least_ns = fake_ns + 1;

	plugclock_flush();
	raise_floor(least_ns);
}

static void check_start(struct plugclock_plug *plug)
{
	bool outermost = !plugclock_thread_state.plug;
	uint64_t least_ns = fake_ns + 1;

	plugclock_start(plug, 0);
	if (outermost)
		raise_floor(least_ns);
}

static void act(enum action action)
{
	struct plugclock_plug own;

	if (action == NOW || action == NOW_THEN_SWITCH)
		check_now();
	if (action == READ) {
		check_read();
		check_now();
	}
	if (action == FLUSH)
		check_flush();
	if (action == OWN_PLUG) {
		check_start(&own);
		check_now();
		check_now();
		plugclock_finish(&own);
	}
	if (action == NOW_THEN_SWITCH) {
		fake_switch();
		raise_floor(fake_ns + 1);
	}
}

static void unplant(void)
{
	if (planted)
		*planted = replaced;
	planted = NULL;
}

static void plant(unsigned char *at)
{
	unplant();
	if (!at)
		return;
	replaced = *at;
	planted = at;
	*at = BREAKPOINT;
}

static void learn(unsigned char *at)
{
	extern char __executable_start, etext;
	int i;

	for (i = 0; i < steps && instructions[i] != at; i++)
		;
	if (i < steps || i == MAX_STEPS || (char *)at < &__executable_start ||
	    (char *)at >= &etext)
		return;
	instructions[i] = at;
	steps = i + 1;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if (learning) {
		learn((unsigned char *)registers[REG_RIP]);
		return;
	}
	registers[REG_RIP]--;
	unplant();
	act(plan.action[done]);
	done++;
	plant(done == 1 ? plan.at[1] : NULL);
}

static struct plugclock_plug outer, inner;

static void start_outer(void)
{
	check_start(&outer);
}

static void start_inner(void)
{
	check_start(&inner);
}

static void finish_outer(void)
{
	plugclock_finish(&outer);
}

static void finish_inner(void)
{
	plugclock_finish(&inner);
}

static void (*const whole_plug[])(void) = {
	start_outer,  check_now,   check_now, check_read,   check_flush,
	check_now,    start_inner, check_now, finish_inner, check_now,
	finish_outer, check_read,  check_now,
};

#define CALLS         ((int)(sizeof(whole_plug) / sizeof(whole_plug[0])))
#define FIRST_READING 1

/* Carries out the plan. Returns how many of its actions had their turn. */
static int run(void)
{
	int i;

	done = 0;
	floor_ns = fake_ns + 1;
	for (i = 0; i < CALLS; i++) {
		plant(i == plan.call ? plan.at[0] : NULL);
		whole_plug[i]();
		unplant();
	}
	return done;
}

/* Makes the calls, the chosen one in steps. */
static void learn_call(int call)
{
	uint64_t flags = __builtin_ia32_readeflags_u64();
	int i;

	steps = 0;
	for (i = 0; i < CALLS; i++) {
		learning = i == call;
		if (learning)
			__builtin_ia32_writeeflags_u64(flags | STEP_FLAG);
		whole_plug[i]();
		__builtin_ia32_writeeflags_u64(flags);
		learning = false;
	}
}

/* Breakpoints are written into the program's code. */
static bool make_code_writable(void)
{
	extern char __executable_start, etext;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)&__executable_start & ~(page - 1);

	return !mprotect((void *)begin, (uintptr_t)&etext - begin,
			 PROT_READ | PROT_WRITE | PROT_EXEC);
}

static void fail_in(const char *what)
{
	fail_msg("%s: call %d: %s at %p, then %s at %p", what, plan.call,
		 action_name[plan.action[0]], (void *)plan.at[0],
		 action_name[plan.action[1]], (void *)plan.at[1]);
}

static void check_afterwards(void)
{
	struct plugclock_plug plug;
	uint64_t first_ns;

	if (too_old)
		fail_in("a reading is too old");
	if (fake_word)
		fail_in("the detector is armed outside a plug");
	if (plugclock_now_ns() == plugclock_now_ns())
		fail_in("a reading is cached outside a plug");
	plugclock_start(&plug, 0);
	first_ns = plugclock_now_ns();
	if (plugclock_now_ns() != first_ns)
		fail_in("the next plug does not cache");
	plugclock_finish(&plug);
}

static int setup(void **state)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	struct plugclock_plug plug;

	(void)state;
	if (!make_code_writable())
		skip_because("code cannot be made writable here");
	too_old = 0;
	/* Also makes the process decide, which does not have to be stepped through. */
	return plugclock_start(&plug, 0) || (plugclock_finish(&plug), 0) ||
	       sigaction(SIGTRAP, &action, NULL);
}

static void plug_interrupted_anywhere(void **state)
{
	int action, call, i, runs = 0;

	(void)state;
	for (call = 0; call < CALLS; call++) {
		learn_call(call);
		if (!steps)
			skip_because("no single steps here, as under valgrind");
		for (i = 0; i < steps; i++)
			for (action = 0; action < ACTIONS; action++) {
				plan = (struct plan){
					call, {instructions[i], NULL}, {action, 0}};
				runs += run();
				check_afterwards();
			}
	}
	printf("# %d interruptions\n", runs);
	assert_true(runs > CALLS * ACTIONS);
}

/* The second may come before the first: the reading is taken again after the first. */
static void now_ns_interrupted_twice_anywhere(void **state)
{
	static const enum action pairs[][2] = {
		{NOW_THEN_SWITCH, NOW}, {NOW, FLUSH}, {FLUSH, NOW_THEN_SWITCH}};
	size_t pair;
	int i, j, runs = 0;

	(void)state;
	learn_call(FIRST_READING);
	if (!steps)
		skip_because("no single steps here, as under valgrind");
	for (pair = 0; pair < sizeof(pairs) / sizeof(pairs[0]); pair++)
		for (i = 0; i < steps; i++)
			for (j = 0; j < steps; j++) {
				plan = (struct plan){FIRST_READING,
						     {instructions[i], instructions[j]},
						     {pairs[pair][0], pairs[pair][1]}};
				runs += run() == 2;
				check_afterwards();
			}
	printf("# %d double interruptions\n", runs);
	assert_true(runs > steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(plug_interrupted_anywhere, setup),
		cmocka_unit_test_setup(now_ns_interrupted_twice_anywhere, setup),
	};

	setenv("PLUGCLOCK_DETECTOR", "rseq", 1); /* the fake one */
	return cmocka_run_group_tests_name("plug_step", tests, NULL, NULL);
}

#else

int main(void)
{
	puts("1..0 # SKIP needs x86-64, and signals that come where they are raised");
	return 0;
}

#endif
