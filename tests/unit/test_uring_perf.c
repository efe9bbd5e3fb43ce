// SPDX-License-Identifier: MIT
/* The same with the perf detector. */
#define DETECTOR "perf"
#include "test_uring.c"
