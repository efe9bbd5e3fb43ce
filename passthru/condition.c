// SPDX-License-Identifier: MIT
#include "condition.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfs.h"

static struct condition *add(struct conditions *cs)
{
	if (cs->n == cs->room) {
		unsigned int room = cs->room ? 2 * cs->room : 32;
		struct condition *list = reallocarray(cs->list, room, sizeof(*list));

		if (!list)
			return NULL;
		cs->list = list;
		cs->room = room;
	}
	memset(&cs->list[cs->n], 0, sizeof(cs->list[0]));
	return &cs->list[cs->n++];
}

void condition_add(struct conditions *cs, const char *name, const char *asked,
		   const char *format, ...)
{
	struct condition *c = add(cs);
	va_list ap;

	if (!c)
		return;
	snprintf(c->name, sizeof(c->name), "%s", name);
	snprintf(c->asked, sizeof(c->asked), "%s", asked);
	va_start(ap, format);
	vsnprintf(c->effective, sizeof(c->effective), format, ap);
	va_end(ap);
}

void condition_add_file(struct conditions *cs, const char *name, const char *path)
{
	char text[256];

	condition_add(cs, name, "", "%s",
		      sysfs_read(text, sizeof(text), path) ? "unknown" : text);
}

void condition_advise(struct conditions *cs, const char *format, ...)
{
	struct condition *c;
	va_list ap;

	if (!cs->n)
		return;
	c = &cs->list[cs->n - 1];
	va_start(ap, format);
	vsnprintf(c->advice, sizeof(c->advice), format, ap);
	va_end(ap);
}

const char *condition_effective(const struct conditions *cs, const char *name)
{
	for (unsigned int i = 0; i < cs->n; i++)
		if (!strcmp(cs->list[i].name, name))
			return cs->list[i].effective;
	return "unknown";
}

unsigned int condition_nr_advised(const struct conditions *cs)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < cs->n; i++)
		n += cs->list[i].advice[0] != 0;
	return n;
}

void conditions_done(struct conditions *cs)
{
	free(cs->list);
	memset(cs, 0, sizeof(*cs));
}
