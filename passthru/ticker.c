// SPDX-License-Identifier: MIT
#include "ticker.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* To the start of the line, and all of it erased (ECMA-48). */
#define ERASE "\r\033[K"

static bool shown;

static bool can_erase(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void ticker_show(const char *fmt, ...)
{
	va_list ap;

	if (!can_erase())
		return;
	fputs(ERASE, stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fflush(stderr);
	shown = true;
}

void ticker_clear(void)
{
	if (!shown)
		return;
	fputs(ERASE, stderr);
	fflush(stderr);
	shown = false;
}
