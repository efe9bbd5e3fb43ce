# SPDX-License-Identifier: MIT
# tests/kernel/fetch-source with an archive of its own: stand-ins for apt, and a package of a
# few files. What it shares with fetch-kernel is tested in tests/guest/fetch.bats.
# shellcheck disable=SC2154,SC2016  # run sets status and output; stand-ins expand variables

setup() {
    fetch=$BATS_TEST_DIRNAME/../kernel/fetch-source
    dir=$BATS_TEST_TMPDIR
    command -v dpkg-deb >/dev/null || skip "no dpkg-deb here"
    [ -r /usr/share/keyrings/debian-archive-keyring.gpg ] || skip "no keyring of Debian here"
    export XDG_CACHE_HOME=$dir/cache PLUGCLOCK_DEBIAN_MIRROR=http://mirror.invalid/debian
    store=$XDG_CACHE_HOME/plugclock/source
    cd "$dir" || return
    mkdir -p bin "tree/linux-source-6.1/block" package/DEBIAN package/usr/src
    echo 'VERSION = 6' >tree/linux-source-6.1/Makefile
    echo code >tree/linux-source-6.1/block/blk-core.c
    tar -cJf package/usr/src/linux-source-6.1.tar.xz -C tree linux-source-6.1
    printf 'Package: linux-source-6.1\nVersion: 6.1.9-1\nArchitecture: all\nMaintainer: t <t@t>\nDescription: t\n' \
        >package/DEBIAN/control
    dpkg-deb --build package source.deb >/dev/null
    stand_in apt-get 'case $* in
        *update*) echo "Hit:1 here" ;;
        *download*) cp "'"$dir"'/source.deb" linux-source-6.1_6.1.9-1_all.deb ;; esac'
    stand_in apt-cache 'case $* in
        *search*.1\$*) echo "linux-source-6.1 - source" ;;
        *show*) echo "Version: 6.1.9-1" ;; esac'
    PATH=$dir/bin:$PATH
}

stand_in() {
    { echo '#!/bin/sh'; echo "$2"; } >"bin/$1"
    chmod +x "bin/$1"
}

@test "a source is fetched, unpacked and answered by path, and then without asking" {
    run "$fetch" 6.1
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "fetch-source: fetching linux-source-6.1_6.1.9-1" ]
    [ "${lines[1]}" = "$store/linux-source-6.1_6.1.9-1" ]
    diff -r "${lines[1]}" tree/linux-source-6.1
    rm bin/apt-get bin/apt-cache
    run "$fetch" 6.1
    [ "$output" = "$store/linux-source-6.1_6.1.9-1" ]
    [ -z "$(find "$store" -name '.tmp*')" ]
}

@test "a package that is cut short leaves no tree and exits 3, or the cached one serves" {
    head -c 700 source.deb >cut.deb
    mv source.deb whole.deb && mv cut.deb source.deb
    run "$fetch" 6.1
    [ "$status" -eq 3 ]
    [[ $output = *"cannot fetch linux-source-6.1: "*", and no kernel source of series 6.1 is cached" ]]
    [ -z "$(find "$store" -name 'linux-source*' -o -name '.tmp*')" ]
    mkdir "$store/linux-source-6.1_6.1.8-1"
    echo 'VERSION = 6' >"$store/linux-source-6.1_6.1.8-1/Makefile"
    echo linux-source-6.1_6.1.8-1 >"$store/current-6.1"
    touch -d '2 days ago' "$store/current-6.1"
    run "$fetch" 6.1
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "$store/linux-source-6.1_6.1.8-1" ]
}

@test "a series that the archive does not have exits 3, a wrong one 2" {
    local bad
    run "$fetch" 6.12
    [ "$status" -eq 3 ]
    [[ $output = *"the archive has no kernel source 6.12"* ]]
    for bad in '' 6 six.one '6.1 7.3'; do
        # shellcheck disable=SC2086  # the words of a command line
        run "$fetch" $bad
        [ "$status" -eq 2 ]
    done
}
