# SPDX-License-Identifier: MIT
# 7.3 with the series, in guests with an emulated NVMe drive, and what it is to be compared
# with: Debian's ready kernels.

# shellcheck disable=SC2030,SC2031,SC2154  # bats: each test is a subshell; run sets output
setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    load guest.bash
}

@test "7.3 with statistics on for passthrough reads the clock no more than upstream does" {
    reads 7.3
    within 'polled ng, batch 32' 3 0.03 0.15
    within 'polled block device, batch 32' 3 0.03 0.15
    within 'polled ng, batch 1' 3 0 2.2
}

@test "7.3: a read completed inside the plug has its true latency" {
    kernel guest-7.3
    true_latency
}

@test "upstream's 6.12 and 7.3 show next to no latency there" {
    local series unpatched
    for series in 6.12 7.3; do
        nullblk_reads $series 1
        unpatched=$(share unpatched <<<"$output")
        echo "of a batch's time: $unpatched thousandths"
        [ "$unpatched" -lt 100 ]
    done
}

@test "7.3: elevators, wbt, iocost and iolatency run a mixed load without a warning" {
    users guest-7.3
}
