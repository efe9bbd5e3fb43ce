# SPDX-License-Identifier: MIT
# The guest runner itself: what it passes on, and that it fails and ends when it must.
# shellcheck disable=SC2030,SC2031,SC2154  # bats: each test is a subshell; run sets stderr
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return
}

# A guest; the test is skipped where none is possible.
boot() {
    run --separate-stderr tests/guest/run "$@"
    [ "$status" -ne 3 ] || skip "${stderr_lines[-1]}"
}

@test "a guest has the drive, a poll queue and kprobes, and gets its arguments unchanged" {
    boot hello "a  b" "it's" '*' ''
    [ "$status" -eq 0 ]
    [[ ${lines[0]} = 6.1.* ]]
    [ "${output#*$'\n'}" = $'arg <a  b>\narg <it\'s>\narg <*>\narg <>' ]
}

@test "a test that exits 7 makes the runner exit 7" {
    boot fail
    [ "$status" -eq 7 ]
}

@test "a program of the build runs in the guest with its libraries and its output is exact" {
    export BUILD=$BATS_TEST_TMPDIR
    cp "$(type -P printf)" "$BUILD/ngbench"
    boot exec ngbench 'one\ttwo\r\n'
    [ "$status" -eq 0 ]
    [ "$output" = $'one\ttwo\r' ]
}

@test "a test without an end is ended after the timeout and exits 124" {
    boot --timeout 5 hang
    [ "$status" -eq 124 ]
    [[ $stderr = *"no end after 5 s"* ]]
}

@test "a warning in the kernel's log fails a test that succeeded" {
    boot warn
    [ "$status" -eq 1 ]
    [[ $stderr = *"WARNING: made up"* ]]
}

@test "a kernel that panics fails the test and shows the line" {
    boot panic
    [ "$status" -eq 1 ]
    [[ $stderr = *"Kernel panic"* ]]
}

@test "without a drive the guest starts at once and has no /dev/ng0n1" {
    boot --drive none hello
    [ "$status" -eq 1 ]
    [[ $output = *"no /dev/ng0n1" ]]
}

@test "a drive that QEMU refuses fails with QEMU's own reason" {
    boot --drive '-device no-such-device' hello
    [ "$status" -eq 1 ]
    [[ $stderr = *"QEMU did not start"*no-such-device* ]]
}

@test "a runner that is ended takes its guest along and exits 143" {
    tests/guest/run hang >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
    local runner=$! timeout='' qemu='' status=0 tries=0
    until [ -n "$qemu" ] || ! kill -0 "$runner" || [ $((tries += 1)) -gt 200 ]; do
        sleep 0.1
        timeout=$(pgrep -P "$runner" -x timeout) || continue
        qemu=$(pgrep -P "$timeout" -x qemu-system-x86) || continue
    done
    kill "$runner" || true
    wait "$runner" || status=$?
    [ "$status" -ne 3 ] || skip "$(tail -n1 "$BATS_TEST_TMPDIR/out")"
    [ "$status" -eq 143 ]
    [ -n "$qemu" ]
    [ ! -e "/proc/$qemu" ]
}

@test "each kind of complaint in a log is found and a clean log passes" {
    local log=$BATS_TEST_TMPDIR/log line
    for line in 'BUG: kernel NULL pointer' 'general protection fault, probably' 'WARNING: CPU: 0' \
        'Oops: 0002 [#1]' 'Kernel panic - not syncing' 'watchdog: soft lockup - CPU#0'; do
        printf 'before\n[ 1.0] %s\nafter\n' "$line" >"$log"
        run tests/guest/check-log "$log"
        [ "$status" -eq 1 ]
        [ "$output" = "[ 1.0] $line" ]
    done
    echo 'nvme nvme0: 1/0/1 default/read/poll queues' >"$log"
    tests/guest/check-log "$log"
}

@test "an unknown test, option or number is a usage error and exits 2" {
    local bad
    for bad in no-such-test '--timeout 0 hello' '--smp two hello' '--wrong 1 hello' '--kernel' \
        '--kernel /nonexistent hello' ''; do
        # shellcheck disable=SC2086  # the words of a command line
        run tests/guest/run $bad
        [ "$status" -eq 2 ]
        [[ ${lines[0]} = "guest: "* ]]
    done
}

@test "packing the same content twice gives the same file" {
    export BUILD=$BATS_TEST_TMPDIR
    local first second
    first=$(tests/guest/pack)
    mv "$first" "$BUILD/first"
    second=$(tests/guest/pack)
    [ "$first" = "$second" ]
    cmp "$BUILD/first" "$second"
}
