# SPDX-License-Identifier: MIT
# The series under the kernel's own checks (KASAN, PROVE_LOCKING, DEBUG_PREEMPT), and on the
# real-time kernel, with the KUnit tests at boot and with every user of the stamps.
# shellcheck disable=SC2154  # kernel() sets kernel

setup() {
    cd "$BATS_TEST_DIRNAME/../../.." || return
    load ../guest.bash
}

kunit_and_users() {
    kernel "$1"
    guest --kernel "$kernel" --timeout 600 --append 'kunit.enable=1 kunit.autorun=1' kunit
    guest --kernel "$kernel" --timeout 900 users
    [ "$(grep -c '^ok: ' <<<"$output")" -eq 7 ]
}

@test "6.1 with KASAN and PROVE_LOCKING: KUnit and a mixed load without a complaint" {
    kunit_and_users debug-6.1
}

# The optional patches leave passthrough no stamp to take, and so no switch to measure.
@test "6.1 with the optional patches reads no clock for passthrough" {
    kernel debug-6.1
    guest --kernel "$kernel" --timeout 600 exec ngbench -b512 -d32 -u1 -r5 --json - /dev/ng0n1
    [[ $output =~ \"clock_reads_per_io\":\ *([0-9.]+) ]]
    [[ ${BASH_REMATCH[1]} =~ ^0\.0 ]]
    run tests/guest/run --kernel "$kernel" --timeout 600 exec ngbench -b512 -d32 -u1 --ab stats -r5 --rounds 3 /dev/ng0n1
    [ "$status" -eq 3 ]
    [[ $output = *"iostats switches nothing on this path"* ]]
}

@test "7.3 with KASAN and PROVE_LOCKING: KUnit and a mixed load without a complaint" {
    kunit_and_users debug-7.3
}

@test "7.3 with PREEMPT_RT: KUnit and a mixed load without a complaint" {
    kunit_and_users rt-7.3
}

@test "6.12 with PREEMPT_RT: KUnit and a mixed load without a complaint" {
    kunit_and_users rt-6.12
}
