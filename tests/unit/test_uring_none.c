// SPDX-License-Identifier: MIT
/* The same with no detector. */
#define DETECTOR "none"
#include "test_uring.c"
