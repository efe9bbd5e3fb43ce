// SPDX-License-Identifier: MIT
/* Comparisons of made-up rounds whose truth is known. The noise repeats: no run differs. */
#include "ng_test.h"

#include "ab.h"
#include "result.h"
#include "stats.h"

#include <math.h>

#define ROUNDS 20
#define TRIES  2000

static uint64_t seed;

/* xorshift64*, Vigna 2016; above 0 and below 1. */
static double uniform(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return ((double)((seed * 0x2545f4914f6cdd1dull) >> 11) + 0.5) /
	       9007199254740992.0;
}

/* Box and Muller 1958. */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* What a round's noise is like; each is a share of the pace. */
struct noise {
	double own;    /* of each slice by itself */
	double common; /* of both arms of a round alike */
	double drift;  /* from the first round to the last */
	double hiccup; /* one slice in 30 is slower by so much */
};

static double pace(double ns, const struct noise *n, double common, double at)
{
	double slow = n->hiccup > 0 && uniform() < 1 / 30.0 ? n->hiccup : 0;

	return ns * exp(n->own * normal() + n->common * common + n->drift * at + slow);
}

/* IOPS of rounds in ABBA order, of arms that take @a and @b ns per I/O. */
static void make_rounds(double *ra, double *rb, double a, double b, const struct noise *n)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		double common = normal(), at = i / (ROUNDS - 1.0);
		/* When in the round each of the four slices was. */
		double quarter = 1.0 / (4 * (ROUNDS - 1.0));
		double a1 = pace(a, n, common, at), b1 = pace(b, n, common, at + quarter);
		double b2 = pace(b, n, common, at + 2 * quarter);
		double a2 = pace(a, n, common, at + 3 * quarter);

		ra[i] = (1e9 / a1 + 1e9 / a2) / 2;
		rb[i] = (1e9 / b1 + 1e9 / b2) / 2;
	}
}

static void compare(struct result *r, double rounds[2][ROUNDS])
{
	struct fail f = {0};

	memset(r, 0, sizeof(*r));
	r->nr_arms = 2;
	r->nr_rounds = ROUNDS;
	for (unsigned int i = 0; i < 2; i++)
		r->arms[i].rounds = rounds[i];
	assert_int_equal(ab_compare(r, 1, false, &f), 0);
}

/* How often in 1000 the intervals hold the truth, per cent and ns. */
static void coverage(double a, double b, const struct noise *n, unsigned int *percent,
		     unsigned int *ns)
{
	unsigned int in_percent = 0, in_ns = 0;
	double diff_ns = 0;

	/* A drift makes the difference dearer along with all else. */
	for (unsigned int i = 0; i < ROUNDS; i++)
		diff_ns += (b - a) * exp(n->drift * i / (ROUNDS - 1.0)) / ROUNDS;
	for (unsigned int i = 0; i < TRIES; i++) {
		const struct comparison *c;
		double rounds[2][ROUNDS], truth = 100 * (a / b - 1);
		struct result r;

		make_rounds(rounds[0], rounds[1], a, b, n);
		compare(&r, rounds);
		c = &r.comparisons[0];
		in_percent += c->ci95_percent[0] <= truth && truth <= c->ci95_percent[1];
		in_ns += c->ci95_ns[0] <= diff_ns && diff_ns <= c->ci95_ns[1];
	}
	*percent = in_percent * 1000 / TRIES;
	*ns = in_ns * 1000 / TRIES;
}

static void interval_holds_the_truth_95_times_of_100(void **state)
{
	static const struct {
		const char *what;
		double a, b;
		struct noise noise;
	} tries[] = {
		{"nothing", 100, 100, {.own = 0.01}},
		{"nothing, slow machine", 100, 100, {.own = 0.05, .common = 0.2}},
		{"3 ns", 100, 103, {.own = 0.01}},
		{"3 ns faster", 103, 100, {.own = 0.02, .common = 0.05}},
		{"twice", 100, 200, {.own = 0.02}},
		{"50 ns and a drift", 240, 290, {.own = 0.01, .drift = 0.1}},
	};

	(void)state;
	seed = 1;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		unsigned int percent, ns;

		coverage(tries[i].a, tries[i].b, &tries[i].noise, &percent, &ns);
		print_message("# %s: %u and %u of 1000\n", tries[i].what, percent, ns);
		/* Three standard deviations of 2000 tries are 15 of 1000. */
		assert_in_range(percent, 935, 965);
		assert_in_range(ns, 930, 970);
	}
}

/* Noise with hiccups is not normal: the interval is to err to the safe side. */
static void interval_is_not_too_narrow_with_hiccups(void **state)
{
	const struct noise noise = {.own = 0.005, .hiccup = 0.3};
	unsigned int percent, ns;

	(void)state;
	seed = 2;
	coverage(100, 100, &noise, &percent, &ns);
	print_message("# hiccups: %u and %u of 1000\n", percent, ns);
	assert_in_range(percent, 935, 1000);
	assert_in_range(ns, 935, 1000);
}

static void a_difference_beyond_the_noise_is_called(void **state)
{
	const struct noise noise = {.own = 0.01};
	unsigned int called = 0;

	(void)state;
	seed = 3;
	for (unsigned int i = 0; i < 200; i++) {
		double rounds[2][ROUNDS];
		struct result r;

		make_rounds(rounds[0], rounds[1], 100, 102, &noise);
		compare(&r, rounds);
		called += r.comparisons[0].ci95_percent[1] < 0;
	}
	/* 2 % is nine standard errors. */
	assert_int_equal(called, 200);
}

static void drift_of_the_pace_is_noted_and_does_not_bend_the_difference(void **state)
{
	const struct noise noise = {.own = 0.002, .drift = 0.2};
	double rounds[2][ROUNDS];
	struct result r;

	(void)state;
	seed = 4;
	make_rounds(rounds[0], rounds[1], 100, 100, &noise);
	compare(&r, rounds);
	/* IOPS fall by exp(-0.2). */
	assert_true(fabs(r.drift.percent + 18.1) < 0.5);
	assert_true(r.drift.ci95_percent[1] < -17 && r.drift.ci95_percent[0] > -19);
	assert_true(fabs(r.comparisons[0].diff_percent) < 0.2);
	assert_true(r.comparisons[0].drift.ci95_percent[0] < 0);
	assert_true(r.comparisons[0].drift.ci95_percent[1] > 0);
}

static void drift_of_the_difference_is_noted(void **state)
{
	double rounds[2][ROUNDS];
	struct result r;

	(void)state;
	seed = 5;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		rounds[0][i] = 1e7 * exp(0.002 * normal());
		rounds[1][i] = 1e7 * exp(0.002 * normal() + 0.1 * i / (ROUNDS - 1));
	}
	compare(&r, rounds);
	assert_true(fabs(r.comparisons[0].drift.percent - 10.5) < 1);
	assert_true(r.comparisons[0].drift.ci95_percent[0] > 5);
}

static void rounds_that_stand_apart_are_named_and_counted_in(void **state)
{
	const struct noise noise = {.own = 0.005};
	double rounds[2][ROUNDS], plain;
	struct result r;

	(void)state;
	seed = 6;
	make_rounds(rounds[0], rounds[1], 100, 100, &noise);
	compare(&r, rounds);
	assert_int_equal(r.comparisons[0].nr_outliers, 0);
	plain = r.comparisons[0].diff_percent;
	rounds[1][3] *= 0.96;
	rounds[1][17] *= 0.6;
	compare(&r, rounds);
	assert_int_equal(r.comparisons[0].nr_outliers, 2);
	assert_int_equal(r.comparisons[0].outliers[0], 3);
	assert_int_equal(r.comparisons[0].outliers[1], 17);
	assert_true(r.comparisons[0].diff_percent < plain - 2);
}

static void few_rounds_of_normal_noise_stand_apart(void **state)
{
	const struct noise noise = {.own = 0.01};
	unsigned int apart = 0;

	(void)state;
	seed = 7;
	for (unsigned int i = 0; i < 500; i++) {
		double rounds[2][ROUNDS];
		struct result r;

		make_rounds(rounds[0], rounds[1], 100, 100, &noise);
		compare(&r, rounds);
		apart += r.comparisons[0].nr_outliers;
	}
	print_message("# %u of %d rounds stand apart\n", apart, 500 * ROUNDS);
	assert_in_range(apart, 0, 500 * ROUNDS / 100);
}

static void spread_of_constant_and_of_alternating_rounds(void **state)
{
	double rounds[2][ROUNDS];
	struct result r;

	(void)state;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		rounds[0][i] = 1e6;
		rounds[1][i] = i % 2 ? 1.1e6 : 0.9e6;
	}
	compare(&r, rounds);
	assert_true(r.arms[0].spread_percent < 1e-9);
	/* 0.1 / 1 as a sample of 20: times sqrt(20 / 19). */
	assert_true(fabs(r.arms[1].spread_percent - 10.26) < 0.01);
}

/* stats_steady() after @n values, of which these are the last three in order. */
static bool steady(double a, double b, double c, unsigned int n)
{
	double last[STATS_STEADY_VALUES];

	last[n % 3] = a;
	last[(n + 1) % 3] = b;
	last[(n + 2) % 3] = c;
	return stats_steady(last, n);
}

static void steady_unless_it_climbs_or_falls_all_along(void **state)
{
	(void)state;
	for (unsigned int n = 3; n < 9; n++) {
		assert_false(steady(100, 110, 120, n));
		assert_false(steady(120, 110, 100, n));
		assert_false(steady(100, 100.5, 101, n));
		assert_true(steady(100, 100.1, 100.2, n));
		assert_true(steady(100, 120, 110, n));
		assert_true(steady(100, 80, 90, n));
		assert_true(steady(100, 100, 100, n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_holds_the_truth_95_times_of_100),
		cmocka_unit_test(interval_is_not_too_narrow_with_hiccups),
		cmocka_unit_test(a_difference_beyond_the_noise_is_called),
		cmocka_unit_test(
			drift_of_the_pace_is_noted_and_does_not_bend_the_difference),
		cmocka_unit_test(drift_of_the_difference_is_noted),
		cmocka_unit_test(rounds_that_stand_apart_are_named_and_counted_in),
		cmocka_unit_test(few_rounds_of_normal_noise_stand_apart),
		cmocka_unit_test(spread_of_constant_and_of_alternating_rounds),
		cmocka_unit_test(steady_unless_it_climbs_or_falls_all_along),
	};

	return cmocka_run_group_tests_name("ab_noise", tests, NULL, NULL);
}
