// SPDX-License-Identifier: MIT
/*
 * The worst that can happen in a call of liburing, with fakes of it and of the detector:
 * the thread is blocked, unseen, before and after a signal handler looks at the clock.
 */
#include "plug_fake.h"
#include "uring_test.h"

#include <errno.h>
#include <signal.h>

#define BLOCKED_NS UINT64_C(1000)

static struct io_uring ring;
static struct io_uring_cqe *cqes[ENTRIES];
static struct plugclock_plug plug;
static uint64_t handler_ns;
static struct __kernel_timespec minute = {.tv_sec = 60};
static int calls, result;

/* What all the fakes do. */
static int call_with(const struct io_uring *r)
{
	assert_ptr_equal(r, &ring);
	calls++;
	fake_ns += BLOCKED_NS;
	handler_ns = plugclock_now_ns();
	fake_ns += BLOCKED_NS;
	return result;
}

int io_uring_submit(struct io_uring *r)
{
	return call_with(r);
}

int io_uring_submit_and_wait(struct io_uring *r, unsigned int wait_nr)
{
	assert_int_equal(wait_nr, 3);
	return call_with(r);
}

int io_uring_submit_and_wait_timeout(struct io_uring *r, struct io_uring_cqe **cqe_ptr,
				     unsigned int wait_nr, struct __kernel_timespec *ts,
				     sigset_t *sigmask)
{
	assert_ptr_equal(cqe_ptr, cqes);
	assert_int_equal(wait_nr, 3);
	assert_ptr_equal(ts, &minute);
	assert_non_null(sigmask);
	return call_with(r);
}

unsigned int io_uring_peek_batch_cqe(struct io_uring *r, struct io_uring_cqe **cqe_ptr,
				     unsigned int count)
{
	assert_ptr_equal(cqe_ptr, cqes);
	assert_int_equal(count, ENTRIES);
	return (unsigned int)call_with(r);
}

enum call { SUBMIT, SUBMIT_AND_WAIT, SUBMIT_AND_WAIT_TIMEOUT, PEEK_BATCH, CALLS };

static int make(enum call call, uint64_t *stamp_ns)
{
	sigset_t none;

	sigemptyset(&none);
	switch (call) {
	case SUBMIT:
		return plugclock_uring_submit(&ring);
	case SUBMIT_AND_WAIT:
		return plugclock_uring_submit_and_wait(&ring, 3);
	case SUBMIT_AND_WAIT_TIMEOUT:
		return plugclock_uring_submit_and_wait_timeout(&ring, cqes, 3, &minute,
							       &none);
	default:
		return (int)plugclock_uring_peek_batch(&ring, cqes, ENTRIES, stamp_ns);
	}
}

/* One call with a reading in the cache; the first thing that is wrong, or 0. */
static int goes_wrong(enum call call, unsigned int flags, bool exact)
{
	uint64_t before_ns, now_ns, stamp_ns = 1;
	bool stamped = call == PEEK_BATCH && result > 0;

	if (plugclock_start(&plug, flags))
		return 1;
	before_ns = plugclock_now_ns();
	calls = 0;
	if (make(call, &stamp_ns) != result || calls != 1)
		return 2;
	now_ns = plugclock_now_ns();
	/* The detector said that nothing happened. */
	if (exact && (handler_ns != before_ns || (now_ns == before_ns) == stamped))
		return 3;
	if (!exact && handler_ns < before_ns + BLOCKED_NS)
		return 4;
	if (!exact && now_ns < handler_ns + BLOCKED_NS)
		return 5;
	if (stamped && (stamp_ns < before_ns + 2 * BLOCKED_NS || now_ns != stamp_ns))
		return 6;
	if (!stamped && stamp_ns != 1)
		return 7;
	plugclock_finish(&plug);
	return 0;
}

static int each_call(unsigned int flags, bool exact)
{
	static const int results[] = {0, 4, -EINTR};

	for (int call = 0; call < CALLS; call++) {
		for (int i = 0; i < 2 + (call != PEEK_BATCH); i++) {
			int wrong;

			result = results[i];
			wrong = goes_wrong((enum call)call, flags, exact);
			if (wrong) {
				printf("# call %d, result %d\n", call, result);
				fflush(stdout);
				return wrong;
			}
		}
	}
	return 0;
}

static int on_a_promise(void)
{
	return each_call(PLUGCLOCK_FLUSHES_SYSCALLS, false);
}

static int on_trust(void)
{
	return each_call(PLUGCLOCK_TRUST_CALLER, false);
}

static int exactly(void)
{
	return each_call(0, true) || each_call(PLUGCLOCK_FLUSHES_SYSCALLS, true);
}

static void calls_where_user_mode_is_seen(void **state)
{
	(void)state;
	fake_reach = PLUGCLOCK_DETECTOR_USER;
	assert_int_equal(in_child(on_a_promise), 0);
	assert_int_equal(in_child(on_trust), 0);
}

static void calls_where_nothing_is_seen(void **state)
{
	(void)state;
	fake_reach = PLUGCLOCK_DETECTOR_NONE;
	assert_int_equal(in_child(on_trust), 0);
}

static void calls_where_everything_is_seen(void **state)
{
	(void)state;
	fake_reach = PLUGCLOCK_DETECTOR_EXACT;
	assert_int_equal(in_child(exactly), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_where_user_mode_is_seen),
		cmocka_unit_test(calls_where_nothing_is_seen),
		cmocka_unit_test(calls_where_everything_is_seen),
	};

	setenv("PLUGCLOCK_DETECTOR", "rseq", 1); /* the fake one */
	return cmocka_run_group_tests_name("uring_order", tests, NULL, NULL);
}
