# SPDX-License-Identifier: MIT
# The faults that everything rests on are noticed, and tests/meta/mutants can fail.

setup() {
    mutants=$BATS_TEST_DIRNAME/mutants
}

@test "the probe left out, the order swapped, the signal rule dropped: each is noticed" {
    run "$mutants" --fast
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(grep -c '^ok .*: noticed by test_' <<<"$output")" -eq 3 ]
}

@test "a fault that nobody notices fails" {
    run "$mutants" --try lib/now.c test_source 's/#define ATTEMPTS 8/#define ATTEMPTS 9/'
    [ "$status" -eq 1 ]
    [[ $output = "not ok 1 - --try"*": nobody noticed"* ]]
}

@test "a fault that does not build fails" {
    run "$mutants" --try lib/source.c test_source 's/int plugclock_use_source/int (/'
    [ "$status" -eq 1 ]
    [[ $output = "not ok 1 - --try: does not build"* ]]
}

@test "a fault that no longer applies fails" {
    run "$mutants" --try lib/now.c test_source 's/no such text//'
    [ "$status" -eq 1 ]
    [[ $output = "not ok 1 - --try: no longer applies to lib/now.c"* ]]
}

@test "an unknown fault or option is a usage error and exits 2" {
    local bad
    for bad in no-such-fault --wrong '--try lib/now.c'; do
        # shellcheck disable=SC2086  # the words of a command line
        run "$mutants" $bad
        [ "$status" -eq 2 ]
    done
}
