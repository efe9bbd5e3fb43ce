// SPDX-License-Identifier: MIT
/* empty_cxx.cc - the empty body of empty.c as C++ has it, in each way that there is */
#ifndef NDEBUG
#define NDEBUG /* of the header's loops, which would be dearer with their checks */
#endif
#include <benchmark/benchmark.h>

static void range_for(benchmark::State &state)
{
	for (auto _ : state)
		benchmark::ClobberMemory();
}

static void batch(benchmark::State &state)
{
	while (state.KeepRunningBatch(1000)) {
		for (int i = 0; i < 1000; i++)
			benchmark::ClobberMemory();
	}
}

static void keep_running(benchmark::State &state)
{
	while (state.KeepRunning())
		benchmark::ClobberMemory();
}

extern "C" void empty_register_cxx()
{
	benchmark::RegisterBenchmark("empty/cxx_range_for", range_for);
	benchmark::RegisterBenchmark("empty/cxx_batch", batch);
	benchmark::RegisterBenchmark("empty/cxx_keep_running", keep_running);
}
