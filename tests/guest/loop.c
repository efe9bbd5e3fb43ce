// SPDX-License-Identifier: MIT
/*
 * Loops of a known number of instructions between the marks of bench/kernel/marker.h
 *
 *   loop N...      for each N 50 samples of N turns, 2 instructions each, and a result
 *
 * Among them are samples as a busy machine makes them: every fourth has turns too many,
 * and one has too few, alone.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../bench/kernel/marker.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		uint64_t turns = strtoull(argv[i], NULL, 10);

		for (unsigned int sample = 0; turns && sample < 50; sample++) {
			uint64_t n = turns;

			if (sample % 4 == 1)
				n += 10;
			if (sample == 7)
				n -= 5;
			MARK(START);
			__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
			MARK(STOP);
			/* Between a stop and a start nothing counts. */
			n = turns + 77;
			__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
			MARK(BATCH);
		}
		MARK(WRITE);
	}
	return 0;
}
