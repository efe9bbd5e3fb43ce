# SPDX-License-Identifier: MIT
# plugclock-bench: each benchmark runs, its counters agree, and what cannot run says why.
# shellcheck disable=SC2154  # run sets status and output
load common

bench() {
    run --separate-stderr timeout -k 5 120 "$root/${BUILD:-build}/plugclock-bench" "$@"
}

# report FLAG...: a report in $dir/report, of shortest runs; exit status as bench.
report() {
    bench --benchmark_min_time=0.001 --benchmark_out=report --benchmark_out_format=json "$@"
    if [ "$status" -ne 0 ]; then printf '%s\n' "$output" "$stderr"; fi
}

# every CONDITION: holds for each benchmark of the report, of which there are some.
every() {
    jq -e "[.benchmarks[] | select($1 | not)] as \$bad | if (\$bad == [] and .benchmarks != [])
        then true else (\$bad | tostring | halt_error) end" report
}

# without NAME CODE: in front of liburing, a library that lacks something
without() {
    printf '#include <errno.h>\n#include <dlfcn.h>\n#include <liburing.h>\n#include <stdio.h>\n%s\n' "$2" >"$1.c"
    "${CC:-gcc}" -D_GNU_SOURCE -shared -fPIC -o "$1.so" "$1.c"
}

# Skipped or failed; 1.8 has the first field in another form.
ended='(.error_occurred // .skipped // false)'
reason='(.error_message // .skip_message // "")'

@test "every clock is read, by one thread and by two" {
    report --benchmark_filter=^clock/
    [ "$status" -eq 0 ]
    every "($ended and (.threads == 1 or ($reason | test(\"CPU\") | not))) | not"
    [ "$(jq '[.benchmarks[].run_name | split("/")[1]] | unique | length' report)" -ge 11 ]
}

@test "no-ops done are the batches times their size" {
    report '--benchmark_filter=^nop/'
    [ "$status" -eq 0 ]
    every '.nops == .iterations * (.run_name | capture("batch:(?<n>[0-9]+)").n | tonumber)
        and .IOPS > 0 and (."IOPS/core" * .threads / .IOPS - 1 | fabs) < 1e-6'
    for part in batch:{1,16,32,128} async:{0,1} ring:{2020,2022} threads:1; do
        jq -e --arg part "$part" 'any(.benchmarks[]; .run_name | contains($part))' report
    done
}

@test "no-ops are left to io_uring's workers with async alone" {
    without counted 'static unsigned plain, async;
        int io_uring_submit(struct io_uring *r) { int (*next)(struct io_uring *) = dlsym(RTLD_NEXT, __func__);
          for (unsigned i = r->sq.sqe_head; i != r->sq.sqe_tail; i++)
            if (r->sq.sqes[i & *r->sq.kring_mask].flags & IOSQE_ASYNC) async++; else plain++;
          return next(r); }
        __attribute__((destructor)) static void tell(void) { dprintf(2, "plain %u async %u\n", plain, async); }'
    LD_PRELOAD=$PWD/counted.so bench --benchmark_min_time=0.001 '--benchmark_filter=^nop/batch:16/async:0/ring:2020/.*threads:1$'
    [[ $stderr =~ plain\ [1-9][0-9]*\ async\ 0$ ]]
    LD_PRELOAD=$PWD/counted.so bench --benchmark_min_time=0.001 '--benchmark_filter=^nop/batch:16/async:1/ring:2020/.*threads:1$'
    [[ $stderr =~ plain\ 0\ async\ [1-9][0-9]*$ ]]
}

@test "updates done are the batches times their size, for files and for buffers" {
    report '--benchmark_filter=^update_'
    [ "$status" -eq 0 ]
    every '.updates == .iterations * (.run_name | capture("batch:(?<n>[0-9]+)").n | tonumber)
        and ."updates/s" > 0'
    [ "$(jq '.benchmarks | length' report)" -eq 8 ]
}

@test "messages sent are received, and both sides have their percentiles, which rise" {
    [ "$(nproc)" -ge 2 ] || skip "sender and receiver want a CPU each"
    report '--benchmark_filter=^message/'
    [ "$status" -eq 0 ]
    every '.sent == .iterations and .received == .sent and .stamp_ns > 0'
    every '[to_entries[] | select(.key | startswith("sender_ns:")).value] |
        length == 17 and . == sort and .[0] > 0'
    every '[to_entries[] | select(.key | startswith("receiver_ns:")).value] |
        length == 17 and . == sort and .[0] > 0'
    [ "$(jq '.benchmarks | length' report)" -eq 6 ]
}

@test "a rate of one's own is run, and one that cannot be met is reported with what was" {
    [ "$(nproc)" -ge 2 ] || skip "sender and receiver want a CPU each"
    report --plugclock_rate=90000000 '--benchmark_filter=message/rate:90000000/ring:2022'
    [ "$status" -eq 0 ]
    every '.rate_met == 0 and ."messages/s" < 90000000 * 0.98
        and (.label | test("^rate not met: [0-9.]+K of 90000.0K/s$"))'
    report '--benchmark_filter=message/rate:13000'
    every '.rate_met == if ."messages/s" >= 13000 * 0.98 then 1 else 0 end'
}

@test "every wait ends" {
    report '--benchmark_filter=^wait/'
    [ "$status" -eq 0 ]
    every '.waits == .iterations and .IOPS > 0'
    [ "$(jq '[.benchmarks[] | select(.threads == 4)] | length' report)" -eq 4 ]
}

@test "with one CPU what wants two is skipped with the reason, and the rest runs" {
    cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//')
    run --separate-stderr taskset -c "$cpu" "$root/${BUILD:-build}/plugclock-bench" \
        --benchmark_filter=^message/ --benchmark_min_time=0.001
    [ "$status" -eq 3 ]
    [[ $output = *"sender and receiver want a CPU each, and this process may use 1"* ]]
    run --separate-stderr taskset -c "$cpu" "$root/${BUILD:-build}/plugclock-bench" \
        '--benchmark_filter=^(clock/hit|nop/batch:1/async:0)/' --benchmark_min_time=0.001
    [ "$status" -eq 0 ]
    [[ $output = *"2 threads want a CPU each, and this process may use 1"* ]]
}

@test "a memlock limit that is too small is named, and exits 3 when nothing else ran" {
    # shellcheck disable=SC2016  # the shell inside expands it
    run --separate-stderr as_nobody sh -c 'ulimit -l 64 && exec "$0" "$@"' \
        "$root/${BUILD:-build}/plugclock-bench" --benchmark_filter=^update_buffers/
    [ "$status" -eq 3 ]
    [[ $output = *"the memlock limit is 64 KiB, and this takes 512 KiB"*"ulimit -l"* ]]
}

@test "a kernel without DEFER_TASKRUN runs the ring of 2020 and skips the other" {
    without defer 'int io_uring_queue_init_params(unsigned n, struct io_uring *r, struct io_uring_params *p)
        { int (*next)(unsigned, struct io_uring *, struct io_uring_params *) = dlsym(RTLD_NEXT, __func__);
          return p->flags & IORING_SETUP_DEFER_TASKRUN ? -EINVAL : next(n, r, p); }'
    LD_PRELOAD=$PWD/defer.so report '--benchmark_filter=nop/batch:1/async:0/.*threads:1'
    [ "$status" -eq 0 ]
    jq -e "[.benchmarks[] | $ended] == [false, true]" report
    jq -e "any(.benchmarks[]; $reason | contains(\"DEFER_TASKRUN rings; they came with Linux 6.1\"))" report
}

@test "a kernel without an operation, and one without io_uring, skip with the reason and exit 3" {
    [ "$(nproc)" -ge 2 ] || skip "sender and receiver want a CPU each"
    without probe 'struct io_uring_probe *io_uring_get_probe_ring(struct io_uring *r)
        { return r ? NULL : NULL; }'
    LD_PRELOAD=$PWD/probe.so bench '--benchmark_filter=message/rate:0/ring:2022|update_files/batch:1/pinned:1'
    [ "$status" -eq 3 ]
    [[ $output = *"this kernel has no IORING_OP_MSG_RING; it came with Linux 5.18"* ]]
    [[ $output = *"this kernel has no IORING_OP_FILES_UPDATE; it came with Linux 5.6"* ]]
    without none 'int io_uring_queue_init_params(unsigned n, struct io_uring *r, struct io_uring_params *p)
        { return r && p && n ? -ENOSYS : 0; }'
    LD_PRELOAD=$PWD/none.so bench '--benchmark_filter=^(nop|wait)/.*threads:1'
    [ "$status" -eq 3 ]
    [[ $output = *"this kernel has no io_uring"* ]]
}

@test "an error of the kernel fails its benchmark with the reason and exits 1" {
    without broken 'int io_uring_submit_and_wait(struct io_uring *r, unsigned n) { return r && n ? -EBADR : 0; }'
    LD_PRELOAD=$PWD/broken.so bench '--benchmark_filter=clock/hit/threads:1|wait/delay_ns:0/ring:2022/.*threads:1' --benchmark_min_time=0.001
    [ "$status" -eq 1 ]
    [[ $output = *"a timeout: Invalid request descriptor"* ]]
}

@test "a report on standard output is JSON alone" {
    bench --benchmark_filter=clock/hit/threads:1 --benchmark_format=json --benchmark_min_time=0.001
    [ "$status" -eq 0 ]
    jq -e '.benchmarks[0].run_name == "clock/hit/threads:1"
        and .context.plugclock_detector and .context.kernel' <<<"$output"
}

@test "names are listed without a run" {
    bench --benchmark_list_tests
    [ "$status" -eq 0 ]
    grep -qx 'clock/hit/threads:1' <<<"$output"
    grep -qx 'message/rate:33000/ring:2022/real_time' <<<"$output"
}

@test "a filter without a match, an unknown flag and a bad value exit 2 and are named" {
    bench --benchmark_filter=nonsense
    [ "$status" -eq 2 ]
    [[ $stderr = *"nonsense"* ]]
    for flag in --nonsense --plugclock_rate=0 --plugclock_rate=x --plugclock_rate \
        --plugclock_source=sundial --plugclock_source= --benchmark_min_time=soon word; do
        bench "$flag"
        [ "$status" -eq 2 ]
        [[ $stderr = *"plugclock-bench: $flag: not a flag, or not a value that it takes; see --help"* ]]
        [ -z "$output" ]
    done
    bench --benchmark_format=xml
    [ "$status" -eq 2 ]
    [[ $stderr = *"formats are console, json and csv"* ]]
}

@test "help has our flags and Google Benchmark's, and exits 0" {
    bench --help
    [ "$status" -eq 0 ]
    [[ $output = *"--plugclock_source="*"--benchmark_filter="* ]]
}

@test "the library can be timed on another source, and the report says which" {
    without read '#include <time.h>
        static unsigned readings;
        int clock_gettime(clockid_t id, struct timespec *ts) {
          int (*next)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, __func__);
          __atomic_fetch_add(&readings, id == CLOCK_BOOTTIME, __ATOMIC_RELAXED); return next(id, ts); }
        __attribute__((destructor)) static void tell(void) { dprintf(2, "readings %u\n", readings); }'
    LD_PRELOAD=$PWD/read.so report --plugclock_source=boottime --benchmark_filter=clock/outside/threads:1
    [ "$status" -eq 0 ]
    jq -e '.context.plugclock_source == "boottime"' report
    [[ $stderr =~ readings\ [1-9][0-9]{3,}$ ]]
}

# Seven repetitions, out of order; b takes 100 ns, and a 200 to 206.
repeated() {
    jq -n '{context: {kernel: "6.1"}, benchmarks: ([range(7) as $i | ("b", "a") as $w |
        {run_type: "iteration", run_name: "clock/\($w)/threads:1", repetition_index: ((5 * $i) % 7),
         cpu_time: (if $w == "a" then 200 + (5 * $i) % 7 else 100 end)}]
        + [{run_type: "aggregate", run_name: "clock/a/threads:1", cpu_time: 1}])}' >report
}

ratio() {
    run jq -r -f "$root/bench/ratio.jq" --arg a "clock/$1/threads:1" --arg b "clock/$2/threads:1" \
        --arg figure cpu_time report
}

@test "the ratio of two benchmarks is the median over the repetitions, with its interval" {
    repeated
    ratio a b
    [ "$output" = "2.03 2 2.06" ]
    ratio b b
    [ "$output" = "1 1 1" ]
    ratio a missing
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "clocks are plotted, and what is no report of them is refused" {
    repeated
    run "$root/bench/plot" report out.svg
    [ "$status" -eq 0 ]
    grep -q '<svg' out.svg
    grep -q '>a<' out.svg
    echo '{"benchmarks": []}' >empty
    run "$root/bench/plot" empty none.svg
    [ "$status" -eq 1 ]
    [ ! -e none.svg ]
    run "$root/bench/plot" report
    [ "$status" -eq 2 ]
}

# What bench/seeds leaves: six pairs of one figure; one benchmark that ran, one that was skipped.
measured_seeds() {
    jq -n '{context: {kernel: "6.18", num_cpus: 2, kernel_clock_source: "tsc"}, benchmarks: [
        {run_name: "nop/batch:16/async:0/ring:2020/real_time/threads:1", IOPS: 12345678.4},
        {run_name: "message/rate:0/ring:2022/real_time", error_occurred: true, error_message: "none"}]}' >native.json
    printf 'update_files/batch:32/pinned:1 %s\n' '100 640' '100 650' '100 630' '100 600' '100 660' '200 1280' >pairs
}

@test "the seeds' figures stand beside ours, and what was not measured says so" {
    measured_seeds
    run "$root/bench/seeds-table" .
    [ "$status" -eq 0 ]
    [[ $output = *"2 CPUs, Linux 6.18, clock source tsc"* ]]
    grep -Eq '^002 .* 6,108,416, later 5,325,574 +5\.1, 5\.7-rc4 +12,345,678 ' <<<"$output"
    grep -Eq '^003 .* 3,600, then 374 +not possible here ' <<<"$output"
    grep -Eq '^001 .* 165,670, then 10,890,297 +6\.3-rc5 +not measured ' <<<"$output"
    grep -Eq '^001 .* 64 +100 +645 +6\.40 \[6\.00, 6\.60\]$' <<<"$output"
    grep -Eq '^000 .* 1\.04 +- +- +not measured$' <<<"$output"
    [[ $output = *"in turn, 6 boots each"* ]]
}

@test "one table alone is printed, and none at all exits 1" {
    measured_seeds
    mv native.json elsewhere
    run "$root/bench/seeds-table" .
    [ "$status" -eq 0 ]
    [[ $output = "2. Before and after"* ]]
    rm pairs
    run "$root/bench/seeds-table" .
    [ "$status" -eq 1 ]
    [[ $output = *"nothing was measured"* ]]
    run "$root/bench/seeds-table"
    [ "$status" -eq 2 ]
    run "$root/bench/seeds" --pairs 0
    [ "$status" -eq 2 ]
}
