// SPDX-License-Identifier: MIT
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>

int fail(struct fail *f, enum status status, const char *fmt, ...)
{
	va_list ap;

	if (f->status != STATUS_OK)
		return -1;
	f->status = status;
	va_start(ap, fmt);
	vsnprintf(f->why, sizeof(f->why), fmt, ap);
	va_end(ap);
	return -1;
}
