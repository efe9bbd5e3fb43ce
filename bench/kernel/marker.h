/* SPDX-License-Identifier: MIT */
/*
 * Marks in a guest's program that the plugin instructions.c knows: instructions that do
 * nothing, told apart by a displacement that no compiler would write
 */
#ifndef BENCH_MARKER_H
#define BENCH_MARKER_H

/* nopl disp32(%rax): 0f 1f 80 and the displacement, which ends in one of these. */
#define MARKER_MAGIC 0x706c6300 /* "plc" */
#define MARKER_BYTES 7

enum marker {
	MARKER_START = 1, /* count from here */
	MARKER_STOP,  /* to here; what lies between a stop and a start is not counted */
	MARKER_BATCH, /* what was counted since the last one of these is one sample */
	MARKER_WRITE, /* the samples since the last one of these are a result */
};

/* MARK(START) - @which is the part of the name behind MARKER_ */
#define MARK(which)                                                                      \
	__asm__ volatile("nopl %c0(%%rax)"                                               \
			 :                                                               \
			 : "i"(MARKER_MAGIC + MARKER_##which)                            \
			 : "memory")

#endif
