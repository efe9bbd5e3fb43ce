// SPDX-License-Identifier: MIT
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct options *o, const char *text)
{
	size_t used = strlen(o->notes);

	snprintf(o->notes + used, sizeof(o->notes) - used, "%s\n", text);
}

static int open_devices(struct session *s, struct fail *f)
{
	struct options *o = s->options;

	for (unsigned int i = 0; i < o->nr_devices; i++) {
		struct device *d = &s->devices[i];

		if (device_open(d, o->devices[i], o, f))
			return -1;
		s->nr_devices++;
		for (unsigned int k = 0; k < i; k++)
			if (s->devices[k].dev == d->dev && s->devices[k].ino == d->ino)
				return fail(
					f, STATUS_USAGE,
					"%s: the same device as %s; use -n for several "
					"threads on one device",
					d->path, s->devices[k].path);
	}
	return 0;
}

static int pick_engine(struct session *s, struct fail *f)
{
	const struct options *o = s->options;

	if (!s->engine)
		s->engine = engine_for(s->devices[0].kind);
	for (unsigned int i = 0; i < s->nr_devices; i++)
		if (engine_for(s->devices[i].kind) != s->engine)
			return fail(
				f, STATUS_USAGE,
				o->engine ? "%s: is nothing for the %s engine"
					  : "%s: is nothing for the %s engine, which the "
					    "first device needs; run them one by one",
				s->devices[i].path, s->engine->name);
	return 0;
}

/* Poll where every device can, unless the user said otherwise. */
static void settle_polled(struct session *s)
{
	struct options *o = s->options;

	if (o->polled != CHOICE_AUTO)
		return;
	o->polled = CHOICE_ON;
	for (unsigned int i = 0; i < s->nr_devices; i++)
		if (s->devices[i].io_poll != 1 ||
		    (s->engine == &engine_block && !o->direct))
			o->polled = CHOICE_OFF;
}

/* MemAvailable in bytes, 0 where it is unknown. */
static uint64_t memory_available(void)
{
	FILE *in = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "MemAvailable: %llu", &kib) == 1)
			break;
	if (in)
		fclose(in);
	return kib * 1024;
}

uint64_t session_buffer_bytes(const struct session *s)
{
	uint64_t largest = 0, slots = 1;

	while (slots < s->options->depth)
		slots *= 2;
	for (unsigned int i = 0; i < s->nr_devices; i++) {
		const struct command_range *r = &s->devices[i].range;
		/* Whole pages each, see buffers_open(). */
		uint64_t bytes = ((uint64_t)r->data_bytes + 4095) / 4096 * 4096 +
				 ((uint64_t)r->meta_bytes + 4095) / 4096 * 4096;

		if (bytes > largest)
			largest = bytes;
	}
	return largest * slots;
}

int session_check_memory(const struct session *s, struct fail *f)
{
	const struct options *o = s->options;
	uint64_t have = memory_available(), need = session_buffer_bytes(s) * o->threads;

	if (o->huge_path || !have || need <= have)
		return 0;
	return fail(f, STATUS_NOT_POSSIBLE,
		    "%llu MiB of buffers and %llu MiB of memory available; use a "
		    "smaller -d, -b or -n",
		    (unsigned long long)need >> 20, (unsigned long long)have >> 20);
}

int session_open(struct session *s, struct options *o, struct fail *f)
{
	static char *null_path[] = {"/dev/null", NULL};
	unsigned int room;

	memset(s, 0, sizeof(*s));
	s->options = o;
	s->polled_asked = o->polled;
	if (o->engine) {
		s->engine = engine_by_name(o->engine, f);
		if (!s->engine)
			return -1;
	}
	if (s->engine == &engine_null && !o->nr_devices) {
		o->devices = null_path;
		o->nr_devices = 1;
	}
	if (s->engine == &engine_nop && o->nr_devices) {
		note(o, "-N1: no-ops read no device");
		o->nr_devices = 0;
	}
	if (!o->nr_devices && s->engine != &engine_nop)
		return fail(f, STATUS_USAGE,
			    "no device: name one, such as /dev/ng0n1, or use --engine "
			    "null or "
			    "nop to run without; see --help");
	room = o->nr_devices ? o->nr_devices : 1;
	s->devices = calloc(room, sizeof(*s->devices));
	if (!s->devices)
		return fail(f, STATUS_FAILED, "out of memory");
	if (s->engine == &engine_nop) {
		if (device_pretend(&s->devices[0], o, f))
			goto close;
		s->nr_devices = 1;
	} else if (open_devices(s, f)) {
		goto close;
	}
	if (pick_engine(s, f) || session_check_memory(s, f))
		goto close;
	settle_polled(s);
	if (s->nr_devices < o->threads && s->engine->reads_device) {
		char text[96];

		snprintf(text, sizeof(text), "-n %u: threads share %u device%s",
			 o->threads, s->nr_devices, s->nr_devices == 1 ? "" : "s");
		note(o, text);
	}
	return 0;
close:
	session_close(s);
	return -1;
}

void session_close(struct session *s)
{
	for (unsigned int i = 0; i < s->nr_devices; i++)
		device_close(&s->devices[i]);
	free(s->devices);
	memset(s, 0, sizeof(*s));
}
