// SPDX-License-Identifier: MIT
/* Which kernel is which, and which faults a run may meet there. */
#include "ng_test.h"

#include "engine.h"
#include "kernel.h"

static void code_of_releases(void **state)
{
	static const struct {
		const char *release, *version;
		unsigned int code;
	} cases[] = {
		{"6.12.95", "#1 SMP", KERNEL_CODE(6, 12, 95)},
		{"7.3.4+deb13-cloud-amd64", "#1 SMP", KERNEL_CODE(7, 3, 4)},
		{"6.1.0-57-cloud-amd64", "#1 SMP Debian 6.1.192-3 (2026-11-02)",
		 KERNEL_CODE(6, 1, 192)},
		{"6.8.0-45-generic", "#45-Ubuntu SMP", KERNEL_CODE(6, 8, 1023)},
		{"6.9.0", "#1 SMP", KERNEL_CODE(6, 9, 0)},
		{"6.13-rc4", "#1 SMP", KERNEL_CODE(6, 13, 1023)},
		{"5.10.4096", "#1", KERNEL_CODE(5, 10, 1023)},
		{"unknown", "#1", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct utsname uts = {0};

		snprintf(uts.release, sizeof(uts.release), "%s", cases[i].release);
		snprintf(uts.version, sizeof(uts.version), "%s", cases[i].version);
		assert_int_equal(kernel_code(&uts), cases[i].code);
	}
}

static struct options o;
static struct device device;

static struct session session_on(const struct engine *engine, const char *disk)
{
	memset(&device, 0, sizeof(device));
	snprintf(device.disk, sizeof(device.disk), "%s", disk);
	return (struct session){
		.options = &o,
		.engine = engine,
		.devices = &device,
		.nr_devices = 1,
	};
}

/* Exactly these faults, "" for none and a blank between two. */
static void assert_faults(unsigned int code, const struct session *s, const char *names)
{
	const struct kernel_fault *fault;
	char found[256] = "";

	for (unsigned int i = 0; (fault = kernel_fault(code, s, i)); i++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s",
			 i ? " " : "", fault->name + strlen("fault."));
	assert_string_equal(found, names);
}

static void faults_of_polled_passthrough(void **state)
{
	struct session s = session_on(&engine_nvme, "nvme0n1");

	(void)state;
	o.polled = CHOICE_ON;
	assert_faults(KERNEL_CODE(6, 0, 19), &s, "");
	assert_faults(KERNEL_CODE(6, 1, 192), &s, "undrained_poll");
	assert_faults(KERNEL_CODE(6, 4, 1023), &s, "undrained_poll");
	assert_faults(KERNEL_CODE(6, 5, 0), &s, "");
	o.polled = CHOICE_OFF;
	assert_faults(KERNEL_CODE(6, 1, 192), &s, "");
}

static void faults_of_the_cached_time(void **state)
{
	struct session s = session_on(&engine_block, "nvme0n1");

	(void)state;
	assert_faults(KERNEL_CODE(6, 8, 12), &s, "");
	assert_faults(KERNEL_CODE(6, 9, 0), &s, "stale_time");
	assert_faults(KERNEL_CODE(6, 12, 94), &s, "stale_time");
	assert_faults(KERNEL_CODE(6, 12, 95), &s, "");
	/* A vendor's number that says nothing counts as mended. */
	assert_faults(KERNEL_CODE(6, 12, 1023), &s, "");
	s = session_on(&engine_block, "nullb0");
	assert_faults(KERNEL_CODE(6, 12, 94), &s, "zero_latency stale_time");
	assert_faults(KERNEL_CODE(7, 3, 4), &s, "zero_latency");
	s = session_on(&engine_null, "");
	assert_faults(KERNEL_CODE(6, 12, 94), &s, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_of_releases),
		cmocka_unit_test(faults_of_polled_passthrough),
		cmocka_unit_test(faults_of_the_cached_time),
	};

	return cmocka_run_group_tests_name("kernel", tests, NULL, NULL);
}
