// SPDX-License-Identifier: MIT
/* Latency histogram: accuracy, percentiles, merging. */
#include "ng_test.h"

#include "histogram.h"

#include <math.h>
#include <stdlib.h>

static uint64_t random_next(uint64_t *x)
{
	*x = *x * 6364136223846793005ull + 1442695040888963407ull;
	return *x >> 11;
}

/* A histogram is too large for the stack of some threads, and zeroed this way. */
static int new_histogram(void **state)
{
	*state = calloc(2, sizeof(struct histogram));
	return *state ? 0 : -1;
}

static int free_histogram(void **state)
{
	free(*state);
	return 0;
}

static void histogram_index_stays_inside_and_never_falls(void **state)
{
	unsigned int last = 0;

	(void)state;
	for (uint64_t ns = 0; ns < 1ull << 45; ns += 1 + ns / 300) {
		unsigned int i = histogram_index(ns);

		assert_in_range(i, last, last + 1);
		last = i;
	}
	assert_int_equal(last, HISTOGRAM_SIZE - 1);
	assert_int_equal(histogram_index((1ull << 40) - 1), HISTOGRAM_SIZE - 1);
	assert_int_equal(histogram_index(1ull << 40), HISTOGRAM_SIZE - 1);
	assert_int_equal(histogram_index(UINT64_MAX), HISTOGRAM_SIZE - 1);
	assert_int_equal(histogram_index((1ull << 40) - (1ull << 34)),
			 HISTOGRAM_SIZE - 2);
}

static void histogram_percentile_exact_below_64(void **state)
{
	struct histogram *h = *state;

	for (uint64_t ns = 0; ns < 64; ns++) {
		memset(h, 0, sizeof(*h));
		histogram_add(h, ns, 1);
		histogram_add(h, 1000, 1);
		assert_int_equal(histogram_percentile(h, 50), ns);
	}
}

static void histogram_percentile_within_one_percent(void **state)
{
	struct histogram *h = *state;

	for (uint64_t ns = 64; ns < 1ull << 39; ns += 1 + ns / 177) {
		double got;

		memset(h, 0, sizeof(*h));
		histogram_add(h, ns, 1);
		histogram_add(h, 1ull << 41, 1);
		got = (double)histogram_percentile(h, 50);
		if (fabs(got - (double)ns) > 0.01 * (double)ns)
			fail_msg("%.0f for %llu", got, (unsigned long long)ns);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sizes and spreads that differ; the rank is the smallest that covers the percentage. */
static void histogram_percentile_against_a_sorted_array(void **state)
{
	static const unsigned int sizes[] = {1, 2, 3, 99, 100, 101, 1000, 10000, 20000};
	struct histogram *h = *state;
	uint64_t *values = calloc(20000, sizeof(*values)), seed = 1;

	assert_non_null(values);
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		unsigned int n = sizes[s];

		memset(h, 0, sizeof(*h));
		for (unsigned int i = 0; i < n; i++) {
			values[i] = random_next(&seed) >> (13 + random_next(&seed) % 35);
			histogram_add(h, values[i], 1);
		}
		qsort(values, n, sizeof(*values), compare);
		for (unsigned int p = 0; p < HISTOGRAM_PERCENTILES; p++) {
			/* Hundredths of a percent are whole numbers. */
			uint64_t part = (uint64_t)llround(100 * histogram_percentiles[p]);
			uint64_t rank = (n * part + 9999) / 10000;
			double is = (double)values[rank - 1];
			double got =
				(double)histogram_percentile(h, histogram_percentiles[p]);

			if (fabs(got - is) > 0.01 * is)
				fail_msg("n %u, p%g: %.0f instead of %.0f", n,
					 histogram_percentiles[p], got, is);
		}
		assert_int_equal(h->max_ns, values[n - 1]);
		assert_in_range(histogram_percentile(h, 100), 0, values[n - 1]);
	}
	free(values);
}

static void histogram_percentile_never_above_the_maximum(void **state)
{
	struct histogram *h = *state;

	histogram_add(h, 1024, 10); /* the middle of its step is 1032 */
	assert_int_equal(histogram_percentile(h, 50), 1024);
	assert_int_equal(histogram_percentile(h, 100), 1024);
}

static void histogram_percentile_beyond_the_last_step(void **state)
{
	struct histogram *h = *state;

	histogram_add(h, 100, 1);
	histogram_add(h, 1ull << 50, 1);
	assert_int_equal(histogram_percentile(h, 50), 100);
	assert_int_equal(histogram_percentile(h, 99), 1ull << 50);
	assert_int_equal(h->max_ns, 1ull << 50);
}

static void histogram_percentile_of_nothing(void **state)
{
	struct histogram *h = *state;

	assert_int_equal(histogram_percentile(h, 50), 0);
	assert_true(histogram_mean(h) == 0);
}

static void histogram_add_several_at_once(void **state)
{
	struct histogram *h = *state, *one = h + 1;

	histogram_add(h, 700, 5);
	histogram_add(h, 90, 2);
	for (int i = 0; i < 5; i++)
		histogram_add(one, 700, 1);
	for (int i = 0; i < 2; i++)
		histogram_add(one, 90, 1);
	assert_memory_equal(h, one, sizeof(*h));
	assert_int_equal(h->count, 7);
	assert_true(fabs(histogram_mean(h) - (5 * 700 + 2 * 90) / 7.0) < 1e-9);
}

static void histogram_merge_is_as_one_histogram_of_both(void **state)
{
	struct histogram *h = *state, *both = h + 1;
	struct histogram *part = calloc(2, sizeof(*part));
	uint64_t seed = 7;

	assert_non_null(part);
	for (unsigned int i = 0; i < 5000; i++) {
		uint64_t ns = random_next(&seed) >> (20 + i % 30);

		histogram_add(&part[i % 2], ns, i % 3 + 1);
		histogram_add(both, ns, i % 3 + 1);
	}
	histogram_merge(h, &part[0]);
	histogram_merge(h, &part[1]);
	assert_memory_equal(h, both, sizeof(*h));
	free(part);
}

int main(void)
{
#define on_histogram(test)                                                               \
	cmocka_unit_test_setup_teardown(test, new_histogram, free_histogram)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histogram_index_stays_inside_and_never_falls),
		on_histogram(histogram_percentile_exact_below_64),
		on_histogram(histogram_percentile_within_one_percent),
		on_histogram(histogram_percentile_against_a_sorted_array),
		on_histogram(histogram_percentile_never_above_the_maximum),
		on_histogram(histogram_percentile_beyond_the_last_step),
		on_histogram(histogram_percentile_of_nothing),
		on_histogram(histogram_add_several_at_once),
		on_histogram(histogram_merge_is_as_one_histogram_of_both),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
