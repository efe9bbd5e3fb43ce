# SPDX-License-Identifier: MIT
# For the tests of kernels in guests.
# shellcheck disable=SC2034,SC2154  # bats: run sets output and status; the tests use kernel
bats_require_minimum_version 1.5.0

# kernel VARIANT: its path goes to $kernel; the test is skipped where it cannot be built.
kernel() {
    run --separate-stderr tests/kernel/build "$1"
    [ "$status" -ne 3 ] || skip "${stderr_lines[-1]}"
    [ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
    kernel=$output
}

# guest ARGUMENTS...: tests/guest/run, whose output is shown when the test fails
guest() {
    run tests/guest/run "$@"
    echo "$output"
    [ "$status" -eq 0 ]
}

# The oops of 6.1 is a property of a kernel, shown by chance: boots it up to ten times with
# a program that leaves polled reads in flight. Sets oopses; ends at LIMIT of them.
oopses_in_ten_boots() {
    local image=$1 limit=$2 boot
    oopses=0
    for ((boot = 1; boot <= 10 && oopses < limit; boot++)); do
        run tests/guest/run --kernel "$image" undrained
        echo "boot $boot: status $status: ${lines[-1]}"
        case $status in
        0) ;;
        3) skip "${lines[-1]}" ;;
        1 | 124) if [[ $output =~ BUG:|general\ protection|Oops ]]; then oopses=$((oopses + 1)); else return 1; fi ;;
        *) return 1 ;;
        esac
    done
    echo "$oopses oopses in $((boot - 1)) boots"
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

# shellcheck source=tests/kernel/nullblk.bash
. tests/kernel/nullblk.bash

# nullblk_reads KERNEL ROUNDS: nullblk, whose output is shown when the test fails
nullblk_reads() {
    run nullblk "$@"
    echo "$output"
    [ "$status" -eq 0 ]
}

# A read that is completed in the submitter's plug takes as long with the cache as without,
# and more since the batch shares its start; but never longer than its batch.
true_latency() {
    local on off
    nullblk_reads "$kernel" 1
    on=$(share on <<<"$output") off=$(share off <<<"$output")
    echo "of a batch's time: cache on $on, off $off thousandths"
    [ "$off" -ge 200 ]
    [ "$on" -ge "$off" ]
    [ "$on" -le 1000 ]
}

# Every user of the stamps: none, three elevators, wbt, iocost, iolatency.
users() {
    kernel "$1"
    guest --kernel "$kernel" --timeout 600 users
    [ "$(grep -c '^ok: ' <<<"$output")" -eq 7 ]
}
