# SPDX-License-Identifier: MIT
# tests/run must notice everything that can go wrong, or green means nothing.

setup() {
    runner=$BATS_TEST_DIRNAME/../run
    folder=$BATS_TEST_TMPDIR
    unset PLUGCLOCK_NO_SKIP
}

# A test program of that name that prints each argument as a line, then runs $end.
program() {
    local name=$1
    shift
    { echo '#!/bin/sh'; printf "echo '%s'\n" "$@"; echo "${end:-exit 0}"; } >"$folder/$name"
    chmod +x "$folder/$name"
}

# The last line of the runner's output and its exit status.
result() {
    run "$runner" "$@"
    last=${lines[-1]}
}

@test "good programs and bats files in a folder pass and the totals add up" {
    program test_one 1..2 'ok 1 - a' 'ok 2 - b'
    program test_two 1..1 'ok 1 - a'
    printf '@test "t" {\n    true\n}\n' >"$folder/three.bats"
    result "$folder"
    [ "$status" -eq 0 ]
    [ "$last" = "4 passed, 0 failed, 0 skipped" ]
}

@test "objects, sources and other programs in a folder are not run" {
    program test_one 1..1 'ok 1 - a'
    program test_one.o 1..1 'not ok 1 - a'
    program helper 1..1 'not ok 1 - a'
    result "$folder"
    [ "$status" -eq 0 ]
    [ "$last" = "1 passed, 0 failed, 0 skipped" ]
}

@test "a failing test fails the run even when its program exits 0" {
    program test_one 1..2 'ok 1 - a' 'not ok 2 - b'
    result "$folder"
    [ "$status" -eq 1 ]
    [ "$last" = "1 passed, 1 failed, 0 skipped" ]
}

@test "a failing bats file fails the run" {
    printf '@test "t" {\n    false\n}\n' >"$folder/one.bats"
    result "$folder"
    [ "$status" -eq 1 ]
    [ "$last" = "0 passed, 1 failed, 0 skipped" ]
}

@test "a failure is not hidden by a good program after it and fails the run" {
    program test_one 1..1 'not ok 1 - a'
    program test_two 1..1 'ok 1 - a'
    result "$folder"
    [ "$status" -eq 1 ]
    [ "$last" = "1 passed, 1 failed, 0 skipped" ]
}

@test "a program that crashes after its last test fails the run" {
    end='kill -SEGV $$' program test_one 1..1 'ok 1 - a'
    result "$folder"
    [ "$status" -eq 1 ]
    [ "$last" = "1 passed, 1 failed, 0 skipped" ]
    [[ $output = *"test_one: planned 1, ran 1, exit status 139"* ]]
}

@test "a program that exits 1 with all tests good fails the run" {
    end='exit 1' program test_one 1..1 'ok 1 - a'
    result "$folder"
    [ "$status" -eq 1 ]
}

@test "fewer or more tests than planned, or no plan, fail the run" {
    program test_one 1..3 'ok 1 - a' 'ok 2 - b'
    result "$folder"
    [ "$status" -eq 1 ]
    [ "$last" = "2 passed, 1 failed, 0 skipped" ]
    program test_one 1..1 'ok 1 - a' 'ok 2 - b'
    result "$folder"
    [ "$status" -eq 1 ]
    program test_one 'ok 1 - a'
    result "$folder"
    [ "$status" -eq 1 ]
}

@test "the plans of several groups in one program add up and pass" {
    program test_one 1..2 'ok 1 - a' 'ok 2 - b' 1..1 'ok 1 - c'
    result "$folder"
    [ "$status" -eq 0 ]
    [ "$last" = "3 passed, 0 failed, 0 skipped" ]
}

@test "a skip in the words of bats or cmocka is counted and passes" {
    program test_one 1..3 'ok 1 - a' 'ok 2 b # skip no drive' 'not ok 3 # SKIP c'
    program test_two '1..0 # skip no kernel'
    result "$folder"
    [ "$status" -eq 0 ]
    [ "$last" = "1 passed, 0 failed, 3 skipped" ]
}

@test "a skip fails the run where none is allowed" {
    program test_one 1..2 'ok 1 - a' 'ok 2 b # skip no drive'
    PLUGCLOCK_NO_SKIP=1 result "$folder"
    [ "$status" -eq 1 ]
    [ "$last" = "1 passed, 0 failed, 1 skipped" ]
    program test_one 1..1 'ok 1 - a'
    program test_two '1..0 # skip no kernel'
    PLUGCLOCK_NO_SKIP=1 result "$folder"
    [ "$status" -eq 1 ]
}

@test "a program that runs no test fails the run beside good ones" {
    program test_one 1..0
    program test_two 1..1 'ok 1 - a'
    result "$folder"
    [ "$status" -eq 1 ]
    [ "$last" = "1 passed, 1 failed, 0 skipped" ]
}

@test "nothing run, or skips alone, fail the run" {
    result "$folder"
    [ "$status" -eq 1 ]
    [ "$last" = "0 passed, 0 failed, 0 skipped" ]
    result
    [ "$status" -eq 1 ]
    program test_one 1..1 'ok 1 b # skip no drive'
    result "$folder"
    [ "$status" -eq 1 ]
}

@test "a program or folder that does not exist fails the run" {
    program test_one 1..1 'ok 1 - a'
    result "$folder" "$folder/nothing"
    [ "$status" -eq 1 ]
    [ "$last" = "1 passed, 1 failed, 0 skipped" ]
}
