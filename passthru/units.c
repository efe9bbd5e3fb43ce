// SPDX-License-Identifier: MIT
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define CPU_LIMIT 4096u

/* strtoull() without its leniency: no sign, no space, no base prefix. */
static int parse_digits(const char *text, uint64_t *value, const char **end)
{
	char *stop;
	int saved = errno;
	unsigned long long n;

	if (!isdigit((unsigned char)text[0]))
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &stop, 10);
	if (errno) {
		errno = saved;
		return -ERANGE;
	}
	errno = saved;
	*value = n;
	*end = stop;
	return 0;
}

int units_parse_count(const char *text, uint64_t *value)
{
	const char *end;
	uint64_t n;
	int ret = parse_digits(text, &n, &end);

	if (ret)
		return ret;
	if (*end)
		return -EINVAL;
	*value = n;
	return 0;
}

int units_parse_size(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "kmg";
	unsigned int shift = 0;
	const char *end;
	uint64_t n;
	int ret = parse_digits(text, &n, &end);

	if (ret)
		return ret;
	for (unsigned int i = 0; *end && suffixes[i]; i++)
		if (tolower((unsigned char)*end) == suffixes[i])
			shift = 10 * (i + 1);
	if (shift)
		end++;
	if (*end)
		return -EINVAL;
	if (n > UINT64_MAX >> shift)
		return -ERANGE;
	*bytes = n << shift;
	return 0;
}

int units_parse_cpus(const char *text, unsigned int *cpus, size_t max)
{
	size_t count = 0;

	for (;;) {
		uint64_t first, last;
		int ret = parse_digits(text, &first, &text);

		if (ret)
			return ret;
		last = first;
		if (*text == '-') {
			ret = parse_digits(text + 1, &last, &text);
			if (ret)
				return ret;
		}
		if (last >= CPU_LIMIT)
			return -ERANGE;
		if (last < first)
			return -EINVAL;
		for (; first <= last; first++) {
			if (count == max)
				return -E2BIG;
			cpus[count++] = (unsigned int)first;
		}
		if (!*text)
			return (int)count;
		if (*text++ != ',')
			return -EINVAL;
	}
}

const char *units_format_cpus(char *buf, size_t len, const bool *cpus, size_t n)
{
	size_t used = 0;

	buf[0] = 0;
	for (size_t first = 0; first < n && used < len; first++) {
		size_t last = first;

		if (!cpus[first])
			continue;
		while (last + 1 < n && cpus[last + 1])
			last++;
		used += (size_t)snprintf(buf + used, len - used, "%s%zu", used ? "," : "",
					 first);
		if (last > first && used < len)
			used += (size_t)snprintf(buf + used, len - used, "-%zu", last);
		first = last;
	}
	return buf;
}

const char *units_format_iops(char *buf, double iops)
{
	if (iops > 1e6)
		snprintf(buf, 24, "%.2fM", iops / 1e6);
	else if (iops > 1e5)
		snprintf(buf, 24, "%.2fK", iops / 1e3);
	else
		snprintf(buf, 24, "%.0f", iops);
	return buf;
}

const char *units_format_bandwidth(char *buf, double bytes_per_s)
{
	double mib = bytes_per_s / (1024 * 1024);

	if (mib > 2000)
		snprintf(buf, 32, "%.2fGiB/s", mib / 1000);
	else
		snprintf(buf, 32, "%.0fMiB/s", mib);
	return buf;
}
