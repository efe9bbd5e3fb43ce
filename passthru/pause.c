// SPDX-License-Identifier: MIT
#include "pause.h"

#include <signal.h>
#include <time.h>

#include "clock.h"

/* How soon a worker's error is seen. */
#define LOOK_NS (100 * 1000000ull)

static int signal_seen;

static void stop_signals(sigset_t *set)
{
	struct sigaction hangup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	/* nohup(1) ignores it; blocked and waited for, it would arrive all the same. */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

void pause_block_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	stop_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

void pause_release_signals(void)
{
	const struct timespec at_once = {0};
	sigset_t set;

	stop_signals(&set);
	while (sigtimedwait(&set, NULL, &at_once) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

enum pause_end pause_until(struct crew *c, uint64_t until_ns)
{
	sigset_t set;

	stop_signals(&set);
	for (;;) {
		uint64_t now_ns = clock_ns();
		uint64_t left_ns = now_ns < until_ns ? until_ns - now_ns : 0;
		struct timespec ts;

		if (left_ns > LOOK_NS)
			left_ns = LOOK_NS;
		ts = (struct timespec){.tv_nsec = (long)left_ns};
		if (!signal_seen) {
			int sig = sigtimedwait(&set, NULL, &ts);

			signal_seen = sig > 0 ? sig : 0;
		}
		if (signal_seen)
			return PAUSE_SIGNAL;
		if (crew_stopped(c))
			return PAUSE_ERROR;
		if (crew_idle(c))
			return PAUSE_DONE;
		if (clock_ns() >= until_ns)
			return PAUSE_TIME;
	}
}

int pause_signal(void)
{
	return signal_seen;
}
