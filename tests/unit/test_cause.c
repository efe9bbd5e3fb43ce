// SPDX-License-Identifier: MIT
/* What a bad completion is said to be: errno, NVMe status and short reads apart. */
#include "ng_test.h"

#include "cause.h"
#include "nvme_status.h"

#include <errno.h>

static void text_tells_errno_status_and_length_apart(void **state)
{
	static const struct {
		int result, good_result;
		const char *text;
	} cases[] = {
		{-EIO, 0, "Input/output error (errno 5)"},
		{-EIO, 4096, "Input/output error (errno 5)"},
		{512, 4096, "512 bytes came instead of 4096"},
		{0, 4096, "0 bytes came instead of 4096"},
		{0x281, 0, "NVMe status 0x281: Unrecovered Read Error"},
		{0x281, 0, "(sct 0x2, sc 0x81)"},
		{0x4002, 0, "NVMe status 0x4002: Invalid Field in Command"},
		{0x4002, 0, "(sct 0, sc 0x2, DNR)"},
		{0x82, 0, "Namespace Not Ready"},
		{0x7, 0, "Command Abort Requested"},
		{0x371, 0, "(sct 0x3, sc 0x71)"},
	};
	char buf[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = nvme_status_text(cases[i].result, cases[i].good_result,
						    buf, sizeof(buf));

		if (!strstr(text, cases[i].text))
			fail_msg("'%s' is not in '%s'", cases[i].text, text);
	}
}

static void cause_is_told_where_it_is_known(void **state)
{
	const struct device ng = {.kind = DEVICE_NG, .max_bytes = 524288};
	const struct device block = {.kind = DEVICE_BLOCK};
	const struct {
		int result;
		const struct engine *engine;
		const struct device *device;
		const char *part;
	} cases[] = {
		{-ENODEV, &engine_nvme, &ng, "removed"},
		{-EINTR, &engine_nvme, &ng, "time-out or a reset"},
		{-EINTR, &engine_block, &block, ""},
		{-EAGAIN, &engine_block, &block, "smaller -d"},
		{-EINVAL, &engine_nvme, &ng, "smaller -b"},
		{-EINVAL, &engine_block, &block, ""},
		{0, &engine_block, &block, "removed, or has shrunk"},
		{512, &engine_block, &block, ""},
		{-EIO, &engine_block, &block, "kernel's log"},
		{-EIO, &engine_nvme, &ng, ""},
		{0x281, &engine_nvme, &ng, ""},
		{0x7, &engine_nvme, &ng, "after a time-out"},
		{0x4007, &engine_nvme, &ng, "after a time-out"},
		{0x82, &engine_nvme, &ng, "busy"},
		{0x84, &engine_nvme, &ng, "busy"},
		{0x1d, &engine_nvme, &ng, "busy"},
		{0x182, &engine_nvme, &ng, ""},
		{0x84, &engine_block, &block, ""},
		{-ENODATA, &engine_block, &block, "medium error"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text =
			cause_of(cases[i].result, cases[i].engine, cases[i].device);

		assert_int_equal(text[0] != 0, cases[i].part[0] != 0);
		assert_non_null(strstr(text, cases[i].part));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_tells_errno_status_and_length_apart),
		cmocka_unit_test(cause_is_told_where_it_is_known),
	};

	return cmocka_run_group_tests_name("cause", tests, NULL, NULL);
}
