// SPDX-License-Identifier: MIT
/* Which thread reads which device. */
#include "ng_test.h"

#include "deal.h"

#include <sched.h>

#define MAX_DEVICES 64

static struct device devices[MAX_DEVICES];
static struct options o;

static unsigned int deal(struct target *targets, unsigned int threads, unsigned int files,
			 unsigned int thread)
{
	o.threads = threads;
	o.nr_devices = files;
	for (unsigned int i = 0; i < files; i++) {
		devices[i].fd = 100 + (int)i;
		devices[i].range.positions = 1000 + i;
	}
	return deal_targets(targets, devices, &o, thread, true);
}

/* Which files each thread has, by hand from t/io_uring's loop over the files. */
static void deal_targets_as_t_io_uring(void **state)
{
	static const struct {
		unsigned int threads, files;
		const char *dealt; /* per thread its files, threads apart by a space */
	} cases[] = {
		{1, 1, "0"},         {2, 2, "0 1"},           {4, 1, "0 0 0 0"},
		{1, 4, "0123"},      {2, 3, "02 1"},          {3, 2, "0 0 1"},
		{2, 5, "024 13"},    {7, 3, "0 0 0 1 1 2 2"}, {8, 3, "0 0 0 1 1 1 2 2"},
		{3, 7, "036 14 25"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target targets[MAX_DEVICES];
		char dealt[64] = "";
		size_t used = 0;

		for (unsigned int t = 0; t < cases[i].threads; t++) {
			unsigned int n =
				deal(targets, cases[i].threads, cases[i].files, t);

			if (t)
				dealt[used++] = ' ';
			for (unsigned int k = 0; k < n; k++)
				dealt[used++] =
					(char)('0' + (targets[k].device - devices));
			dealt[used] = 0;
		}
		assert_string_equal(dealt, cases[i].dealt);
	}
}

static void deal_targets_every_thread_and_every_file(void **state)
{
	(void)state;
	for (unsigned int threads = 1; threads <= 40; threads++)
		for (unsigned int files = 1; files <= 40; files++) {
			unsigned int seen[MAX_DEVICES] = {0}, sum = 0;

			for (unsigned int t = 0; t < threads; t++) {
				struct target targets[MAX_DEVICES];
				unsigned int n = deal(targets, threads, files, t);

				assert_in_range(n, 1, files);
				for (unsigned int k = 0; k < n; k++) {
					unsigned int d =
						(unsigned int)(targets[k].device -
							       devices);

					assert_in_range(d, 0, files - 1);
					assert_int_equal(targets[k].fd, 100 + d);
					assert_int_equal(targets[k].flags, 0);
					assert_int_equal(targets[k].inflight, 0);
					seen[d]++;
				}
				sum += n;
			}
			for (unsigned int d = 0; d < files; d++)
				assert_in_range(seen[d], 1, threads);
			assert_int_equal(sum, threads > files ? threads : files);
		}
}

static void deal_targets_of_an_engine_that_reads_nothing(void **state)
{
	struct target targets[1];

	(void)state;
	o.threads = 3;
	o.nr_devices = 0;
	for (unsigned int t = 0; t < 3; t++) {
		assert_int_equal(deal_targets(targets, devices, &o, t, false), 1);
		assert_ptr_equal(targets[0].device, &devices[0]);
	}
}

static void deal_targets_random_threads_differ(void **state)
{
	uint64_t states[8];

	(void)state;
	o.random = true;
	for (unsigned int t = 0; t < 8; t++) {
		struct target targets[MAX_DEVICES];

		deal(targets, 8, 1, t);
		states[t] = targets[0].random;
		assert_int_not_equal(states[t], 0);
		for (unsigned int k = 0; k < t; k++)
			assert_int_not_equal(states[t], states[k]);
	}
	o.random = false;
}

static void deal_targets_sequential_threads_start_apart(void **state)
{
	uint64_t last = 0;

	(void)state;
	for (unsigned int t = 0; t < 4; t++) {
		struct target targets[MAX_DEVICES];

		deal(targets, 4, 1, t);
		assert_int_equal(targets[0].random, 0);
		assert_in_range(targets[0].position, t ? last + 1 : 0, 999);
		last = targets[0].position;
	}
	/* Fewer positions than threads: still inside. */
	devices[0].range.positions = 3;
	o.threads = 1000;
	for (unsigned int t = 0; t < 1000; t++) {
		struct target targets[MAX_DEVICES];

		deal_targets(targets, devices, &o, t, true);
		assert_in_range(targets[0].position, 0, 2);
	}
}

static void deal_cpu_near_an_unknown_node(void **state)
{
	struct device d = {.numa_node = -1};

	(void)state;
	assert_int_equal(deal_cpu_near(&d, 0), -1);
	d.numa_node = 4000;
	assert_int_equal(deal_cpu_near(&d, 0), -1);
}

/* Of the CPUs that are allowed, all of them in turn, and no other. */
static void deal_cpu_auto_among_those_allowed(void **state)
{
	struct device d = {.numa_node = -1};
	cpu_set_t allowed, one, seen;
	int n, first;

	(void)state;
	CPU_ZERO(&seen);
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	n = CPU_COUNT(&allowed);
	for (int i = 0; i < n; i++) {
		int cpu = deal_cpu_auto(&d, (unsigned int)i);

		assert_in_range(cpu, 0, CPU_SETSIZE - 1);
		CPU_SET(cpu, &seen);
	}
	assert_true(CPU_EQUAL(&seen, &allowed));
	first = deal_cpu_auto(&d, 0);
	assert_int_equal(deal_cpu_auto(&d, (unsigned int)n), first);
	/* A node that is not there is no node. */
	d.numa_node = 4000;
	assert_int_equal(deal_cpu_auto(&d, 0), first);
	CPU_ZERO(&one);
	CPU_SET(deal_cpu_auto(&d, (unsigned int)n - 1), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(CPU_ISSET(deal_cpu_auto(&d, i), &one));
	assert_int_equal(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deal_targets_as_t_io_uring),
		cmocka_unit_test(deal_targets_every_thread_and_every_file),
		cmocka_unit_test(deal_targets_of_an_engine_that_reads_nothing),
		cmocka_unit_test(deal_targets_random_threads_differ),
		cmocka_unit_test(deal_targets_sequential_threads_start_apart),
		cmocka_unit_test(deal_cpu_near_an_unknown_node),
		cmocka_unit_test(deal_cpu_auto_among_those_allowed),
	};

	return cmocka_run_group_tests_name("deal", tests, NULL, NULL);
}
