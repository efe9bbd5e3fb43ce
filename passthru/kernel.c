// SPDX-License-Identifier: MIT
#include "kernel.h"

#include <stdio.h>
#include <string.h>

#include "ktime.h"

unsigned int kernel_code(const struct utsname *uts)
{
	const char *debian = strstr(uts->version, "Debian ");
	unsigned int major, minor, sub = 0;

	if (sscanf(uts->release, "%u.%u.%u", &major, &minor, &sub) < 2)
		return 0;
	if (!debian || sscanf(debian, "Debian %u.%u.%u", &major, &minor, &sub) != 3)
		if (!sub && strchr(uts->release, '-'))
			sub = KERNEL_SUB_UNKNOWN;
	return KERNEL_CODE(major, minor,
			   sub < KERNEL_SUB_UNKNOWN ? sub : KERNEL_SUB_UNKNOWN);
}

static bool polled_passthrough(const struct session *s)
{
	return !strcmp(s->engine->name, "nvme") && s->options->polled == CHOICE_ON;
}

static bool cached_time(const struct session *s)
{
	/* Our series takes the place of the kernel's own cached time. */
	return s->engine->touches_block && !ktime_state();
}

static bool completes_in_plug(const struct session *s)
{
	for (unsigned int i = 0; i < s->nr_devices; i++)
		if (!strncmp(s->devices[i].disk, "nullb", 5))
			return cached_time(s);
	return false;
}

static const struct kernel_fault faults[] = {
	{
		.name = "fault.undrained_poll",
		.known = "Linux 6.1 to 6.4, seen in 6.1.192",
		.advice =
			"a process that dies (kill -9), a namespace that is detached, "
			"or reads that fail together, with polled passthrough in flight, "
			"may oops this kernel: end runs by SIGINT or SIGTERM, and use "
			"-p0 where reads may fail; kpatch/6.1 has the cure",
		.from = KERNEL_CODE(6, 1, 0),
		.before = KERNEL_CODE(6, 5, 0),
		.meets = polled_passthrough,
	},
	{
		.name = "fault.zero_latency",
		.known = "Linux 6.9 on, seen in 6.12.117 and 7.3.4",
		.advice =
			"iostat and /sys/block/X/stat show a latency of 0 where a driver "
			"completes inside the plug, as null_blk does: use --lat cached",
		.from = KERNEL_CODE(6, 9, 0),
		.before = ~0u,
		.meets = completes_in_plug,
	},
	{
		.name = "fault.stale_time",
		.known = "Linux 6.9 to 6.12.94",
		.advice = "iostat's await may be ten times too high after a preemption: "
			  "take 6.12.95 or newer (fad156c2af22), or use --lat cached",
		.from = KERNEL_CODE(6, 9, 0),
		.before = KERNEL_CODE(6, 12, 95),
		.meets = cached_time,
	},
};

const struct kernel_fault *kernel_fault(unsigned int code, const struct session *s,
					unsigned int nth)
{
	for (unsigned int i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		const struct kernel_fault *k = &faults[i];

		if (code >= k->from && code < k->before && k->meets(s) && !nth--)
			return k;
	}
	return NULL;
}
