# SPDX-License-Identifier: MIT
# 6.1 with the series, in guests with an emulated NVMe drive, and what it is to be compared
# with: Debian's ready kernels.

# shellcheck disable=SC2030,SC2031,SC2154  # bats: each test is a subshell; run sets output
setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    load guest.bash
    load ../guest/drives.bash
}

@test "6.1 reads the clock three times per batch instead of twice or three times per I/O" {
    reads 6.1
    within 'polled ng, batch 32' 1 1.9 2.2
    within 'polled ng, batch 32' 2 1.9 2.2
    within 'polled ng, batch 32' 3 0.03 0.12
    within 'polled block device, batch 32' 1 2.9 3.2
    within 'polled block device, batch 32' 2 2.9 3.3
    within 'polled block device, batch 32' 3 0.03 0.15
    # io_uring plugs no single request.
    within 'polled ng, batch 1' 3 0 2.2
    within 'polled block device, batch 1' 3 0 3.2
}

@test "ngbench switches the cache on 6.1 and finds two clock reads per I/O gone" {
    local json
    kernel guest-6.1
    # shellcheck disable=SC2016  # the guest's shell expands it
    json=$(tests/guest/run --kernel "$kernel" exec sh -c \
        'ngbench "$@" --json - 2>/tmp/err || { status=$?; cat /tmp/err; exit $status; }' \
        ngbench -b512 -d128 -u1 --ab ktime=off:on --rounds 3 -r2 /dev/ng0n1) || { echo "$json"; return 1; }
    echo "$json" | jq -c .arms
    jq -e '.valid and .complete and .knob == "ktime"
        and .arms[0].name == "off" and .arms[1].name == "on"
        and .arms[0].clock_reads_per_io > 1.9 and .arms[1].clock_reads_per_io <= 0.12' <<<"$json"
}

@test "6.1: a read completed inside the plug has its true latency" {
    kernel guest-6.1
    true_latency
}

@test "6.1: elevators, wbt, iocost and iolatency run a mixed load without a warning" {
    users guest-6.1
}

# Debian's oopsed in every boot of these: 2 of 2, 3 of 3 and 1 of 1.
@test "6.1: polled reads that fail together, a namespace detached, two rings on one full queue, no oops" {
    kernel guest-6.1
    guest --kernel "$kernel" --timeout 300 --append nvme_core.multipath=N --drive "$two_controllers" faults busy
    [[ $output = *"passthrough: status 1, valid false"*"Format In Progress"*"after: status 0, valid true"* ]]
    guest --kernel "$kernel" --timeout 300 --drive "$two_namespaces" faults detach
    [[ $output = *"detach: status 1, valid false"*"other: status 0, valid true"* ]]
    guest --kernel "$kernel" --timeout 300 --append nvme.io_queue_depth=8 faults crowded 2
    [ "$(grep -c ': status 0, valid true' <<<"$output")" -eq 4 ]
}

@test "6.1: ten boots with a program that leaves polled reads in flight, no oops" {
    kernel guest-6.1
    oopses_in_ten_boots "$kernel" 1
    [ "$oopses" -eq 0 ]
}

@test "Debian's 6.1 oopses in ten such boots" {
    oopses_in_ten_boots 6.1 1
    [ "$oopses" -ge 1 ]
}
