# SPDX-License-Identifier: MIT
# What tests/guest/fetch-kernel answers from its cache, with an apt that reaches nothing.

setup() {
    fetch=$BATS_TEST_DIRNAME/fetch-kernel
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache PLUGCLOCK_DEBIAN_MIRROR=http://mirror.invalid/debian
    kernels=$XDG_CACHE_HOME/plugclock/kernel
    mkdir -p "$kernels" "$BATS_TEST_TMPDIR/bin"
    mkdir -p "$kernels/linux-image-6.1.0-1-cloud-amd64_6.1.1-1/modules"
    echo kernel | tee "$kernels"/linux-image-6.1.0-1-cloud-amd64_6.1.1-1/{vmlinuz,modules/configfs.ko} >/dev/null
    echo linux-image-6.1.0-1-cloud-amd64_6.1.1-1 >"$kernels/current-6.1"
    printf '#!/bin/sh\necho asked >>%s/asked\necho "E: no network" >&2\nexit 100\n' \
        "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/bin/apt-get"
    chmod +x "$BATS_TEST_TMPDIR/bin/apt-get"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    command -v dpkg-deb >/dev/null || skip "no dpkg-deb here"
    [ -r /usr/share/keyrings/debian-archive-keyring.gpg ] || skip "no keyring of Debian here"
}

@test "a kernel looked up today is answered without asking the archive" {
    run "$fetch" 6.1
    [ "$status" -eq 0 ]
    [ "$output" = "$kernels/linux-image-6.1.0-1-cloud-amd64_6.1.1-1/vmlinuz" ]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "an older answer without a network serves the cached kernel, says so, and is not retried at once" {
    touch -d '2 days ago' "$kernels/current-6.1"
    run "$fetch" 6.1
    [ "$status" -eq 0 ]
    [[ ${lines[0]} = *"does not answer: using the cached linux-image-6.1.0-1"* ]]
    [ "${lines[1]}" = "$kernels/linux-image-6.1.0-1-cloud-amd64_6.1.1-1/vmlinuz" ]
    rm "$BATS_TEST_TMPDIR/asked"
    "$fetch" 6.1
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "a cached kernel that is empty is not trusted and exits 3" {
    : >"$kernels/linux-image-6.1.0-1-cloud-amd64_6.1.1-1/vmlinuz"
    run "$fetch" 6.1
    [ "$status" -eq 3 ]
    [[ $output = *"no cloud kernel of series 6.1 is cached" ]]
}

@test "what a killed run left behind is removed" {
    mkdir "$kernels/.tmp.dead"
    run "$fetch" 6.12
    [ "$status" -eq 3 ]
    [ ! -e "$kernels/.tmp.dead" ]
}

@test "two runs at once wait for each other and give the same answer" {
    touch -d '2 days ago' "$kernels/current-6.1"
    "$fetch" 6.1 >"$BATS_TEST_TMPDIR/one" 2>&1 3>&- &
    "$fetch" 6.1 >"$BATS_TEST_TMPDIR/two" 2>&1 3>&-
    wait $!
    [ "$(tail -n1 "$BATS_TEST_TMPDIR/one")" = "$(tail -n1 "$BATS_TEST_TMPDIR/two")" ]
    [ "$(wc -l <"$BATS_TEST_TMPDIR/asked")" -eq 1 ]
}

@test "no Debian archive in the settings exits 3 and names the way out" {
    unset PLUGCLOCK_DEBIAN_MIRROR
    run "$fetch" 7.3
    [ "$status" -eq 3 ]
    [[ $output = *PLUGCLOCK_DEBIAN_MIRROR* ]]
}

@test "a wrong series is a usage error and exits 2" {
    local bad
    for bad in '' 6 six.one '6.1 7.3'; do
        # shellcheck disable=SC2086  # the words of a command line
        run "$fetch" $bad
        [ "$status" -eq 2 ]
    done
}
