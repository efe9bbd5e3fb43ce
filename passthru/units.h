/* SPDX-License-Identifier: MIT */
/*
 * Numbers as people write and read them
 */
#ifndef NGBENCH_UNITS_H
#define NGBENCH_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * units_parse_count() - a whole decimal number, nothing before or after it
 *
 * Errors:  -EINVAL not a number, or a sign, space or suffix with it;
 *          -ERANGE  more than 64 bits.
 * Returns: 0 with *value set, or -errno with *value untouched.
 */
int units_parse_count(const char *text, uint64_t *value);

/*
 * units_parse_size() - bytes, with an optional suffix k, m or g (powers of 1024)
 *
 * Errors and return as units_parse_count().
 */
int units_parse_size(const char *text, uint64_t *bytes);

/*
 * units_parse_cpus() - a CPU list such as "2,3" or "0-3,8", in the order written
 *
 * Errors:  -EINVAL not such a list, empty, or a range that runs backwards;
 *          -ERANGE a CPU number of 4096 or more;
 *          -E2BIG  more than @max CPUs.
 * Returns: the number of CPUs stored in @cpus, or -errno.
 */
int units_parse_cpus(const char *text, unsigned int *cpus, size_t max);

/*
 * units_format_cpus() - a CPU list such as "0-3,8"; cut where @buf ends
 *
 * @cpus: which of the @n CPUs are in it.
 * Returns: @buf.
 */
const char *units_format_cpus(char *buf, size_t len, const bool *cpus, size_t n);

/*
 * units_format_iops() - "8.29M", "341.20K" or "95012", as t/io_uring prints
 *
 * @buf holds at least 24 bytes. Returns @buf.
 */
const char *units_format_iops(char *buf, double iops);

/*
 * units_format_bandwidth() - "3.45GiB/s" above 2000 MiB/s, else "812MiB/s"
 *
 * GiB as t/io_uring has them (1000 MiB), since scripts read these lines.
 * @buf holds at least 32 bytes. Returns @buf.
 */
const char *units_format_bandwidth(char *buf, double bytes_per_s);

#endif
