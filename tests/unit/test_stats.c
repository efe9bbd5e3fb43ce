// SPDX-License-Identifier: MIT
/* Intervals, and A/B comparisons made of them. */
#include "ng_test.h"

#include "ab.h"
#include "result.h"
#include "stats.h"

#include <math.h>

static void assert_near(double got, double expected, double within)
{
	if (!(fabs(got - expected) <= within))
		fail_msg("%.12g is not %.12g", got, expected);
}

/* Half the width of the interval in standard errors is t. */
static double t_of(unsigned int n)
{
	double values[200], squares = 0, mean = 0;
	struct interval i;

	for (unsigned int k = 0; k < n; k++) {
		values[k] = 100 + (k * 7919 % 101) / 10.0;
		mean += values[k] / n;
	}
	for (unsigned int k = 0; k < n; k++)
		squares += (values[k] - mean) * (values[k] - mean);
	i = stats_interval(values, n);
	assert_near(i.mean, mean, 1e-9);
	assert_near(i.mean - i.low, i.high - i.mean, 1e-9);
	return (i.high - i.mean) / sqrt(squares / (n - 1) / n);
}

static void stats_interval_against_published_t_values(void **state)
{
	/* Two-sided 95 %, degrees of freedom n - 1; any table of Student's t. */
	static const struct {
		unsigned int n;
		double t;
	} table[] = {
		{2, 12.706}, {3, 4.303},  {5, 2.776},   {11, 2.228},
		{20, 2.093}, {31, 2.042}, {121, 1.980},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		assert_near(t_of(table[i].n), table[i].t, 0.0006);
}

static void stats_interval_of_two_values(void **state)
{
	const double values[] = {10, 14};
	struct interval i = stats_interval(values, 2);

	(void)state;
	assert_near(i.mean, 12, 1e-12);
	assert_near(i.high, 12 + 12.7062 * 2, 0.001);
}

static void stats_interval_of_constant_values(void **state)
{
	const double values[] = {2.5, 2.5, 2.5, 2.5};
	struct interval i = stats_interval(values, 4);

	(void)state;
	assert_near(i.mean, 2.5, 1e-12);
	assert_near(i.low, 2.5, 1e-12);
	assert_near(i.high, 2.5, 1e-12);
}

static void stats_interval_of_too_few_values(void **state)
{
	const double value = 3;
	struct interval i = stats_interval(&value, 1);

	(void)state;
	assert_near(i.mean, 3, 0);
	assert_true(isinf(i.low) && i.low < 0);
	assert_true(isinf(i.high) && i.high > 0);
	i = stats_interval(&value, 0);
	assert_true(isinf(i.high) && i.high > 0);
}

/* Student's sleep data; the interval is that of R's t.test(extra ~ group, data = sleep). */
static void stats_welch_against_a_published_interval(void **state)
{
	const double drug1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
	const double drug2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
	struct interval i = stats_welch(drug2, 10, drug1, 10);

	(void)state;
	assert_near(i.mean, -1.58, 1e-9);
	assert_near(i.low, -3.3654832, 1e-6);
	assert_near(i.high, 0.2054832, 1e-6);
}

static void stats_welch_of_too_few_or_constant_values(void **state)
{
	const double one[] = {3, 3}, other[] = {5, 5, 5};
	struct interval i = stats_welch(one, 1, other, 3);

	(void)state;
	assert_true(isinf(i.low) && i.low < 0 && isinf(i.high));
	i = stats_welch(one, 2, other, 1);
	assert_true(isinf(i.low) && isinf(i.high));
	i = stats_welch(one, 2, other, 3);
	assert_near(i.low, 2, 0);
	assert_near(i.high, 2, 0);
}

#define ROUNDS 6

static void arms(struct result *r, unsigned int n, double values[][ROUNDS])
{
	memset(r, 0, sizeof(*r));
	r->nr_arms = n;
	r->nr_rounds = ROUNDS;
	for (unsigned int i = 0; i < n; i++)
		r->arms[i].rounds = values[i];
}

/* The same factor in every round, however much the rounds differ: no doubt is left. */
static void ab_compare_constant_factor(void **state)
{
	double v[3][ROUNDS];
	struct fail f = {0};
	struct result r;

	(void)state;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		v[0][i] = 1e6 * (1 + i * i);
		v[1][i] = v[0][i] * 0.8;
		v[2][i] = v[0][i] * 1.25;
	}
	arms(&r, 3, v);
	assert_int_equal(ab_compare(&r, 1, false, &f), 0);
	assert_int_equal(r.nr_comparisons, 2);
	assert_int_equal(r.comparisons[0].a, 0);
	assert_int_equal(r.comparisons[0].b, 1);
	assert_int_equal(r.comparisons[1].a, 0);
	assert_int_equal(r.comparisons[1].b, 2);
	for (unsigned int c = 0; c < 2; c++) {
		double percent = c ? 25 : -20;

		assert_near(r.comparisons[c].diff_percent, percent, 1e-6);
		assert_near(r.comparisons[c].ci95_percent[0], percent, 1e-5);
		assert_near(r.comparisons[c].ci95_percent[1], percent, 1e-5);
	}
}

/* 50 ns more per I/O in every round, whatever the round's own pace. */
static void ab_compare_constant_delay(void **state)
{
	double v[2][ROUNDS];
	struct fail f = {0};
	struct result r;

	(void)state;
	for (unsigned int workers = 1; workers <= 4; workers += 3) {
		for (unsigned int i = 0; i < ROUNDS; i++) {
			v[0][i] = workers * 1e9 / (200 + 10 * i);
			v[1][i] = workers * 1e9 / (250 + 10 * i);
		}
		arms(&r, 2, v);
		assert_int_equal(ab_compare(&r, workers, false, &f), 0);
		assert_near(r.comparisons[0].diff_ns_per_io, 50, 1e-6);
		assert_near(r.comparisons[0].ci95_ns[0], 50, 1e-6);
		assert_near(r.comparisons[0].ci95_ns[1], 50, 1e-6);
		assert_in_range((int)-r.comparisons[0].diff_percent, 16, 20);
	}
}

/* A and B swapped: the ns turn their sign, the ratio becomes its inverse. */
static void ab_compare_swapped(void **state)
{
	double v[2][ROUNDS] = {
		{1.00e6, 1.02e6, 0.97e6, 1.01e6, 1.03e6, 0.99e6},
		{0.93e6, 0.99e6, 0.95e6, 0.92e6, 0.96e6, 0.94e6},
	};
	double swapped[2][ROUNDS];
	struct fail f = {0};
	struct result ab, ba;

	(void)state;
	memcpy(swapped[0], v[1], sizeof(v[1]));
	memcpy(swapped[1], v[0], sizeof(v[0]));
	arms(&ab, 2, v);
	arms(&ba, 2, swapped);
	assert_int_equal(ab_compare(&ab, 1, false, &f), 0);
	assert_int_equal(ab_compare(&ba, 1, false, &f), 0);
	assert_true(ab.comparisons[0].diff_percent < 0);
	assert_true(ab.comparisons[0].ci95_percent[0] < ab.comparisons[0].diff_percent);
	assert_true(ab.comparisons[0].diff_percent < ab.comparisons[0].ci95_percent[1]);
	assert_near(ab.comparisons[0].diff_ns_per_io, -ba.comparisons[0].diff_ns_per_io,
		    1e-9);
	assert_near(ab.comparisons[0].ci95_ns[0], -ba.comparisons[0].ci95_ns[1], 1e-9);
	assert_near((1 + ab.comparisons[0].diff_percent / 100) *
			    (1 + ba.comparisons[0].diff_percent / 100),
		    1, 1e-9);
	assert_near((1 + ab.comparisons[0].ci95_percent[0] / 100) *
			    (1 + ba.comparisons[0].ci95_percent[1] / 100),
		    1, 1e-9);
}

static void ab_compare_noise_around_nothing_holds_0(void **state)
{
	double v[2][ROUNDS] = {
		{1.00e6, 1.02e6, 0.97e6, 1.01e6, 1.03e6, 0.99e6},
		{1.01e6, 0.98e6, 1.00e6, 1.03e6, 0.99e6, 1.02e6},
	};
	struct fail f = {0};
	struct result r;

	(void)state;
	arms(&r, 2, v);
	assert_int_equal(ab_compare(&r, 1, false, &f), 0);
	assert_true(r.comparisons[0].ci95_percent[0] < 0);
	assert_true(r.comparisons[0].ci95_percent[1] > 0);
	assert_true(r.comparisons[0].ci95_ns[0] < 0);
	assert_true(r.comparisons[0].ci95_ns[1] > 0);
}

/* A stopped run counts its whole rounds alone. */
static void ab_compare_looks_at_whole_rounds_only(void **state)
{
	double v[2][ROUNDS] = {{1e6, 2e6, 3e6, 1, 1, 1}, {5e5, 1e6, 1.5e6, 9, 9, 9}};
	struct fail f = {0};
	struct result r;

	(void)state;
	arms(&r, 2, v);
	r.nr_rounds = 3;
	assert_int_equal(ab_compare(&r, 1, false, &f), 0);
	assert_near(r.comparisons[0].diff_percent, -50, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stats_interval_against_published_t_values),
		cmocka_unit_test(stats_interval_of_two_values),
		cmocka_unit_test(stats_interval_of_constant_values),
		cmocka_unit_test(stats_interval_of_too_few_values),
		cmocka_unit_test(stats_welch_against_a_published_interval),
		cmocka_unit_test(stats_welch_of_too_few_or_constant_values),
		cmocka_unit_test(ab_compare_constant_factor),
		cmocka_unit_test(ab_compare_constant_delay),
		cmocka_unit_test(ab_compare_swapped),
		cmocka_unit_test(ab_compare_noise_around_nothing_holds_0),
		cmocka_unit_test(ab_compare_looks_at_whole_rounds_only),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
