// SPDX-License-Identifier: MIT
#include "clockcost.h"

#include "clock.h"

double clockcost_ns(void)
{
	enum { ROUNDS = 32, READS = 256 };
	uint64_t best_ns = UINT64_MAX;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint64_t start_ns = clock_ns(), took_ns;

		for (unsigned int k = 1; k < READS; k++)
			(void)clock_ns();
		took_ns = clock_ns() - start_ns;
		if (took_ns < best_ns)
			best_ns = took_ns;
	}
	return (double)best_ns / READS;
}
