# SPDX-License-Identifier: MIT
# What the tests of the command line share. A run that should end has a timeout.
# shellcheck shell=bash disable=SC2034,SC2154  # run sets status, output, stderr
bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "${BATS_TEST_DIRNAME%/long}/../.." && pwd)
    ngbench=$(cd "$root" && realpath "${BUILD:-build}/ngbench")
    # Of its own, and open to all: tests run as another user, too.
    dir=$(mktemp -d -t ngbench.XXXXXX)
    chmod 755 "$dir"
    cd "$dir" || return
    truncate -s 1M file
}

teardown() {
    cd / && rm -rf "$dir"
}

# run with stderr apart; no test may hang, and SIGTERM is for ngbench to handle.
ng() {
    run --separate-stderr timeout -k 5 60 "$ngbench" "$@"
}

# refused STATUS PART ARGUMENTS...: that status, one line on stderr that holds PART,
# and nothing on stdout.
refused() {
    local want=$1 part=$2
    shift 2
    ng "$@"
    if [ "$status" -ne "$want" ] || [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] ||
        [[ $stderr != "ngbench: "*"$part"* ]]; then
        printf 'ngbench %s\nstatus %s, wanted %s with "%s"\nstdout: %s\nstderr: %s\n' \
            "$*" "$status" "$want" "$part" "$output" "$stderr"
        return 1
    fi
}

# Status 0 and nothing on stderr.
good() {
    ng "$@"
    if [ "$status" -ne 0 ] || [ -n "$stderr" ]; then
        printf 'ngbench %s\nstatus %s\nstdout: %s\nstderr: %s\n' "$*" "$status" "$output" "$stderr"
        return 1
    fi
}

# all_good: one command line a line on stdin, all at once, for each takes a second.
all_good() {
    local line i=0 pids=() bad=0
    while read -r line; do
        # shellcheck disable=SC2086  # the words of a command line
        timeout -k 5 60 "$ngbench" $line >"out.$i" 2>"err.$i" 3>&- &
        pids+=($!)
        i=$((i + 1))
    done
    for i in "${!pids[@]}"; do
        if ! wait "${pids[i]}" || [ -s "err.$i" ] || ! grep -q '^Maximum IOPS=' "out.$i"; then
            cat "out.$i" "err.$i"
            bad=1
        fi
    done
    return $bad
}

# as_nobody COMMAND...: without root's rights; a user who has none runs it as it is.
as_nobody() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        "$@"
    fi
}
