# SPDX-License-Identifier: MIT
# For 'make check-long': forced switches on the kernels at both ends, where rseq means
# something else, in guests of two processors.

# Shows the counts; skips where no guest is possible.
stress() {
    cd "$BATS_TEST_DIRNAME/../../.." || return
    run tests/guest/run --kernel "$1" --smp 2 --threads single --drive none --timeout 600 \
        exec stress 50000
    [ "$status" -ne 3 ] || skip "${lines[0]}"
    printf '%s\n' "${lines[@]}" >&3
    [ "$status" -eq 0 ]
}

@test "on 6.1 no reading of rseq or perf is stale or goes backwards" {
    stress 6.1
    [[ $output = *"# rseq: 5"*"# perf: 5"* ]]
}

@test "on 7.3 no reading of perf is stale or goes backwards, and rseq does not claim it" {
    stress 7.3
    [[ $output = *"# rseq: not EXACT"* && $output = *"# perf: 5"* ]]
}
