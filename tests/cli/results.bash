# SPDX-License-Identifier: MIT
# Saved results for the tests of compare, merge and plot: real ones, with known figures put in.
# shellcheck shell=bash

# One of each kind for all tests of a file.
setup_file() {
    local ngbench
    ngbench=$(cd "$BATS_TEST_DIRNAME/../.." && realpath "${BUILD:-build}/ngbench")
    timeout 60 "$ngbench" --engine null -r2 --json "$BATS_FILE_TMPDIR/plain.json" >/dev/null
    timeout 60 "$ngbench" --engine null --ab lat=off:clock:cached -r1 --rounds 4 \
        --json "$BATS_FILE_TMPDIR/ab.json" >/dev/null
}

# plain FILE [FILTER], ab FILE [FILTER]: a valid result, changed by jq.
plain() {
    jq '.arms[0] += {iops_mean: 1000000, iops_seconds: [1000000, 1010000, 990000, 1000000]}'"${2:+|$2}" \
        "$BATS_FILE_TMPDIR/plain.json" >"$1"
}
ab() {
    jq '(.arms[0] += {iops_mean: 1000000, iops_rounds: [1000000, 1010000, 990000, 1000000]})
        | (.arms[1] += {iops_mean: 500000, iops_rounds: [500000, 505000, 495000, 500000]})
        | (.arms[2] += {iops_mean: 950000, iops_rounds: [950000, 959500, 940500, 950000]})'"${2:+|$2}" \
        "$BATS_FILE_TMPDIR/ab.json" >"$1"
}
