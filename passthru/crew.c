// SPDX-License-Identifier: MIT
#include "crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cause.h"
#include "clock.h"
#include "deal.h"
#include "nvme_status.h"

/* Wakes a worker that sleeps in io_uring_enter() for a completion that does not come. */
#define KICK_SIGNAL   SIGURG
#define KICK_AFTER_NS (100 * 1000000ull)

enum order { ORDER_WAIT, ORDER_RUN, ORDER_QUIT };

struct member {
	struct worker worker;
	struct crew *crew;
	pthread_t thread;
	int tid;
	int cpu; /* -1: any */
	struct target *targets;
	struct histogram *latency;
	struct tally tally;
	struct fail fail;
	uint64_t ios_before, errors_before;
	struct crew_counts counts_before;
};

struct crew {
	const struct options *options;
	struct member *members;
	unsigned int size;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum order order;
	unsigned int slice;   /* number of the slice that is ordered */
	unsigned int waiting; /* members that have nothing to do */
	struct pace pace;
	_Atomic bool stop;
};

/* Report for duty, sleep until there is an order. */
static enum order wait_for_order(struct crew *c, unsigned int *slice)
{
	enum order order;

	pthread_mutex_lock(&c->lock);
	c->waiting++;
	pthread_cond_broadcast(&c->changed);
	while (c->order == ORDER_WAIT || (c->order == ORDER_RUN && c->slice == *slice))
		pthread_cond_wait(&c->changed, &c->lock);
	order = c->order;
	*slice = c->slice;
	pthread_mutex_unlock(&c->lock);
	return order;
}

static int pin(int cpu, struct fail *f)
{
	cpu_set_t *set;
	size_t bytes;
	int ret;

	if (cpu < 0)
		return 0;
	set = CPU_ALLOC((size_t)cpu + 1);
	if (!set)
		return fail(f, STATUS_FAILED, "out of memory");
	bytes = CPU_ALLOC_SIZE((size_t)cpu + 1);
	CPU_ZERO_S(bytes, set);
	CPU_SET_S((size_t)cpu, bytes, set);
	ret = sched_setaffinity(0, bytes, set) ? errno : 0;
	CPU_FREE(set);
	if (ret)
		return fail(f, STATUS_NOT_POSSIBLE, "--cpus: CPU %d: %s", cpu,
			    ret == EINVAL ? "not there, or not in this process's set"
					  : strerror(ret));
	return 0;
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct worker *w = &m->worker;
	unsigned int slice = 0;

	m->tid = gettid();
	if (pin(m->cpu, &m->fail) || worker_open(w, &m->fail))
		m->fail.status = m->fail.status ? m->fail.status : STATUS_FAILED;
	while (wait_for_order(m->crew, &slice) == ORDER_RUN) {
		w->latency = m->crew->pace.lat == LAT_OFF ? NULL : m->latency;
		(void)worker_run(w, &m->crew->pace, &m->tally, &m->fail);
	}
	worker_close(w);
	return NULL;
}

/* Sleep until every member waits; kick sleepers once they are late. */
static void gather(struct crew *c, bool kick)
{
	pthread_mutex_lock(&c->lock);
	while (c->waiting < c->size) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += KICK_AFTER_NS;
		until.tv_sec += until.tv_nsec / (long)NS_PER_S;
		until.tv_nsec %= (long)NS_PER_S;
		if (pthread_cond_timedwait(&c->changed, &c->lock, &until) == ETIMEDOUT &&
		    kick)
			for (unsigned int i = 0; i < c->size; i++)
				pthread_kill(c->members[i].thread, KICK_SIGNAL);
	}
	pthread_mutex_unlock(&c->lock);
}

static void give_order(struct crew *c, enum order order)
{
	pthread_mutex_lock(&c->lock);
	c->order = order;
	if (order == ORDER_RUN) {
		c->waiting = 0;
		c->slice++;
	}
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

static void on_kick(int sig)
{
	(void)sig;
}

static int start_members(struct crew *c, struct fail *f)
{
	struct sigaction kick = {.sa_handler =
					 on_kick}; /* no SA_RESTART: EINTR is the point */
	unsigned int i;
	int ret;

	sigaction(KICK_SIGNAL, &kick, NULL);
	for (i = 0; i < c->size; i++) {
		ret = pthread_create(&c->members[i].thread, NULL, member_main,
				     &c->members[i]);
		if (ret) {
			c->size = i;
			return fail(f, STATUS_NOT_POSSIBLE, "thread %u: %s", i,
				    strerror(ret));
		}
	}
	gather(c, false);
	for (i = 0; i < c->size; i++)
		if (c->members[i].fail.status)
			return fail(f, c->members[i].fail.status, "%s",
				    c->members[i].fail.why);
	return 0;
}

static int prepare_member(struct crew *c, unsigned int i, const struct engine *engine,
			  struct device *devices, struct fail *f)
{
	const struct options *o = c->options;
	struct member *m = &c->members[i];
	struct worker *w = &m->worker;

	m->crew = c;
	m->cpu = o->nr_cpus ? (int)o->cpus[i % o->nr_cpus] : -1;
	m->latency = calloc(1, sizeof(*m->latency));
	m->targets = calloc(o->nr_devices ? o->nr_devices : 1, sizeof(*m->targets));
	if (!m->latency || !m->targets)
		return fail(f, STATUS_FAILED, "out of memory");
	w->engine = engine;
	w->options = o;
	w->stop = &c->stop;
	w->targets = m->targets;
	w->node = -1;
	w->nr_targets = deal_targets(m->targets, devices, o, i, w->engine->reads_device);
	if (o->cpus_auto)
		m->cpu = deal_cpu_auto(m->targets[w->nr_targets - 1].device, i);
	else if (o->numa && m->cpu < 0)
		m->cpu = deal_cpu_near(m->targets[w->nr_targets - 1].device, i);
	w->node = m->targets[w->nr_targets - 1].device->numa_node;
	return 0;
}

struct crew *crew_open(const struct options *o, const struct engine *engine,
		       struct device *devices, struct fail *f)
{
	struct crew *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	if (!c) {
		fail(f, STATUS_FAILED, "out of memory");
		return NULL;
	}
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->changed, &attr);
	pthread_condattr_destroy(&attr);
	c->options = o;
	/* struct worker keeps its shared counts on a cache line of their own. */
	c->members = aligned_alloc(64, o->threads * sizeof(*c->members));
	if (!c->members) {
		fail(f, STATUS_FAILED, "out of memory");
		goto close;
	}
	memset(c->members, 0, o->threads * sizeof(*c->members));
	for (unsigned int i = 0; i < o->threads; i++)
		if (prepare_member(c, i, engine, devices, f))
			goto close;
	c->size = o->threads;
	if (start_members(c, f))
		goto close;
	return c;
close:
	crew_close(c);
	return NULL;
}

static struct crew_counts member_counts(const struct member *m)
{
	const struct progress *p = &m->worker.progress;

	return (struct crew_counts){
		.submitted = atomic_load_explicit(&p->submitted, memory_order_relaxed),
		.completed = atomic_load_explicit(&p->completed, memory_order_relaxed),
		.calls = atomic_load_explicit(&p->calls, memory_order_relaxed),
	};
}

void crew_begin(struct crew *c, const struct pace *pace, uint64_t ios)
{
	for (unsigned int i = 0; i < c->size; i++) {
		struct member *m = &c->members[i];

		m->ios_before = m->worker.total_ios;
		m->errors_before = m->worker.errors;
		m->counts_before = member_counts(m);
		m->worker.left =
			ios == WORKER_NO_END ? ios : ios / c->size + (i < ios % c->size);
	}
	c->pace = *pace;
	atomic_store(&c->stop, false);
	give_order(c, ORDER_RUN);
}

struct crew_counts crew_counts(const struct crew *c)
{
	struct crew_counts sum = {0};

	for (unsigned int i = 0; i < c->size; i++) {
		struct crew_counts now = member_counts(&c->members[i]);
		const struct crew_counts *before = &c->members[i].counts_before;

		sum.submitted += now.submitted - before->submitted;
		sum.completed += now.completed - before->completed;
		sum.calls += now.calls - before->calls;
	}
	return sum;
}

bool crew_stopped(const struct crew *c)
{
	return atomic_load_explicit(&c->stop, memory_order_relaxed);
}

bool crew_idle(struct crew *c)
{
	bool idle;

	pthread_mutex_lock(&c->lock);
	idle = c->waiting == c->size;
	pthread_mutex_unlock(&c->lock);
	return idle;
}

/* What the first bad completion of a member was. */
static void describe_error(const struct worker *w, char text[CREW_ERROR_LEN])
{
	const struct device *d = w->targets[w->error_target].device;
	char status[160];

	snprintf(text, CREW_ERROR_LEN, "%s: a read failed: %s",
		 w->engine->reads_device ? d->path : w->engine->name,
		 nvme_status_text(w->error_result, w->good_result, status,
				  sizeof(status)));
}

/* More bad completions than were allowed for, of which @m has had one, into @f. */
static int too_many_errors(const struct member *m, uint64_t errors, struct fail *f)
{
	const struct worker *w = &m->worker;
	const struct device *d = w->targets[w->error_target].device;
	char text[CREW_ERROR_LEN];

	if (w->error_result == -EOPNOTSUPP && w->options->polled == CHOICE_ON)
		return fail(
			f, STATUS_NOT_POSSIBLE,
			"%s: has no polled reads (its driver or file system lacks them); "
			"use -p0",
			d->path);
	describe_error(w, text);
	return fail(f, STATUS_FAILED, "%s (%llu failed in all); result invalid%s", text,
		    (unsigned long long)errors, cause_of(w->error_result, w->engine, d));
}

static void add_member(struct slice *slice, const struct member *m)
{
	slice->ios += m->tally.ios;
	slice->calls += m->tally.calls;
	slice->clock_reads += m->tally.clock_reads;
	slice->errors += m->worker.errors - m->errors_before;
	slice->all_ios += m->worker.total_ios - m->ios_before;
	if (m->tally.time_ns > slice->time_ns)
		slice->time_ns = m->tally.time_ns;
	if (m->tally.time_ns)
		slice->iops += (double)m->tally.ios * 1e9 / (double)m->tally.time_ns;
}

int crew_end(struct crew *c, struct slice *slice, struct histogram *latency,
	     struct fail *f)
{
	const struct member *bad = NULL;
	uint64_t errors = 0;

	atomic_store(&c->stop, true);
	gather(c, true);
	memset(slice, 0, sizeof(*slice));
	for (unsigned int i = 0; i < c->size; i++) {
		const struct member *m = &c->members[i];

		add_member(slice, m);
		if (latency && c->pace.lat != LAT_OFF)
			histogram_merge(latency, m->latency);
		errors += m->worker.errors;
		if (m->worker.errors && !bad)
			bad = m;
		if (m->fail.status)
			fail(f, m->fail.status, "%s", m->fail.why);
	}
	if (slice->iops > 0)
		slice->ns_per_io = (double)c->size * 1e9 / slice->iops;
	if (bad)
		describe_error(&bad->worker, slice->first_error);
	if (errors > c->options->max_errors)
		too_many_errors(bad, errors, f);
	return f->status ? -1 : 0;
}

unsigned int crew_size(const struct crew *c)
{
	return c->size;
}

struct crew_member crew_member(const struct crew *c, unsigned int i)
{
	const struct member *m = &c->members[i];
	const struct worker *w = &m->worker;

	return (struct crew_member){
		.tid = m->tid,
		.node = w->node,
		.cpu = m->cpu,
		.path = w->targets[w->nr_targets - 1].device->path,
	};
}

const struct ring *crew_ring(const struct crew *c)
{
	return &c->members[0].worker.ring;
}

void crew_close(struct crew *c)
{
	if (!c)
		return;
	if (c->size) {
		give_order(c, ORDER_QUIT);
		for (unsigned int i = 0; i < c->size; i++)
			pthread_join(c->members[i].thread, NULL);
	}
	for (unsigned int i = 0; c->members && i < c->options->threads; i++) {
		free(c->members[i].latency);
		free(c->members[i].targets);
	}
	free(c->members);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
