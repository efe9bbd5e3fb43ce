# SPDX-License-Identifier: MIT
# tests/kernel/tree and build: what they refuse, and what they never touch. The kernels that
# build makes are tested in the other files.
bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    export LC_ALL=C
}

# Prints Debian's source of 6.1; skips where there is none to be had.
source_tree() {
    run --separate-stderr tests/kernel/fetch-source 6.1
    # shellcheck disable=SC2154  # run sets it
    [ "$status" -ne 3 ] || skip "${stderr_lines[-1]}"
    [ "$status" -eq 0 ]
    source=$output
}

@test "a tree has the whole series, and the source it is linked to stays as it was" {
    source_tree
    local before tree file
    before=$(sha256sum "$source"/block/*.[ch] "$source"/include/linux/blk*.h)
    tree=$(tests/kernel/tree 6.1 all)
    [ "$tree" = "$(tests/kernel/tree 6.1)" ]
    [ "$before" = "$(sha256sum "$source"/block/*.[ch] "$source"/include/linux/blk*.h)" ]
    [ ! -e "$source/.plugclock" ]
    # What differs is what the patches touch.
    while read -r file; do
        if cmp "$source/$file" "$tree/$file"; then return 1; fi
    done < <(sed -nE 's#^\+\+\+ b/##p' kpatch/6.1/*.patch | sort -u)
    diff -qr "$source/block" "$tree/block" | sed -E 's#: #/#; s# differ$##; s#.* ##' |
        while read -r file; do grep -q "^+++ b/${file#"$tree/"}\$" kpatch/6.1/*.patch; done
}

@test "a tree without patches is the source" {
    source_tree
    local tree
    tree=$(tests/kernel/tree 6.1 none)
    diff -qr "$source/block" "$tree/block"
}

@test "a patch that does not apply is an error that names it, and leaves no tree" {
    source_tree
    local before
    printf '%s\n' '--- a/block/bio.c' '+++ b/block/bio.c' '@@ -1,1 +1,1 @@' '-no such line' '+x' \
        >"$BATS_TEST_TMPDIR/bad.patch"
    before=$(ls "$(dirname "$(tests/kernel/tree 6.1 none)")")
    run tests/kernel/tree --patch "$BATS_TEST_TMPDIR/bad.patch" 6.1 none
    [ "$status" -eq 1 ]
    [[ $output = *"bad.patch does not apply to linux-source-6.1"* ]]
    [ "$before" = "$(ls "$(dirname "$(tests/kernel/tree 6.1 none)")")" ]
}

@test "an option that Kconfig drops fails the build, which names it" {
    source_tree
    printf 'CONFIG_NO_SUCH_THING=y\nCONFIG_BLOCK=n\nCONFIG_IO_URING=y\n' >"$BATS_TEST_TMPDIR/config"
    run tests/kernel/build --config "$BATS_TEST_TMPDIR/config" um-6.1
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output = *"fell off:"*CONFIG_NO_SUCH_THING=y* ]]
    [[ $output != *CONFIG_IO_URING* ]]
    [[ $output = *"all of it is in "* ]]
}

@test "a source that does not compile fails the build, which shows the error" {
    source_tree
    # The kernel's file is the same in the source and with the series.
    sed '1a #error made up' "$source/block/bdev.c" |
        diff -u --label a/block/bdev.c --label b/block/bdev.c "$source/block/bdev.c" - \
            >"$BATS_TEST_TMPDIR/patch" || [ $? -eq 1 ]
    run tests/kernel/build --patch "$BATS_TEST_TMPDIR/patch" um-6.1
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output = *"error made up"* ]]
}

@test "a wrong series, patch, variant or option is a usage error and exits 2" {
    local bad
    for bad in 'tree' 'tree 6' 'tree 6.1 no-such-patch' 'tree --patch /nonexistent 6.1' 'tree 4.4' \
        'build' 'build no-such-variant' 'build --wrong' 'build --patch /nonexistent um-6.1' \
        'build --config' 'reads 4.4'; do
        # shellcheck disable=SC2086  # the words of a command line
        run tests/kernel/$bad
        echo "$bad: $status $output"
        [ "$status" -eq 2 ]
        [[ ${lines[0]} =~ ^(tree|build|reads):\  ]]
    done
}

@test "every variant has its fragments and its patch" {
    local variant
    # shellcheck source=tests/kernel/common.sh disable=SC2034
    . tests/kernel/common.sh
    [ "$(tests/kernel/build --list | wc -l)" -ge 15 ]
    for variant in $(tests/kernel/build --list); do
        open_variant "$variant"
        # shellcheck disable=SC2154  # open_variant sets them
        for name in "${fragments[@]}"; do [ -s "tests/kernel/config/$name.config" ]; done
        [ -z "$extra" ] || [ -s "tests/kernel/patches/$extra.patch" ]
    done
}
