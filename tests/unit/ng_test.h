/* SPDX-License-Identifier: MIT */
/* ng_test.h - what the tests of passthru/ share */
#ifndef NG_TEST_H
#define NG_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
/* cmocka's macro fail() hides the function of passthru. */
#undef fail
#undef fail_msg
#define fail_msg(...)                                                                    \
	(print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#include <stdio.h>
#include <string.h>

#include "fail.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The error has this status, is one line, and names @part. Forgets it for the next try. */
static inline void assert_refused(struct fail *f, int ret, enum status status,
				  const char *part)
{
	assert_int_equal(ret, -1);
	assert_int_equal(f->status, status);
	assert_null(strchr(f->why, '\n'));
	if (!strstr(f->why, part))
		fail_msg("'%s' is not in '%s'", part, f->why);
	memset(f, 0, sizeof(*f));
}

#endif
