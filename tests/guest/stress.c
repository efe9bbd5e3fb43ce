// SPDX-License-Identifier: MIT
/*
 * stress - forced switches of all kinds at once, and no stale reading; see unit/stress.h
 *
 * usage: stress COUNT      for each of the detectors rseq and perf that is EXACT here
 *
 * Exit status: 0 good, 1 a fault, or neither detector is EXACT, 2 usage.
 */
#include "../unit/stress.h"

int main(int argc, char **argv)
{
	static const char *const detectors[] = {"rseq", "perf"};
	int outcomes[STRESS_NOT_EXACT + 1] = {0};
	long wanted = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	size_t i;

	if (wanted <= 0) {
		fprintf(stderr, "usage: %s COUNT\n", argv[0]);
		return 2;
	}
	for (i = 0; i < sizeof(detectors) / sizeof(detectors[0]); i++) {
		enum stress_outcome outcome = stress_with(detectors[i], wanted);

		outcomes[outcome]++;
		if (outcome == STRESS_NOT_EXACT)
			printf("# %s: not EXACT here\n", detectors[i]);
	}
	return outcomes[STRESS_FAULT] || !outcomes[STRESS_GOOD];
}
