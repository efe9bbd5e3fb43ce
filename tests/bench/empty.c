// SPDX-License-Identifier: MIT
/*
 * empty.c - what gbench.h costs: an empty body in C, and the same in C++ (empty_cxx.cc)
 *
 *	build/tests/bench/empty [Google Benchmark's flags]
 *
 * bench/run holds empty/c against the cheapest of the others.
 */
#include <stdio.h>

#include "../../bench/gbench.h"

/* Of empty_cxx.cc. */
void empty_register_cxx(void);

static void empty_run(struct gbench_state *state)
{
	uint64_t n;

	while ((n = gbench_keep_running(state, 1000))) {
		while (n--)
			__asm__ volatile("" : : : "memory");
	}
}

static void help(void)
{
	puts("empty: an empty body in C and in C++\n");
}

int main(int argc, char **argv)
{
	static const struct gbench_def def = {.name = "empty/c", .run = empty_run};
	struct gbench_tally tally;

	if (gbench_init(&argc, argv, help) || gbench_register(&def))
		return 1;
	empty_register_cxx();
	return gbench_run(&tally) || tally.failed || !tally.matched;
}
