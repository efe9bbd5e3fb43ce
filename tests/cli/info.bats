# SPDX-License-Identifier: MIT
# ngbench info: the conditions of a run, and what to do about them, without the run.
# shellcheck disable=SC2154  # run sets status and output
load common

# has NAME ASKED EFFECTIVE: a line of the table, each a regular expression.
has() {
    grep -Eq "^$1 +$2 +$3\$" <<<"$output" || { echo "no line $1 $2 $3 in:"; echo "$output"; return 1; }
}

@test "info of the null device names the kernel, its clock, the limits and the ring" {
    good info /dev/null
    has kernel - "$(uname -r)"
    has clocksource - "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
    has clock_gettime_ns - '[0-9]+\.[0-9]'
    has plugclock_detector - '(exact|user|none)'
    has io_uring_disabled - '[012]'
    has memlock '[0-9]+ KiB' '([0-9]+ KiB|unlimited)'
    has cpus any '[0-9,-]+(, threads pinned)?'
    has governor - '[a-z]+'
    has engine auto null
    has lat off 'no clock is read for an I/O'
    has polled auto 0
    has SINGLE_ISSUER auto '[01]'
    has device - '/dev/null, null device'
    has lbas - '2097152 of 512 bytes'
}

@test "info of a file names its disk's queue where there is one" {
    local disk
    good info file
    has device - 'file, file( on [a-z0-9]+)?'
    has lbas - '2048 of 512 bytes'
    disk=$(sed -nE 's/^device .* on //p' <<<"$output")
    [ -n "$disk" ] || return 0
    has iostats - "$(cat "/sys/block/$disk/queue/iostats")"
    has io_poll - "$(cat "/sys/block/$disk/queue/io_poll")"
    has nr_requests - "$(cat "/sys/block/$disk/queue/nr_requests")"
}

@test "info shows what was asked for beside what is in force" {
    good info -p0 -X0 -d64 -b8k --cpus 0 --lat clock /dev/null
    has lat clock 'two clock readings per I/O'
    has polled 0 0
    has registered_ring 0 0
    has memlock '512 KiB' '([0-9]+ KiB|unlimited)'
    has cpus 0 '0, threads pinned'
}

@test "threads that share a CPU are advised against, and one that has its own is not" {
    good info --cpus 0 -n3 /dev/null
    [[ $output = *"-> 3 threads share 1 CPU: -n1 gives each its own"* ]]
    [[ $output = *"to mend, or to mention beside the result"* ]]
    good info --cpus 0 -n1 /dev/null
    [[ $output != *"threads share"* ]]
}

@test "buffered reads that cannot be polled are advised against unless -p0 asks for that" {
    good info -O0 file
    [[ $output = *"-> buffered reads cannot be polled: -O1"* ]]
    good info -O0 -p0 file
    [[ $output != *"cannot be polled"* ]]
}

@test "without any detector the cached clock's cost is told" {
    PLUGCLOCK_DETECTOR=none good info /dev/null
    has plugclock_detector - none
    [[ $output = *"-> --lat cached reads the clock at each stamp"* ]]
}

@test "names of several devices' conditions begin with the device" {
    truncate -s 2M more
    good info file more
    has file.lbas - '2048 of 512 bytes'
    has more.lbas - '4096 of 512 bytes'
    [ -z "$(awk 'NR > 1 && NF && !/^ / { print $1 }' <<<"$output" | sort | uniq -d)" ]
}

@test "info writes its conditions as JSON, with the advice" {
    good info --cpus 0 -n2 --json r.json /dev/null
    [[ $output = "condition "* ]]
    jq -e --arg kernel "$(uname -r)" '.schema == 1 and .conditions.kernel.effective == $kernel
        and .conditions.cpus.requested == "0"
        and (.conditions.cpus.advice | test("share 1 CPU"))' r.json
    good info --json - /dev/null
    jq -e '.conditions.engine == {requested: "auto", effective: "null"}' <<<"$output"
}

@test "info refuses what a run would refuse, and reads nothing" {
    refused 2 "No such file" info /nonexistent
    refused 2 "no device" info
    refused 2 "no such option" info --no-such-option /dev/null
    refused 3 "cannot be polled" info -p1 /dev/null
}

@test "where no ring can be had the conditions are printed all the same" {
    (ulimit -n 12; ng info -n8 /dev/null
        printf '%s\n' "$status" "$output" "$stderr") >out
    grep -q '^kernel ' out
    grep -q '^device ' out
    head -n1 out | grep -q '^[13]$'
    grep -q '^ngbench: ' out
}

@test "a run says before its first second what takes from the result" {
    good --cpus 0 -n2 -r1 /dev/null
    [[ $output = *$'\n'"note: cpus 0, threads pinned: 2 threads share 1 CPU: -n1 gives each its own"$'\n'*"IOPS="* ]]
}
