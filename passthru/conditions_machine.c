// SPDX-License-Identifier: MIT
/* The kernel, its clock, and its limits. */
#include "conditions.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <plugclock.h>

#include "clockcost.h"
#include "kernel.h"
#include "ktime.h"
#include "sysfs.h"

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/"

static void add_kernel(struct conditions *cs, const struct session *s)
{
	const struct kernel_fault *fault;
	struct utsname uts;

	uname(&uts);
	condition_add(cs, "kernel", "", "%s", uts.release);
	for (unsigned int i = 0; (fault = kernel_fault(kernel_code(&uts), s, i)); i++) {
		condition_add(cs, fault->name, "", "%s", fault->known);
		condition_advise(cs, "%s", fault->advice);
	}
	/* Only a kernel with our series and its debug switch has it. */
	if (ktime_state())
		condition_add(cs, "blk_ktime", "", "%s", ktime_state());
}

/* Read from user space, and by the block layer, without leaving the CPU. */
static bool clocksource_is_quick(const char *name)
{
	static const char *const quick[] = {
		"tsc",
		"kvm-clock",
		"hyperv_clocksource_tsc_page",
		"arch_sys_counter",
		"timebase",
		"riscv_clocksource",
		"xen",
	};

	for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++)
		if (!strcmp(name, quick[i]))
			return true;
	return false;
}

static void add_clock(struct conditions *cs)
{
	char current[64], available[256];

	condition_add_file(cs, "clocksource", CLOCKSOURCE "current_clocksource");
	if (!sysfs_read(current, sizeof(current), CLOCKSOURCE "current_clocksource") &&
	    !clocksource_is_quick(current)) {
		if (!sysfs_read(available, sizeof(available),
				CLOCKSOURCE "available_clocksource") &&
		    strstr(available, "tsc"))
			condition_advise(cs, "the TSC is quicker: echo tsc >" CLOCKSOURCE
					     "current_clocksource");
		else
			condition_advise(cs, "slow to read, and the kernel does not "
					     "trust the TSC: dmesg | grep -i tsc "
					     "says why");
	}
	condition_add(cs, "clock_gettime_ns", "", "%.1f", clockcost_ns());
}

static void add_detector(struct conditions *cs)
{
	static const char *const names[] = {
		[PLUGCLOCK_DETECTOR_NONE] = "none",
		[PLUGCLOCK_DETECTOR_USER] = "user",
		[PLUGCLOCK_DETECTOR_EXACT] = "exact",
	};
	enum plugclock_detector reach = plugclock_detector();
	char paranoid[32];

	condition_add(cs, "plugclock_detector", "", "%s", names[reach]);
	if (reach == PLUGCLOCK_DETECTOR_EXACT)
		return;
	(void)sysfs_read(paranoid, sizeof(paranoid),
			 "/proc/sys/kernel/perf_event_paranoid");
	condition_advise(cs,
			 "--lat cached reads the clock at each stamp: rseq does not show "
			 "every context switch here, and perf events are not permitted "
			 "(kernel.perf_event_paranoid is %s, 2 or less permits them)",
			 paranoid[0] ? paranoid : "not there");
}

/* What the registered buffers of all threads count for, in KiB. */
static uint64_t memlock_need_kib(const struct session *s)
{
	const struct options *o = s->options;

	return o->fixed_buffers && s->engine->reads_device
		       ? session_buffer_bytes(s) * o->threads / 1024
		       : 0;
}

static void add_limits(struct conditions *cs, const struct session *s)
{
	uint64_t need_kib = memlock_need_kib(s);
	char text[64] = "";
	struct rlimit lim;
	long disabled = sysfs_read_long("/proc/sys/kernel/io_uring_disabled", 0);

	condition_add(cs, "io_uring_disabled", "", "%ld", disabled);
	if (disabled)
		condition_advise(cs, "%s: sysctl kernel.io_uring_disabled=0",
				 disabled == 1 ? "only root and the group of "
						 "kernel.io_uring_group may use it"
					       : "nobody may use it");
	if (need_kib)
		snprintf(text, sizeof(text), "%llu KiB", (unsigned long long)need_kib);
	if (getrlimit(RLIMIT_MEMLOCK, &lim) || lim.rlim_cur == RLIM_INFINITY) {
		condition_add(cs, "memlock", text, "unlimited");
		return;
	}
	condition_add(cs, "memlock", text, "%llu KiB",
		      (unsigned long long)lim.rlim_cur / 1024);
}

void conditions_add_machine(struct conditions *cs, const struct session *s)
{
	add_kernel(cs, s);
	add_clock(cs);
	add_detector(cs);
	add_limits(cs, s);
}
