/* SPDX-License-Identifier: MIT */
/*
 * What is run on what: options, engine and open devices
 */
#ifndef NGBENCH_SESSION_H
#define NGBENCH_SESSION_H

#include "device.h"
#include "engine.h"
#include "fail.h"
#include "options.h"

struct session {
	struct options *options;  /* the caller's; choices left open are settled in it */
	enum choice polled_asked; /* options->polled as the user had it */
	const struct engine *engine;
	struct device *devices;
	unsigned int nr_devices;
};

/*
 * session_open() - pick the engine, open the devices, settle what was left open
 *
 * Errors:  those of device_open() and engine_by_name(); devices of different
 *          kinds together, one device under two names, no device
 *          (STATUS_USAGE); more buffers than memory (STATUS_NOT_POSSIBLE).
 * Returns: 0 or -1 with @f set; then nothing is left to close.
 */
int session_open(struct session *s, struct options *o, struct fail *f);

/* session_buffer_bytes() - what the buffers of one thread take, in whole pages. */
uint64_t session_buffer_bytes(const struct session *s);

/*
 * session_check_memory() - are the buffers that s->options ask for to be had?
 *
 * All are written to before the run: asking for more than there is would wake the
 * OOM killer rather than fail. Huge pages fail by themselves.
 * Errors:  STATUS_NOT_POSSIBLE.
 */
int session_check_memory(const struct session *s, struct fail *f);

/* session_close() - takes a zeroed struct. */
void session_close(struct session *s);

#endif
