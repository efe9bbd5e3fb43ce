# SPDX-License-Identifier: MIT
# tests/deps on machines that lack something, made of links and stand-ins in one folder.
# shellcheck disable=SC2016  # the stand-ins expand their own variables

setup() {
    deps=$BATS_TEST_DIRNAME/../deps
    bin=$BATS_TEST_TMPDIR/bin
    export PLUGCLOCK_OS_RELEASE=$BATS_TEST_TMPDIR/os-release APT_LOG=$BATS_TEST_TMPDIR/apt
    mkdir "$bin"
    for tool in bash env mktemp cat rm ln \
        $(sed -nE 's/^(build|check); (cmd|static) ([^ ;]+);.*/\3/p' "$deps"); do
        ln -s "$(type -P "$tool")" "$bin/$tool"
    done
    machine fedora
    user 1000
    # Keeps its arguments, and runs $APT_DOES on an install.
    stand_in apt-get 'echo "$DEBIAN_FRONTEND $*" >>"$APT_LOG"' \
        'case $* in *install*) eval "$APT_DOES" ;; esac'
}

stand_in() {
    { echo '#!/bin/sh'; printf '%s\n' "${@:2}"; } >"$bin/$1"
    chmod +x "$bin/$1"
}
machine() { printf 'ID=%s\nID_LIKE="%s"\n' "$1" "${2:-}" >"$PLUGCLOCK_OS_RELEASE"; }
user() { stand_in id "echo $1"; }
deps() { PATH=$bin run "$bin/bash" "$deps" "$@"; }

@test "all there is silent and exits 0" {
    deps
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -e "$APT_LOG" ]
}

@test "a missing tool is named with the packages of three systems and exits 3" {
    rm "$bin/jq" "$bin/clang-tidy" "$bin/clang-format"
    deps
    [ "$status" -eq 3 ]
    [ "${lines[0]}" = "deps: missing: jq, clang-format, clang-tidy" ]
    [ "${lines[2]}" = "  Debian  apt-get install --no-install-recommends jq clang-format clang-tidy" ]
    [ "${lines[3]}" = "  Fedora  dnf install jq clang-tools-extra" ]
    [ "${lines[4]}" = "  Arch    pacman -S --needed jq clang" ]
    [ ${#lines[@]} -eq 5 ]
}

@test "a library that is missing or too old is named and exits 3" {
    export PKG_CONFIG_LIBDIR=$BATS_TEST_TMPDIR/pc
    mkdir "$PKG_CONFIG_LIBDIR"
    local name
    for name in liburing:2.2 libnvme:1.3 json-c:0.16 gsl:2.7; do
        printf 'Name: x\nDescription: x\nVersion: %s\n' "${name#*:}" >"$PKG_CONFIG_LIBDIR/${name%:*}.pc"
    done
    deps
    [ "$status" -eq 3 ]
    [ "${lines[0]}" = "deps: missing: liburing >= 2.3, cmocka, libuv, benchmark >= 1.7" ]
    [ "${lines[3]}" = "  Fedora  dnf install liburing-devel libcmocka-devel libuv-devel google-benchmark-devel" ]
}

@test "a busybox that needs libraries is missing and exits 3" {
    ln -sf "$(type -P ls)" "$bin/busybox"
    deps
    [ "$status" -eq 3 ]
    [ "${lines[0]}" = "deps: missing: static busybox" ]
}

@test "the build alone does not ask for what only the tests need and exits 0" {
    rm "$bin/bats" "$bin/shellcheck"
    deps build
    [ "$status" -eq 0 ]
    rm "$bin/cpio"
    deps build
    [ "$status" -eq 3 ]
    [ "${lines[0]}" = "deps: missing: cpio" ]
}

@test "only kernel builds ask for what they alone need, beside all the rest, and exit 3" {
    rm "$bin/jq"
    local tool
    while IFS= read -r tool; do
        [ "$tool" = bison ] || ln -sf "$(type -P bash)" "$bin/$tool"
    done < <(sed -nE 's/^kernel; cmd ([^ ;]+);.*/\1/p' "$deps")
    deps kernel
    [ "$status" -eq 3 ]
    [ "${lines[0]}" = "deps: missing: jq, bison" ]
    rm -f "$bin/flex"
    deps check
    [ "${lines[0]}" = "deps: missing: jq" ]
}

@test "a user on Debian who is not root gets the list, installs nothing and exits 3" {
    machine debian
    rm "$bin/jq"
    deps
    [ "$status" -eq 3 ]
    [ "${lines[0]}" = "deps: missing: jq" ]
    [ ! -e "$APT_LOG" ]
}

@test "root on a derivative of Debian installs just what is missing and exits 0" {
    machine ubuntu debian
    user 0
    rm "$bin/jq" "$bin/cpio"
    export APT_DOES='ln -s bash "$(dirname "$0")/jq"; ln -s bash "$(dirname "$0")/cpio"'
    ln -s "$(type -P dirname)" "$bin/dirname"
    deps
    [ "$status" -eq 0 ]
    [ "$output" = "deps: installing cpio jq" ]
    run cat "$APT_LOG"
    [[ ${lines[0]} = "noninteractive "*" update" ]]
    [[ ${lines[1]} = "noninteractive "*" install -y --no-install-recommends cpio jq" ]]
    [ ${#lines[@]} -eq 2 ]
}

@test "an installation that fails shows its log and exits 1" {
    machine debian
    user 0
    rm "$bin/jq"
    APT_DOES='echo E: no such package; exit 100' deps
    [ "$status" -eq 1 ]
    [[ $output = *"E: no such package"*"exit status 100"* ]]
}

@test "what is still missing after an installation is listed and exits 3" {
    machine debian
    user 0
    rm "$bin/jq"
    APT_DOES=: deps
    [ "$status" -eq 3 ]
    [ "${lines[1]}" = "deps: missing: jq" ]
}

@test "an unknown set is a usage error and exits 2" {
    deps everything
    [ "$status" -eq 2 ]
    deps build check
    [ "$status" -eq 2 ]
}
