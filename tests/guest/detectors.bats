# SPDX-License-Identifier: MIT
# What each detector of the library sees, on each kernel. The table that each test shows
# is described in tests/guest/matrix; the rules are those of detectors.c.

# The table of one kernel; skips where no guest, or no second CPU, is to be had.
matrix() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    run tests/guest/matrix "$1"
    [ "$status" -ne 3 ] || skip "${lines[0]}"
    printf '# %s\n' "${lines[@]}" >&3
    [ "$status" -eq 0 ]
}

# has DETECTOR REACH [EVENT-PATTERN]: the table's row of that detector
has() {
    grep -qE "^[^ ]+ +$1 +$2 +${3:-}" <<<"$output" || { echo "no row: $*"; return 1; }
}

@test "on this machine no reading survives a switch that its detector claims to see" {
    matrix here
    has none NONE 'dropped'
}

@test "on 6.1 rseq and perf see every switch, and auto is exact" {
    matrix 6.1
    has rseq EXACT 'kept'
    has perf EXACT 'kept'
    has auto EXACT
}

@test "on 6.12 rseq and perf see every switch, and auto is exact" {
    matrix 6.12
    has rseq EXACT 'kept'
    has perf EXACT 'kept'
    has auto EXACT
}

@test "on 7.3 rseq sees user mode alone, perf every switch, and auto is exact" {
    matrix 7.3
    has rseq USER '(kept|kept [0-9/]+) +dropped +kept'
    has unpromised USER 'dropped'
    has perf EXACT 'kept'
    has auto EXACT 'kept'
}
