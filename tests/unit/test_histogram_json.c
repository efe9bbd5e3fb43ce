// SPDX-License-Identifier: MIT
/* A histogram written as JSON is the same when it is read back, and nothing else is read. */
#include "ng_test.h"

#include "histogram_json.h"

#include <json-c/json.h>
#include <stdlib.h>

static uint64_t seed;

static uint64_t random_next(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed >> 11;
}

static void every_step_leads_back_to_itself(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < HISTOGRAM_SIZE; i++)
		assert_int_equal(histogram_index(histogram_step_ns(i)), i);
}

/* As text in between, as it is in a file. */
static const char *there_and_back(const struct histogram *from, struct histogram *to)
{
	json_object *o = histogram_json(from), *read;
	const char *what;

	read = json_tokener_parse(
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	assert_non_null(read);
	what = histogram_from_json(read, to);
	json_object_put(read);
	json_object_put(o);
	return what;
}

static void what_is_written_is_read_back(void **state)
{
	struct histogram *h = calloc(2, sizeof(*h)), *back = h + 1;

	(void)state;
	assert_non_null(h);
	seed = 3;
	for (unsigned int ios = 0; ios < 20000; ios = 3 * ios + 1) {
		memset(h, 0, 2 * sizeof(*h));
		for (unsigned int i = 0; i < ios; i++)
			histogram_add(h, random_next() >> (13 + i % 40), i % 5 + 1);
		if (ios > 1000)
			histogram_add(h, 1ull << 45, 2);
		assert_null(there_and_back(h, back));
		/* The mean is a double. */
		assert_in_range(back->sum_ns, h->sum_ns - h->sum_ns / 1000000000000,
				h->sum_ns + h->sum_ns / 1000000000000);
		back->sum_ns = h->sum_ns;
		assert_memory_equal(back, h, sizeof(*h));
	}
	free(h);
}

static void what_is_no_histogram_is_refused(void **state)
{
	static const char *const cases[][2] = {
		{"{}", "a count or max_ns"},
		{"{'count': -1, 'max_ns': 5}", "a count or max_ns"},
		{"{'count': 1, 'max_ns': 5.5}", "a count or max_ns"},
		{"{'count': 1, 'max_ns': 5}", "a mean_ns that is no number"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': '5'}", "that is no number"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': -5}", "a mean_ns that cannot be"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': NaN}", "a mean_ns that cannot be"},
		{"{'count': 9, 'max_ns': 5, 'mean_ns': 1e300}", "that cannot be"},
		{"{'count': 9, 'max_ns': 5, 'mean_ns': 5.01}", "that cannot be"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5}",
		 "a histogram that is no list"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': {}}", "no list"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': []}", "less"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': [5]}", "no pair"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[5]]}",
		 "no pair"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[5, 0]]}",
		 "no pair"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[-5, 1]]}",
		 "no pair"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[5, 1.5]]}",
		 "no pair"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[5, 2]]}",
		 "more"},
		{"{'count': 2, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[5, 1]]}",
		 "less"},
		{"{'count': 1, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[1000, 1]]}",
		 "none of its form"},
		{"{'count': 2, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[5, 1], [5, 1]]}",
		 "do not rise"},
		{"{'count': 2, 'max_ns': 5, 'mean_ns': 5, 'histogram': [[5, 1], [4, 1]]}",
		 "do not rise"},
	};
	struct histogram *h = calloc(1, sizeof(*h));

	(void)state;
	assert_non_null(h);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_object *o = json_tokener_parse(cases[i][0]);
		const char *what;

		assert_non_null(o);
		memset(h, 0, sizeof(*h));
		what = histogram_from_json(o, h);
		if (!what || !strstr(what, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], what ? what : "taken");
		json_object_put(o);
	}
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_step_leads_back_to_itself),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(what_is_no_histogram_is_refused),
	};

	return cmocka_run_group_tests_name("histogram_json", tests, NULL, NULL);
}
