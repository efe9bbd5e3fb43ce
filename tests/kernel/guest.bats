# SPDX-License-Identifier: MIT
# Kernels with the series, in guests with an emulated NVMe drive, and what they are to be
# compared with: Debian's ready kernels of the same versions.

# shellcheck disable=SC2030,SC2031,SC2154  # bats: each test is a subshell; run sets output
setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    load guest.bash
}

# The table of tests/kernel/reads goes to $output, the numbers of a row by the functions below.
reads() {
    kernel "guest-$1"
    run tests/kernel/reads "$1"
    echo "$output"
    [ "$status" -eq 0 ]
}
# within ROW COLUMN LOW HIGH: Debian's kernel is column 1, cache off 2, on 3
within() {
    awk -F' *[|] *' -v row="$1" -v column="$2" -v low="$3" -v high="$4" '
        index($2, row) { n++; bad += $(column + 2) < low || $(column + 2) > high }
        END { exit !(n == 1 && !bad) }' <<<"$output"
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

@test "7.3 with statistics on for passthrough reads the clock no more than upstream does" {
    reads 7.3
    within 'polled ng, batch 32' 3 0.03 0.15
    within 'polled block device, batch 32' 3 0.03 0.15
    within 'polled ng, batch 1' 3 0 2.2
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

# Time by instructions, so that what else the machine does is not measured: repeats to 0.1 %.
counted=(--accel tcg --threads single --qemu '-icount shift=3,sleep=off' --drive none --timeout 600)

# share NAME: of the lines "NAME reads N stat_ns N wall_ns N", the median time of a read in
# /sys/block/nullb0/stat, in thousandths of the time that a batch of 32 took by the wall clock.
share() {
    awk -v name="$1" '$1 == name { print int(1000 * $5 / (32 * $7)) }' <<<"$output" | sort -n |
        awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0 }'
}

# A read that is completed in the submitter's plug takes as long with the cache as without,
# and more since the batch shares its start; but never longer than its batch.
true_latency() {
    local on off
    guest "${counted[@]}" --kernel "$kernel" --append 'null_blk.queue_mode=2 null_blk.irqmode=0
        null_blk.submit_queues=1 null_blk.nr_devices=1' nullblk 1
    on=$(share on) off=$(share off)
    echo "of a batch's time: cache on $on, off $off thousandths"
    [ "$off" -ge 200 ]
    [ "$on" -ge "$off" ]
    [ "$on" -le 1000 ]
}

@test "6.1: a read completed inside the plug has its true latency" {
    kernel guest-6.1
    true_latency
}

@test "7.3: a read completed inside the plug has its true latency" {
    kernel guest-7.3
    true_latency
}

@test "upstream's 6.12 and 7.3 show next to no latency there" {
    local series
    for series in 6.12 7.3; do
        guest "${counted[@]}" --kernel $series nullblk
        echo "of a batch's time: $(share unpatched) thousandths"
        [ "$(share unpatched)" -lt 100 ]
    done
}

# Every user of the stamps: none, three elevators, wbt, iocost, iolatency.
users() {
    kernel "$1"
    guest --kernel "$kernel" --timeout 600 users
    [ "$(grep -c '^ok: ' <<<"$output")" -eq 7 ]
}

@test "6.1: elevators, wbt, iocost and iolatency run a mixed load without a warning" {
    users guest-6.1
}

@test "7.3: elevators, wbt, iocost and iolatency run a mixed load without a warning" {
    users guest-7.3
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
