# SPDX-License-Identifier: MIT
# kpatch/check: a verdict per patch on trees with and without the fixes, and what is no tree.
# shellcheck disable=SC2154,SC2086  # run sets status and output; lists of patches
load kpatch

@test "on the base every patch applies and check exits 0" {
    tree t
    tool check 0 "made on linux-source-6.12 6.12.95-1" t
    verdicts applies applies applies applies applies applies applies
    [[ $output = *"0005-test.patch (test): applies"* ]]
    [[ $output = *"7 apply, 0 already there, 0 in conflict"* ]]
}

@test "fixes that a later stable has are there, each alone and both, and the rest applies" {
    tree one 0001-a.patch
    tool check 0 "" one
    verdicts there applies applies applies applies applies applies
    tree both $fixes
    tool check 0 "" both
    verdicts there there applies applies applies applies applies
}

@test "the second fix without the first is there, and what its lines hide is told" {
    tree t
    sed -i '20a hook of b' t/kernel/core.c
    tool check 1 "0002-b.patch (fix): conflicts: kernel/core.c:" t
    [[ $output = *"To do: "* ]]
}

@test "fixes that the clock took out again are there in a patched tree" {
    tree t $default
    tool check 0 "3 apply, 4 already there, 0 in conflict" t
    verdicts there there there there applies applies applies
    tree all $default 0005-test.patch 0006-debug.patch 0007-skip.patch
    tool check 0 "0 apply, 7 already there" all
}

@test "lines that moved still apply" {
    tree t
    sed -i '1i one more\nand another' t/block/blk-mq.c t/kernel/core.c t/block/blk-core.c
    tool check 0 "7 apply" t
}

@test "lines that differ conflict, with file and line, without fuzz" {
    tree t
    sed -i '12s/.*/edited/' t/block/blk-mq.c
    tool check 1 "0004-convert.patch: conflicts: block/blk-mq.c:7: other lines than in the base" t
    verdicts applies applies applies conflicts applies applies applies
    [[ $output = *"6 apply, 0 already there, 1 in conflict"* ]]
}

@test "a file that is missing and a new file that exists otherwise conflict by name" {
    tree t
    rm t/block/blk-mq.c
    echo other >t/block/test.c
    tool check 1 "0004-convert.patch: conflicts: block/blk-mq.c:1: not in this tree" t
    [[ $output = *"0005-test.patch (test): conflicts: block/test.c:1: in the way of a new file"* ]]
    rm t/block/test.c
    mkdir t/block/test.c
    tool check 1 "block/test.c:1: in the way of a new file" t
}

@test "a patch that is there in part conflicts and the part is named" {
    tree t
    sed -i '30a the clock' t/block/blk-core.c
    tool check 1 "0003-clock.patch: conflicts: block/blk-core.c:28: other lines" t
    [[ $output = *"(but the part in block/blk-core.c is there)"* ]]
}

@test "check writes nothing, neither into a plain tree nor into git's folder" {
    local t before
    tree plain 0001-a.patch
    repository git
    touch git/block/blk-mq.c   # git's index could be refreshed
    for t in plain git; do
        before=$(state $t all)
        tool check 0 "" $t
        [ "$(state $t all)" = "$before" ]
    done
}

@test "a tree inside another repository, with git's variables set, is judged by itself" {
    git init -q outer
    cd outer
    tree t $fixes
    export GIT_DIR=$PWD/.git GIT_WORK_TREE=$PWD
    tool check 0 "5 apply, 2 already there" t
    TMPDIR=$PWD tool check 0 "5 apply, 2 already there" t
}

@test "settings of git that mend white space do not help a patch along" {
    tree t
    sed -i '12s/line/line\t/' t/block/blk-mq.c
    printf '[apply]\n\tignoreWhitespace = change\n\twhitespace = fix\n' >config
    GIT_CONFIG_GLOBAL=$dir/config tool check 1 "conflicts: block/blk-mq.c:7" t
}

@test "a name with spaces and a leading dash, and a link to the tree, are no trouble" {
    tree 'a b'
    tool check 0 "7 apply" 'a b'
    mv 'a b' ./-c
    tool check 0 "7 apply" ./-c
    ln -s ./-c link
    tool check 0 "7 apply" link
    cd link
    tool check 0 "7 apply" .
}

@test "changes of the user's own are named, since apply would refuse them" {
    repository t
    echo edit >>t/include/blkdev.h
    tool check 1 "check: $dir/t: apply would refuse it: include/blkdev.h was modified" t
    verdicts applies applies applies applies applies applies applies
}

@test "what is no folder, or none that can be read, exits 2 with one line" {
    tool check 2 "nothere: no such folder" nothere
    echo x >file.tar.xz
    tool check 2 "file.tar.xz: a file, where the folder" file.tar.xz
    tool check 2 "is empty" ''
    tool check 2 "usage: kpatch/check SRC"
    tool check 2 "usage: kpatch/check SRC" a b
    tool check 2 "--fast: no such option" --fast
    ln -s nowhere dangling
    tool check 2 "dangling: no such folder" dangling
}

@test "a folder or a file that this user cannot read exits 2 and is named" {
    [ "$(id -u)" -ne 0 ] || setpriv --reuid 65534 --clear-groups true || skip "cannot become another user"
    tree t
    chmod 000 t/block/blk-mq.c
    chmod 755 "$dir" "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR/test"
    as_nobody() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }
    run --separate-stderr as_nobody "$root/kpatch/check" t
    [ "$status" -eq 2 ]
    [ "$stderr" = "check: $dir/t: block/blk-mq.c: cannot read it: Permission denied" ]
    chmod 000 t
    run --separate-stderr as_nobody "$root/kpatch/check" t
    chmod 755 t
    [ "$status" -eq 2 ]
    [ "$stderr" = "check: t: cannot read it" ]
}

@test "a folder that is no kernel source exits 2 and says what is missing" {
    local text
    mkdir t
    tool check 2 "t: no kernel source: it has no Makefile" t
    for text in '' 'all:' 'VERSION = six' $'VERSION = 6\nPATCHLEVEL = 12' \
        $'VERSION = 6\nPATCHLEVEL = 012\nSUBLEVEL = 1' $'VERSION = 6\nPATCHLEVEL = 12/..\nSUBLEVEL = 1' \
        'include /usr/src/linux/Makefile'; do
        echo "$text" >t/Makefile
        tool check 2 "t: no kernel source: its Makefile names no version" t
    done
    head -c 100000 /dev/urandom >t/Makefile
    tool check 2 "names no version" t
    cp "$pristine/Makefile" t/Makefile
    tool check 2 "t: no kernel source: it has no block/blk-core.c" t
    rm t/Makefile
    mkfifo t/Makefile
    tool check 2 "no Makefile" t
}

@test "a version without a series exits 3 and says what that kernel has and what to use" {
    local version part
    tree t
    while IFS=: read -r version part; do
        sed -i "1s/.*/VERSION = ${version%.*}/; 2s/.*/PATCHLEVEL = ${version#*.}/" t/Makefile
        tool check 3 "no series for Linux $version: $part" t
        tool apply 3 "no series for Linux $version: $part" t
    done <<'END'
4.19:it has no NVMe passthrough through io_uring
5.18:it has no NVMe passthrough through io_uring
5.19:statistics tax passthrough there as on 6.1
6.0:statistics tax passthrough there as on 6.1
6.6:statistics tax passthrough there as on 6.1
6.7:statistics tax passthrough there as on 6.1
6.8:passthrough is not charged
6.9:it has upstream's blk_time_get_ns()
6.13:it has upstream's blk_time_get_ns()
7.2:it has upstream's blk_time_get_ns()
7.4:it is newer than this tool
10.0:it is newer than this tool
END
}

@test "a series that names what is not there is an error that names it" {
    tree t
    cp -r "$PLUGCLOCK_KPATCH_SERIES" series
    export PLUGCLOCK_KPATCH_SERIES=series
    echo 0008-gone.patch >>series/6.12/series
    tool check 1 "0008-gone.patch: no such file" t
    sed -i 's/^0008.*/0007-skip.patch nice/' series/6.12/series
    tool check 1 "0007-skip.patch: nice: no such kind" t
}

@test "the usage text is printed with --help" {
    local name
    for name in check apply undo; do
        tool $name 0 "kpatch/$name" --help
        [[ $output = *"Exit status: 0 "* ]]
    done
}
