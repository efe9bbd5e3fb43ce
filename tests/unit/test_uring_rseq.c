// SPDX-License-Identifier: MIT
/* The same with the rseq detector. */
#define DETECTOR "rseq"
#include "test_uring.c"
