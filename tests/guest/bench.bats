# SPDX-License-Identifier: MIT
# plugclock-bench on other kernels than this machine's.
# shellcheck disable=SC2154,SC2016  # run sets status and output; the guest's shell expands

@test "a kernel before and one after the seeds' changes run what is compared between them" {
    local kernel
    for kernel in 6.1 6.12; do
        run tests/guest/run --timeout 600 --kernel $kernel --drive none seeds '^(update_.*/batch:32/pinned:1|wait/delay_ns:0/ring:2022)/' 1
        [ "$status" -eq 0 ]
        jq -es '.[0].valid and .[0].arms[0].iops_mean > 0 and (.[1].benchmarks |
            length == 4 and all(.iterations > 0 and .IOPS // ."updates/s" > 0))' <<<"$output"
    done
}

@test "two processors of a guest exchange messages, and none is lost" {
    run tests/guest/run --timeout 600 --kernel 6.12 --drive none --smp 2 --threads single seeds '^message/rate:0/' 1
    [ "$status" -eq 0 ]
    jq -e '.benchmarks | length == 2 and all(.sent > 100 and .sent == .received)' <<<"$output"
}

@test "io_uring that is disabled is named with its sysctl, and the clocks run all the same" {
    run tests/guest/run --timeout 600 --kernel 6.12 --drive none exec sh -c 'echo 2 >/proc/sys/kernel/io_uring_disabled
        plugclock-bench --benchmark_min_time=0.001 "--benchmark_filter=^(nop/batch:1|update_files)/" >/tmp/out 2>&1
        echo "alone $?"; cat /tmp/out
        plugclock-bench --benchmark_min_time=0.001 "--benchmark_filter=^(nop/batch:1|clock/hit)/" >/tmp/out 2>&1; echo "with clocks $?"'
    [ "$status" -eq 0 ]
    [[ $output = *"alone 3"*"kernel.io_uring_disabled=2"*"with clocks 0"* ]]
}
