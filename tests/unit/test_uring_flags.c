// SPDX-License-Identifier: MIT
/* What the helpers for liburing flush, by what the detector sees: with the fakes. */
#include "plug_fake.h"
#include "uring_test.h"

#include <pthread.h>
#include <signal.h>

/* How far the clock moves while a call blocks. */
#define BLOCKED_NS 1000

static struct io_uring ring;
static struct io_uring_cqe *cqes[ENTRIES];
static struct plugclock_plug plug;
static int pipe_fds[2];
static volatile uint64_t handler_ns;

static void *ends_the_wait(void *unused)
{
	(void)unused;
	/* Long enough that the other thread most likely waits; it is right either way. */
	usleep(1000);
	__atomic_fetch_add(&fake_ns, BLOCKED_NS, __ATOMIC_RELAXED);
	return write(pipe_fds[1], "x", 1) == 1 ? NULL : pipe_fds;
}

enum call { SUBMIT_AND_WAIT, SUBMIT_AND_WAIT_TIMEOUT };

/* Waits for a completion, and no detector sees it. Whether all went well. */
static bool block(enum call call)
{
	struct __kernel_timespec minute = {.tv_sec = 60};
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
	struct io_uring_cqe *cqe;
	pthread_t thread;
	void *failed;
	char byte;
	int ret;

	io_uring_prep_read(sqe, pipe_fds[0], &byte, 1, (uint64_t)-1);
	if (pthread_create(&thread, NULL, ends_the_wait, NULL))
		return false;
	ret = call == SUBMIT_AND_WAIT ? plugclock_uring_submit_and_wait(&ring, 1)
				      : plugclock_uring_submit_and_wait_timeout(
						&ring, &cqe, 1, &minute, NULL);
	pthread_join(thread, &failed);
	io_uring_cq_advance(&ring, 1);
	return ret >= 0 && !failed;
}

static bool is_fresh(void)
{
	uint64_t now_ns = fake_ns;

	return plugclock_now_ns() > now_ns;
}

/* No reading of before is handed out after any of the calls. */
static int every_call_flushes(unsigned int flags)
{
	uint64_t before_ns;

	if (plugclock_start(&plug, flags))
		return 1;
	before_ns = plugclock_now_ns();
	if (plugclock_now_ns() != before_ns)
		return 2;
	if (!block(SUBMIT_AND_WAIT) || plugclock_now_ns() < before_ns + BLOCKED_NS)
		return 3;
	before_ns = plugclock_now_ns();
	if (!block(SUBMIT_AND_WAIT_TIMEOUT) ||
	    plugclock_now_ns() < before_ns + BLOCKED_NS)
		return 4;
	prepare_nops(&ring, 1);
	plugclock_now_ns();
	if (plugclock_uring_submit(&ring) != 1 || !is_fresh())
		return 5;
	plugclock_now_ns();
	plugclock_uring_flush();
	if (!is_fresh())
		return 7;
	/* One that finds nothing may have entered the kernel, too. */
	io_uring_cq_advance(&ring, 1);
	plugclock_now_ns();
	if (plugclock_uring_peek_batch(&ring, cqes, ENTRIES, &before_ns) || !is_fresh())
		return 6;
	return 0;
}

static int flushes_on_a_promise(void)
{
	return every_call_flushes(PLUGCLOCK_FLUSHES_SYSCALLS);
}

static int flushes_on_trust(void)
{
	return every_call_flushes(PLUGCLOCK_TRUST_CALLER);
}

static int exact_keeps_the_reading(void)
{
	uint64_t now_ns, stamp_ns = 0, unused_ns;
	struct io_uring_cqe *cqe;

	if (plugclock_start(&plug, PLUGCLOCK_FLUSHES_SYSCALLS))
		return 1;
	now_ns = plugclock_now_ns();
	prepare_nops(&ring, 2);
	if (plugclock_uring_submit(&ring) != 2 ||
	    plugclock_uring_submit_and_wait(&ring, 2) ||
	    plugclock_uring_submit_and_wait_timeout(&ring, &cqe, 2, NULL, NULL) < 0)
		return 2;
	plugclock_uring_flush();
	if (plugclock_now_ns() != now_ns)
		return 3;
	/* But a batch has a fresh one, which is the cached one from then on. */
	if (plugclock_uring_peek_batch(&ring, cqes, ENTRIES, &stamp_ns) != 2 ||
	    stamp_ns != now_ns + 1 || plugclock_now_ns() != stamp_ns)
		return 4;
	io_uring_cq_advance(&ring, 2);
	if (plugclock_uring_peek_batch(&ring, cqes, ENTRIES, &unused_ns) ||
	    plugclock_now_ns() != stamp_ns)
		return 5;
	return fake_ns == stamp_ns ? 0 : 6;
}

/* One reading for the whole batch, and it is not the one that was cached. */
static int stamps_a_batch_once(void)
{
	uint64_t stamp_ns = 0, read_ns;

	if (plugclock_start(&plug, PLUGCLOCK_FLUSHES_SYSCALLS))
		return 1;
	prepare_nops(&ring, ENTRIES);
	if (plugclock_uring_submit_and_wait(&ring, ENTRIES) != ENTRIES)
		return 2;
	read_ns = plugclock_now_ns();
	if (plugclock_uring_peek_batch(&ring, cqes, ENTRIES, &stamp_ns) != ENTRIES)
		return 3;
	return stamp_ns == read_ns + 1 && fake_ns == stamp_ns ? 0 : 4;
}

static void on_alarm(int sig)
{
	(void)sig;
	handler_ns = plugclock_now_ns();
}

static void *interrupts(void *thread)
{
	usleep(5000);
	__atomic_fetch_add(&fake_ns, BLOCKED_NS, __ATOMIC_RELAXED);
	return pthread_kill(*(pthread_t *)thread, SIGUSR1) ? thread : NULL;
}

/* The handler runs while the call is still on its way out. */
static int handler_at_the_end_of_a_wait(void)
{
	struct sigaction action = {.sa_handler = on_alarm};
	pthread_t thread, self = pthread_self();
	uint64_t before_ns, handled_ns;
	void *failed;
	int ret;

	if (sigaction(SIGUSR1, &action, NULL) ||
	    plugclock_start(&plug, PLUGCLOCK_FLUSHES_SYSCALLS))
		return 1;
	before_ns = plugclock_now_ns();
	if (pthread_create(&thread, NULL, interrupts, &self))
		return 2;
	do {
		ret = plugclock_uring_submit_and_wait(&ring, 1);
	} while (!handler_ns && ret >= 0);
	pthread_join(thread, &failed);
	if (failed || handler_ns < before_ns + BLOCKED_NS)
		return 3;
	handled_ns = handler_ns;
	return plugclock_now_ns() > handled_ns ? 0 : 4;
}

static void check_with(enum plugclock_detector reach, int (*check)(void))
{
	fake_reach = reach;
	open_ring(&ring, 0);
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(in_child(check), 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	io_uring_queue_exit(&ring);
}

static void calls_where_user_mode_is_seen(void **state)
{
	(void)state;
	check_with(PLUGCLOCK_DETECTOR_USER, flushes_on_a_promise);
	check_with(PLUGCLOCK_DETECTOR_USER, flushes_on_trust);
}

static void calls_where_nothing_is_seen(void **state)
{
	(void)state;
	check_with(PLUGCLOCK_DETECTOR_NONE, flushes_on_trust);
}

static void calls_where_everything_is_seen(void **state)
{
	(void)state;
	check_with(PLUGCLOCK_DETECTOR_EXACT, exact_keeps_the_reading);
}

static void peek_batch_reads_the_clock_once(void **state)
{
	(void)state;
	check_with(PLUGCLOCK_DETECTOR_USER, stamps_a_batch_once);
	check_with(PLUGCLOCK_DETECTOR_NONE, stamps_a_batch_once);
	check_with(PLUGCLOCK_DETECTOR_EXACT, stamps_a_batch_once);
}

static void wait_ended_by_a_handler(void **state)
{
	(void)state;
	check_with(PLUGCLOCK_DETECTOR_USER, handler_at_the_end_of_a_wait);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_where_user_mode_is_seen),
		cmocka_unit_test(calls_where_nothing_is_seen),
		cmocka_unit_test(calls_where_everything_is_seen),
		cmocka_unit_test(peek_batch_reads_the_clock_once),
		cmocka_unit_test(wait_ended_by_a_handler),
	};

	setenv("PLUGCLOCK_DETECTOR", "rseq", 1); /* the fake one */
	return cmocka_run_group_tests_name("uring_flags", tests, NULL, NULL);
}
