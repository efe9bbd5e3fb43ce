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

@test "7.3 with KASAN and PROVE_LOCKING: KUnit and a mixed load without a complaint" {
    kunit_and_users debug-7.3
}

@test "7.3 with PREEMPT_RT: KUnit and a mixed load without a complaint" {
    kunit_and_users rt-7.3
}

@test "6.12 with PREEMPT_RT: KUnit and a mixed load without a complaint" {
    kunit_and_users rt-6.12
}
