// SPDX-License-Identifier: MIT
/* What of a difference clock reads explain: rounds that are made of known costs. */
#include "ng_test.h"

#include "ab.h"
#include "result.h"

#include <math.h>

#define ROUNDS 8

static struct result r;
static double iops[2][ROUNDS], price_ns[ROUNDS];

/*
 * Arms that take @a and @b ns per I/O and make 0 and @reads clock reads of their own;
 * in round i all is dearer by @busier per cent each, as on a machine that fills up.
 */
static void compare(double a, double b, double reads, double read_ns, double busier,
		    unsigned int threads, bool touches_block)
{
	struct fail f = {0};

	r.nr_rounds = ROUNDS;
	r.nr_comparisons = 0;
	r.nr_arms = 2;
	r.arms[1].own_reads_per_io = reads;
	r.clock_rounds = price_ns;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		double dearer = 1 + busier / 100 * i;

		iops[0][i] = threads * 1e9 / (a * dearer);
		iops[1][i] = threads * 1e9 / (b * dearer);
		price_ns[i] = read_ns * dearer;
	}
	r.arms[0].rounds = iops[0];
	r.arms[1].rounds = iops[1];
	assert_int_equal(ab_compare(&r, threads, touches_block, &f), 0);
}

static int set_up(void **state)
{
	(void)state;
	memset(&r, 0, sizeof(r));
	return 0;
}

static void assert_near(double got, double expected, double within)
{
	if (!(fabs(got - expected) <= within))
		fail_msg("%.12g is not %.12g", got, expected);
}

static void own_reads_explain_all(void **state)
{
	const struct comparison *c = &r.comparisons[0];

	(void)state;
	compare(100, 150, 2, 25, 0, 1, false);
	assert_near(r.clock_read_ns, 25, 1e-9);
	assert_near(c->reads_gap, 2, 1e-12);
	assert_near(c->explained_ns, 50, 1e-9);
	assert_near(c->rest_ns, 0, 1e-9);
}

/* A read is as much dearer as all else: the share that it explains stays. */
static void a_machine_that_fills_up_moves_nothing_to_the_rest(void **state)
{
	const struct comparison *c = &r.comparisons[0];

	(void)state;
	compare(100, 160, 2, 25, 50, 2, false);
	assert_near(c->explained_ns, 50 * (1 + 0.5 * 3.5), 1e-6);
	assert_near(c->rest_ns, 10 * (1 + 0.5 * 3.5), 1e-6);
	assert_true(c->rest_ci95_ns[0] > 0);
	/* Without the pairing the interval would be that of the whole difference. */
	assert_true(c->rest_ci95_ns[1] - c->rest_ci95_ns[0] <
		    (c->ci95_ns[1] - c->ci95_ns[0]) / 5);
}

static void fewer_reads_explain_a_gain(void **state)
{
	(void)state;
	compare(150, 100, -2, 20, 0, 1, false);
	assert_near(r.comparisons[0].explained_ns, -40, 1e-9);
	assert_near(r.comparisons[0].rest_ns, -10, 1e-9);
}

static void the_kernels_reads_count_where_it_is_in_the_way(void **state)
{
	const struct comparison *c = &r.comparisons[0];

	(void)state;
	r.arms[0].clock_reads_per_io = 1.02;
	r.arms[1].clock_reads_per_io = 2.03;
	compare(200, 224, 0, 22, 0, 1, true);
	assert_near(c->reads_gap, 1.01, 1e-9);
	assert_near(c->explained_ns, 22.22, 1e-6);
	assert_near(c->rest_ns, 1.78, 1e-6);
	/* Not counted: not known. Not in the way: nothing to count. */
	r.arms[0].clock_reads_per_io = r.arms[1].clock_reads_per_io = NAN;
	compare(200, 224, 0.5, 22, 0, 1, true);
	assert_true(isnan(c->reads_gap) && isnan(c->explained_ns) && isnan(c->rest_ns));
	compare(200, 224, 0.5, 22, 0, 1, false);
	assert_near(c->explained_ns, 11, 1e-9);
}

/* The arithmetic of the README: 7.06M, 8.29M and 7.52M IOPS on two cores. */
static void the_seeds_figures(void **state)
{
	(void)state;
	compare(2e9 / 8.29e6, 2e9 / 7.06e6, 2.03, 21, 0, 2, false);
	assert_near(r.comparisons[0].diff_ns_per_io, 42.0, 0.05);
	assert_near(r.comparisons[0].explained_ns, 42.6, 0.05);
	compare(2e9 / 7.06e6, 2e9 / 7.52e6, -1, 21, 0, 2, false);
	assert_near(r.comparisons[0].diff_ns_per_io, -17.3, 0.05);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(own_reads_explain_all),
		TEST(a_machine_that_fills_up_moves_nothing_to_the_rest),
		TEST(fewer_reads_explain_a_gain),
		TEST(the_kernels_reads_count_where_it_is_in_the_way),
		TEST(the_seeds_figures),
	};

	return cmocka_run_group_tests_name("attribution", tests, NULL, NULL);
}
