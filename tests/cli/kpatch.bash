# SPDX-License-Identifier: MIT
# What the tests of kpatch/check, apply and undo share: a tree of a few files and a series
# of seven patches on it, in which the clock takes out again what two fixes brought.
# shellcheck shell=bash disable=SC2034,SC2154  # run sets status, output, stderr
bats_require_minimum_version 1.5.0

fixes='0001-a.patch 0002-b.patch'
core='0003-clock.patch 0004-convert.patch'
default="$fixes $core"

setup_file() {
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
    export PLUGCLOCK_KPATCH_SERIES=$BATS_FILE_TMPDIR/series
    series=$PLUGCLOCK_KPATCH_SERIES/6.12 pristine=$BATS_FILE_TMPDIR/pristine
    export series pristine
    mkdir -p "$series" "$BATS_FILE_TMPDIR/work/"{block,kernel,include}
    cd "$BATS_FILE_TMPDIR/work" || return
    printf 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 95\nEXTRAVERSION =\nNAME = Mini\n' >Makefile
    local file
    for file in block/blk-core.c block/blk-mq.c block/Makefile kernel/core.c include/blkdev.h; do
        seq -f "$file line %g" 60 >"$file"
    done
    chmod 755 block/Makefile   # a mode to be kept
    cp -a . "$pristine"
    echo 'linux-source-6.12 6.12.95-1' >"$series/base"
    printf '%s\n' '# kinds: see kpatch/common.sh' '' '0001-a.patch fix' '0002-b.patch   fix # upstream' \
        0003-clock.patch 0004-convert.patch '0005-test.patch test' '0006-debug.patch debug' \
        '0007-skip.patch optional' >"$series/series"
    git init -q && git add -A && git commit -q -m base || return
    sed -i '20a hook of a' kernel/core.c && patch_file 0001-a.patch
    sed -i '21a hook of b' kernel/core.c && patch_file 0002-b.patch
    sed -i '/^hook of/d; 19s/.*/no hook/' kernel/core.c
    sed -i '30a the clock' block/blk-core.c && patch_file 0003-clock.patch
    sed -i '10s/.*/converted/' block/blk-mq.c && patch_file 0004-convert.patch
    sed -i '10a the test' block/Makefile && seq 5 >block/test.c && patch_file 0005-test.patch
    mkdir block/debug && seq 9 >block/debug/ktime.c
    sed -i '50a the switch' block/Makefile block/blk-core.c && patch_file 0006-debug.patch
    sed -i '40s/.*/skipped/' block/blk-mq.c && patch_file 0007-skip.patch
}

# patch_file NAME: what changed since the last one, as git format-patch writes it
patch_file() {
    git add -A && git commit -q -m "$1" && git format-patch -q --stdout -1 >"$series/$1"
}

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    dir=$BATS_TEST_TMPDIR
    cd "$dir" || return
}

# tree NAME [PATCH...]: a plain tree with these patches in it
tree() {
    local name=$1
    shift
    cp -a "$pristine" "$name"
    put_in "$name" "$@"
}
# put_in TREE [PATCH...]
put_in() {
    local name=$1 patch
    shift
    for patch in "$@"; do
        (cd "$name" && GIT_CEILING_DIRECTORIES=$PWD/.. git apply "$series/$patch") || return
    done
}
# repository NAME [PATCH...]: the same as a git tree, all committed
repository() {
    tree "$@"
    git -C "$1" init -q && git -C "$1" add -A && git -C "$1" commit -q -m 'mini'
}

# state TREE: every name, type, mode, link and contents; without .git unless there is a
# second argument, and then with times.
state() {
    local skip=(-name .git -prune -o) times=''
    [ $# -eq 1 ] || skip=() times=' %T@'
    (cd "$1" && find . "${skip[@]}" -printf "%P %y %m %l$times\n" | sort &&
        find . "${skip[@]}" -type f -print0 | sort -z | xargs -0 sha256sum) | sha256sum
}

# tool NAME STATUS PART ARGUMENTS...: runs kpatch/NAME; that status, and PART in what it
# says; a refusal or a failure is one line on stderr.
tool() {
    local name=$1 want=$2 part=$3
    shift 3
    run --separate-stderr timeout -k 5 60 "$root/kpatch/$name" "$@"
    if [ "$status" -ne "$want" ] || [[ $output$'\n'$stderr != *"$part"* ]] ||
        { [ "$want" -gt 1 ] && { [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ]; }; }; then
        printf '%s %s\nstatus %s, wanted %s with "%s"\nstdout: %s\nstderr: %s\n' \
            "$name" "$*" "$status" "$want" "$part" "$output" "$stderr"
        return 1
    fi
}

# verdicts WORD...: what check said of the patches in turn: applies, there or conflicts
verdicts() {
    local said
    said=$(sed -nE 's/^[0-9]{4}-[^:]*: (already )?([a-z]+).*/\2/p' <<<"$output" | xargs)
    [ "$said" = "$*" ] || { printf 'said    %s\nwanted  %s\n%s\n' "$said" "$*" "$output"; return 1; }
}

# same ONE OTHER: two trees are alike, git and the record aside
same() { diff -r --no-dereference -x .git -x .plugclock "$1" "$2"; }
