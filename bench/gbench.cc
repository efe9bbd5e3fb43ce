// SPDX-License-Identifier: MIT
/*
 * gbench.cc - gbench.h on top of Google Benchmark
 *
 * One file, if a long one, since it is the only C++ of the project.
 */
#include "gbench.h"

#include <benchmark/benchmark.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace
{

enum class Outcome { good, skipped, failed };

/* Kept without an allocation, since it may have to tell of one that failed. */
struct Verdict {
	Outcome outcome = Outcome::good;
	char why[256] = "";
};

struct Family {
	explicit Family(const gbench_def *d) : def(d)
	{
	}
	const gbench_def *def;
	/* One run at a time. */
	std::mutex lock;
	int arrived = 0, left = 0;
	Verdict verdict; /* of set-up at first, then the worst of the run */
};

} // namespace

struct gbench_state {
	gbench_state(benchmark::State &s, Family &f) : st(s), family(f)
	{
	}
	benchmark::State &st;
	Family &family;
	Verdict verdict;
	bool finished = false;
};

namespace
{

gbench_tally total;
std::vector<std::unique_ptr<Family>> families;

/*
 * 1.7 has SkipWithError(const char *) alone; 1.8 brought SkipWithMessage(), for what is no
 * error. The parameter decides which of these there is.
 */
template <class State>
auto skip(State &st, const char *why, int) -> decltype(st.SkipWithMessage(why))
{
	st.SkipWithMessage(why);
}
template <class State> void skip(State &st, const char *why, long)
{
	st.SkipWithError((std::string("skipped: ") + why).c_str());
}

void end(gbench_state *s, Outcome outcome, const char *why) noexcept
{
	if (s->verdict.outcome != Outcome::good)
		return;
	s->verdict.outcome = outcome;
	std::snprintf(s->verdict.why, sizeof(s->verdict.why), "%s", why);
	try {
		if (outcome == Outcome::skipped)
			skip(s->st, s->verdict.why, 0);
		else
			s->st.SkipWithError(s->verdict.why);
	} catch (...) {
		/* The library marks the run before it copies the text. */
	}
}

void end(gbench_state *s, Outcome outcome, const char *why, va_list args) noexcept
{
	char text[sizeof(Verdict::why)];

	std::vsnprintf(text, sizeof(text), why, args);
	end(s, outcome, text);
}

/* Calls f, and has an exception end the run. The library's all are std::exception. */
template <class F> void guarded(gbench_state *s, F f) noexcept
{
	try {
		f();
	} catch (const std::exception &e) {
		end(s, Outcome::failed, e.what());
	}
}

/* The same outside of runs. */
template <class F> int guarded(F f) noexcept
{
	try {
		f();
		return 0;
	} catch (...) {
		return -ENOMEM;
	}
}

/*
 * Set-up and tear-down are not Google Benchmark's: until 1.9 those are told neither which
 * benchmark they are for, nor may they skip it. The first thread to come sets up, and the
 * others wait for it here; the last to go tears down.
 */
void enter(gbench_state *s)
{
	Family &f = s->family;
	std::lock_guard<std::mutex> hold(f.lock);

	if (f.arrived++ == 0) {
		f.left = 0;
		if (f.def->setup)
			f.def->setup(s);
		f.verdict = s->verdict;
	} else if (f.verdict.outcome != Outcome::good) {
		end(s, f.verdict.outcome, f.verdict.why);
	}
}

void leave(gbench_state *s)
{
	Family &f = s->family;
	std::lock_guard<std::mutex> hold(f.lock);

	if (s->verdict.outcome > f.verdict.outcome)
		f.verdict = s->verdict;
	if (++f.left < s->st.threads())
		return;
	if (f.def->teardown)
		f.def->teardown(s);
	if (s->verdict.outcome > f.verdict.outcome)
		f.verdict = s->verdict;
	f.arrived = 0;
	total.ran += f.verdict.outcome == Outcome::good;
	total.skipped += f.verdict.outcome == Outcome::skipped;
	total.failed += f.verdict.outcome == Outcome::failed;
}

void run(benchmark::State &st, Family &f)
{
	gbench_state s(st, f);

	enter(&s);
	if (s.verdict.outcome == Outcome::good)
		f.def->run(&s);
	/* Google Benchmark would abort. */
	if (!s.finished && s.verdict.outcome == Outcome::good)
		end(&s, Outcome::failed, "left before gbench_keep_running() returned 0");
	leave(&s);
}

/* Reports as the flags say, and on the console tabulates the details. */
class Display : public benchmark::BenchmarkReporter
{
      public:
	Display() : base(benchmark::CreateDefaultDisplayReporter())
	{
		console = dynamic_cast<benchmark::ConsoleReporter *>(base);
	}
	bool ReportContext(const Context &context) override
	{
		total.listed = false;
		return base->ReportContext(context);
	}
	void ReportRuns(const std::vector<Run> &runs) override
	{
		if (!console)
			base->ReportRuns(runs);
		for (std::size_t i = 0; console && i < runs.size(); i++) {
			std::vector<Run> line{runs[i]};
			benchmark::UserCounters details;

			line[0].counters.clear();
			for (const auto &c : runs[i].counters) {
				bool detail = c.first.find(':') != std::string::npos;

				(detail ? details : line[0].counters).insert(c);
			}
			base->ReportRuns(line);
			tabulate(details);
		}
	}
	void Finalize() override
	{
		base->Finalize();
	}

      private:
	/* A row per figure, a column per group. */
	static void tabulate(const benchmark::UserCounters &details)
	{
		std::map<std::string, std::map<std::string, std::string>> rows;
		std::map<std::string, std::string> head;

		for (const auto &d : details) {
			std::string group = d.first.substr(0, d.first.find(':'));
			char text[32];

			std::snprintf(text, sizeof(text),
				      d.second < 100 ? "%.3g" : "%.0f", d.second.value);
			rows[d.first.substr(group.size() + 1)][group] = text;
			head[group] = group;
		}
		if (!rows.empty())
			print_row("", head, head);
		for (const auto &r : rows)
			print_row(r.first, head, r.second);
	}
	static void print_row(const std::string &name,
			      const std::map<std::string, std::string> &head,
			      const std::map<std::string, std::string> &cells)
	{
		std::cout << "  " << std::left << std::setw(8) << name << std::right;
		for (const auto &h : head) {
			auto cell = cells.find(h.first);

			std::cout << std::setw(14)
				  << (cell == cells.end() ? "" : cell->second);
		}
		std::cout << std::endl;
	}
	benchmark::BenchmarkReporter *base; /* the library's */
	bool console;
};

std::vector<int64_t> values_of(const gbench_axis &axis)
{
	if (axis.nr)
		return std::vector<int64_t>(axis.values, axis.values + axis.nr);
	if (axis.times)
		return benchmark::CreateRange(axis.from, axis.to, axis.times);
	return benchmark::CreateDenseRange(axis.from, axis.to, 1);
}

bool axis_valid(const gbench_axis &axis)
{
	return axis.nr ? axis.nr <= GBENCH_VALUES
		       : axis.from <= axis.to && (!axis.times || axis.times > 1);
}

void add(const gbench_def *def)
{
	families.push_back(std::make_unique<Family>(def));
	Family &f = *families.back();
	auto *b = benchmark::RegisterBenchmark(
		def->name, [&f](benchmark::State &st) { run(st, f); });
	std::vector<std::string> names;
	std::vector<std::vector<int64_t>> lists;

	for (const gbench_axis &axis : def->axes) {
		if (!axis.name)
			break;
		names.emplace_back(axis.name);
		lists.push_back(values_of(axis));
	}
	if (!names.empty())
		b->ArgNames(names)->ArgsProduct(lists);
	for (int threads : def->threads) {
		if (!threads)
			break;
		b->Threads(threads);
	}
	if (def->clock == GBENCH_REAL)
		b->UseRealTime();
	else if (def->clock == GBENCH_MANUAL)
		b->UseManualTime();
	else if (def->clock == GBENCH_PROCESS)
		b->MeasureProcessCPUTime();
	b->Unit(static_cast<benchmark::TimeUnit>(def->unit));
	if (def->min_time_s > 0)
		b->MinTime(def->min_time_s);
	if (def->iterations > 0)
		b->Iterations(def->iterations);
	if (def->repetitions > 0)
		b->Repetitions(def->repetitions);
	if (def->aggregates)
		b->ReportAggregatesOnly();
}

void (*own_help)(void);
bool help_wanted;

/* The library calls this and exits with 0, also for a format that it does not know. */
void print_help()
{
	if (!help_wanted) {
		std::fputs(
			"a flag has a value that Google Benchmark does not know: formats "
			"are console, json and csv\n",
			stderr);
		std::exit(2);
	}
	own_help();
	benchmark::PrintDefaultHelp();
}

} // namespace

extern "C" {

int gbench_init(int *argc, char **argv, void (*help)(void))
{
	own_help = help;
	for (int i = 1; i < *argc; i++)
		help_wanted |= !std::strncmp(argv[i], "--help", 6);
	return guarded([=] { benchmark::Initialize(argc, argv, print_help); });
}

int gbench_context(const char *key, const char *value)
{
	return guarded([=] { benchmark::AddCustomContext(key, value); });
}

int gbench_register(const struct gbench_def *def)
{
	if (!def->name || !def->run)
		return -EINVAL;
	for (const gbench_axis &axis : def->axes) {
		if (!axis.name)
			break;
		if (!axis_valid(axis))
			return -EINVAL;
	}
	return guarded([=] { add(def); });
}

int gbench_run(struct gbench_tally *tally)
{
	int ret;

	total = {};
	total.listed = true;
	ret = guarded([] {
		Display display;

		total.matched = static_cast<unsigned int>(
			benchmark::RunSpecifiedBenchmarks(&display));
	});
	total.listed = total.listed && total.matched;
	*tally = total;
	return ret;
}

void gbench_done(void)
{
	/* Shutdown() would free no more than the context, to which 1.7 keeps a pointer. */
	benchmark::ClearRegisteredBenchmarks();
	families.clear();
}

uint64_t gbench_keep_running(struct gbench_state *s, uint64_t most)
{
	uint64_t now = 0;

	guarded(s, [&] {
		/* Bounded by what is left, KeepRunningBatch() never overshoots. */
		uint64_t left =
			static_cast<uint64_t>(s->st.max_iterations - s->st.iterations());
		uint64_t n = most < left ? most : left;

		if (s->finished)
			return;
		if (s->st.KeepRunningBatch(static_cast<int64_t>(n ? n : 1)))
			now = n;
		else
			s->finished = true;
	});
	return now;
}

uint64_t gbench_iterations(const struct gbench_state *s)
{
	return static_cast<uint64_t>(s->st.iterations());
}

int64_t gbench_arg(struct gbench_state *s, unsigned int i)
{
	if (i >= GBENCH_AXES || !s->family.def->axes[i].name) {
		gbench_fail(s, "there is no axis %u", i);
		return 0;
	}
	return s->st.range(i);
}

int gbench_threads(const struct gbench_state *s)
{
	return s->st.threads();
}

int gbench_thread(const struct gbench_state *s)
{
	return s->st.thread_index();
}

const void *gbench_data(const struct gbench_state *s)
{
	return s->family.def->data;
}

void gbench_add_time(struct gbench_state *s, double seconds)
{
	guarded(s, [=] { s->st.SetIterationTime(seconds); });
}

void gbench_counter(struct gbench_state *s, const char *name, double value,
		    unsigned int flags)
{
	static const struct {
		unsigned int ours;
		benchmark::Counter::Flags theirs;
	} map[] = {
		{GBENCH_RATE, benchmark::Counter::kIsRate},
		{GBENCH_PER_THREAD, benchmark::Counter::kAvgThreads},
		{GBENCH_PER_ITERATION, benchmark::Counter::kAvgIterations},
		{GBENCH_TIMES, benchmark::Counter::kIsIterationInvariant},
		{GBENCH_INVERT, benchmark::Counter::kInvert},
	};
	auto theirs = benchmark::Counter::kDefaults;

	for (const auto &m : map) {
		if (flags & m.ours)
			theirs = theirs | m.theirs;
	}
	guarded(s, [=] { s->st.counters[name] = benchmark::Counter(value, theirs); });
}

void gbench_items(struct gbench_state *s, uint64_t items)
{
	guarded(s, [=] { s->st.SetItemsProcessed(static_cast<int64_t>(items)); });
}

void gbench_bytes(struct gbench_state *s, uint64_t bytes)
{
	guarded(s, [=] { s->st.SetBytesProcessed(static_cast<int64_t>(bytes)); });
}

void gbench_label(struct gbench_state *s, const char *label)
{
	guarded(s, [=] { s->st.SetLabel(label); });
}

void gbench_skip(struct gbench_state *s, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	end(s, Outcome::skipped, why, args);
	va_end(args);
}

void gbench_fail(struct gbench_state *s, const char *why, ...)
{
	va_list args;

	va_start(args, why);
	end(s, Outcome::failed, why, args);
	va_end(args);
}

int gbench_over(const struct gbench_state *s)
{
	return s->verdict.outcome != Outcome::good;
}

} // extern "C"
