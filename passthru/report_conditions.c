// SPDX-License-Identifier: MIT
#include "report.h"

#include <string.h>

static int width(const struct conditions *cs, size_t offset, int least)
{
	for (unsigned int i = 0; i < cs->n; i++) {
		int len = (int)strlen((const char *)&cs->list[i] + offset);

		if (len > least)
			least = len;
	}
	return least;
}

void report_conditions(FILE *out, const struct conditions *cs)
{
	int name = width(cs, offsetof(struct condition, name), 9);
	int asked = width(cs, offsetof(struct condition, asked), 5);
	unsigned int n = condition_nr_advised(cs);

	fprintf(out, "%-*s  %-*s  in force\n", name, "condition", asked, "asked");
	for (unsigned int i = 0; i < cs->n; i++) {
		const struct condition *c = &cs->list[i];

		fprintf(out, "%-*s  %-*s  %s\n", name, c->name, asked,
			c->asked[0] ? c->asked : "-", c->effective);
		if (c->advice[0])
			fprintf(out, "    -> %s\n", c->advice);
	}
	if (n)
		fprintf(out, "\n%u to mend, or to mention beside the result: see ->\n",
			n);
	else
		fputs("\nnothing to mend\n", out);
}

/* Where lines of the short form are broken. */
#define COLUMNS 100

void report_conditions_short(FILE *out, const struct conditions *cs)
{
	char text[512];
	int column = fprintf(out, "conditions:");

	for (unsigned int i = 0; i < cs->n; i++) {
		const struct condition *c = &cs->list[i];
		bool differ = c->asked[0] && strcmp(c->asked, c->effective) &&
			      strcmp(c->asked, "auto") && strcmp(c->asked, "any");
		int len = snprintf(text, sizeof(text), "%s %s%s%s%s%s", c->name,
				   c->effective, differ ? " (asked " : "",
				   differ ? c->asked : "", differ ? ")" : "",
				   i + 1 < cs->n ? "," : "");

		if (column + 1 + len > COLUMNS)
			column = fprintf(out, "\n   ") - 1;
		column += fprintf(out, " %s", text);
	}
	fputc('\n', out);
	for (unsigned int i = 0; i < cs->n; i++) {
		const struct condition *c = &cs->list[i];

		if (c->advice[0])
			fprintf(out, "note: %s %s: %s\n", c->name, c->effective,
				c->advice);
	}
}
