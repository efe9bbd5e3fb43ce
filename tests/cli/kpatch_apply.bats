# SPDX-License-Identifier: MIT
# kpatch/apply and undo: what they change, what they refuse, and that nothing else changes.
# shellcheck disable=SC2154,SC2086  # run sets status and output; lists of patches
load kpatch

@test "apply gives a plain tree the fixes and the clock, undo takes them back byte for byte" {
    local before
    tree t && tree want $default
    before=$(state t)
    tool apply 0 "4 applied, 0 already there; 3 files changed" t
    [ -z "$stderr" ]
    same t want
    tool undo 0 "as it was before apply" t
    [ "$(state t)" = "$before" ]
}

@test "apply gives a git tree the same, git sees just that, and its own folder keeps the record" {
    repository t && tree want $default
    tool apply 0 "git -C $dir/t diff" t
    same t want
    [ "$(git -C t status --porcelain | xargs)" = "M block/blk-core.c M block/blk-mq.c M kernel/core.c" ]
    [ "$(git -C t log --oneline | wc -l)" -eq 1 ]
    tool undo 0 "" t
    [ -z "$(git -C t status --porcelain)" ]
    [ ! -e t/.git/plugclock ]
}

@test "kinds are left out unless asked for, by name, by more than one name and all" {
    tree one && tree two && tree all
    tool apply 0 "" --with test one
    tree want1 $default 0005-test.patch && same one want1
    tool apply 0 "" --with=optional --with debug two
    tree want2 $default 0006-debug.patch 0007-skip.patch && same two want2
    tool apply 0 "" --all -- all
    tree want3 $default 0005-test.patch 0006-debug.patch 0007-skip.patch && same all want3
    tool apply 2 "--with fast: must be test, debug, optional" --with fast all
    tool apply 2 "--with: needs a value" --with
    tool apply 2 "--fast: no such option" --fast all
    tool apply 2 "usage: kpatch/apply" all one
    tool undo 2 "usage: kpatch/undo"
}

@test "apply twice says already there, changes nothing and exits 0, in both sorts of tree" {
    local t before
    tree plain && repository git
    for t in plain git; do
        tool apply 0 "" $t
        before=$(state $t all)
        tool apply 0 "already there, nothing was changed" $t
        [ "$(state $t all)" = "$before" ]
    done
}

@test "a patched tree that is committed or was patched by hand is already there, too" {
    repository t $default
    tool apply 0 "already there, nothing was changed" t
    repository u
    put_in u $default
    tool apply 0 "already there, nothing was changed" u
    tool undo 0 "nothing to undo" u
}

@test "fixes that were there before stay when the series is undone" {
    local before
    tree t 0001-a.patch
    before=$(state t)
    tool apply 0 "3 applied, 1 already there" t
    tree want $default && same t want
    tool undo 0 "" t
    [ "$(state t)" = "$before" ]
}

@test "undo with nothing to undo, and a second time, says so and exits 0" {
    tree t
    tool undo 0 "$dir/t: nothing to undo" t
    tool apply 0 "" t
    tool undo 0 "as it was" t
    tool undo 0 "nothing to undo" t
    [ ! -e t/.plugclock ]
}

@test "more kinds may be applied later, and undo takes all of it back" {
    local t before
    tree plain && repository git
    for t in plain git; do
        before=$(state $t)
        tool apply 0 "" $t
        tool apply 0 "2 applied, 4 already there; 4 files changed" --with debug --with test $t
        tree want-$t $default 0005-test.patch 0006-debug.patch
        same $t want-$t
        tool undo 0 "" $t
        [ "$(state $t)" = "$before" ]
    done
}

@test "undo refuses after an edit, names the file and changes nothing" {
    local before
    tree t
    tool apply 0 "" --with test t
    echo edit >>t/block/blk-mq.c
    before=$(state t all)
    tool undo 1 "undo: $dir/t: block/blk-mq.c was edited since apply: nothing was changed" t
    [ "$(state t all)" = "$before" ]
    echo edit >t/block/test.c
    tool undo 1 "block/blk-mq.c, block/test.c were edited" t
}

@test "undo after all or part was put back by hand does the rest" {
    local before
    repository t
    before=$(state t)
    tool apply 0 "" --with test t
    git -C t checkout -q -- block
    tool undo 0 "" t
    [ "$(state t)" = "$before" ]
}

@test "an edit since the last apply keeps a plain tree from more, since undo would be lost" {
    tree t
    tool apply 0 "" t
    echo edit >>t/block/blk-mq.c
    tool apply 1 "block/blk-mq.c was edited since the last apply: nothing was changed" --with test t
    [ ! -e t/block/test.c ]
}

@test "a git tree that moved on after a commit may get more, and undo then takes back that" {
    local before
    repository t
    tool apply 0 "" t
    git -C t commit -q -a -m clock
    echo more >>t/block/blk-mq.c
    git -C t commit -q -a -m more
    before=$(state t)
    tool apply 0 "1 applied, 4 already there" --with test t
    tool undo 0 "" t
    [ "$(state t)" = "$before" ]
}

@test "a conflict changes nothing, though other patches would apply" {
    local t before
    tree plain && repository git
    for t in plain git; do
        sed -i '12s/.*/edited/' $t/block/blk-mq.c
        [ $t = plain ] || git -C $t commit -q -a -m edit
        before=$(state $t all)
        tool apply 1 "0004-convert.patch: conflicts: block/blk-mq.c:7" $t
        [[ $stderr = "apply: $dir/$t: nothing was changed: patches in conflict: 1" ]]
        [ "$(state $t all)" = "$before" ]
    done
}

@test "a git tree with changes, staged ones, or in an am or merge is refused and not changed" {
    local before name
    repository t
    echo edit >>t/include/blkdev.h
    before=$(state t all)
    tool apply 1 "nothing was changed: include/blkdev.h was modified: commit or stash that" t
    [ "$(state t all)" = "$before" ]
    git -C t add include/blkdev.h
    tool apply 1 "include/blkdev.h was modified" t
    git -C t reset -q --hard
    for name in rebase-apply MERGE_HEAD; do
        touch t/.git/$name
        tool apply 1 "git is in the middle of something ($name)" t
        rm t/.git/$name
    done
    echo built >t/block/blk-core.o   # not git's
    tool apply 0 "" t
}

@test "an am that stopped at a conflict is refused" {
    repository t
    sed -i '12s/.*/edited/' t/block/blk-mq.c
    git -C t commit -q -a -m edit
    run git -C t am "$series/0004-convert.patch"
    [ "$status" -ne 0 ]
    tool apply 1 "git is in the middle of something (rebase-apply)" t
}

@test "a plain tree with leftovers of patch beside a touched file is refused, a configured one not" {
    tree t
    touch t/block/blk-mq.c.rej t/kernel/core.c.orig
    tool apply 1 "block/blk-mq.c.rej, kernel/core.c.orig were left by a patch" t
    rm t/block/blk-mq.c.rej t/kernel/core.c.orig
    touch t/.config t/include/config.h t/include/blkdev.h.orig
    tool apply 0 "" t
}

@test "a plain tree inside another repository keeps out of it and is hidden from it" {
    git init -q outer
    cd outer
    echo t-x >.gitignore && tree t && git add .gitignore && git commit -q -m outer
    rm -rf .git/info
    tool apply 0 "less $dir/outer/t/.plugclock/1/diff" t
    [ "$(git status --porcelain -uall | grep -c plugclock)" -eq 0 ]
    [ ! -e .git/plugclock ]
}

@test "a tree that an outer repository tracks is judged by that repository" {
    git init -q outer
    cd outer
    tree 'sub t' && git add -A && git commit -q -m outer
    echo edit >>'sub t/include/blkdev.h'
    tool apply 1 "include/blkdev.h was modified" 'sub t'
    git checkout -q .
    tool apply 0 "" 'sub t'
    tool apply 0 "1 applied" --with test 'sub t'
    tool undo 0 "" 'sub t'
    [ -z "$(git status --porcelain)" ]
}

@test "a linked worktree has a record of its own" {
    repository t
    git -C t worktree add -q ../w
    tool apply 0 "" w
    [ -d t/.git/worktrees/w/plugclock ]
    tool undo 0 "nothing to undo" t
    tool undo 0 "as it was" w
    [ -z "$(git -C w status --porcelain)" ]
}

@test "the original of a hard-linked copy is untouched, links and all" {
    local before
    tree t
    before=$(state t all)
    cp -al t copy
    tool apply 0 "" --all copy
    [ "$(state t all)" = "$before" ]
    tool undo 0 "" copy
    [ "$(state t all)" = "$before" ]
    [ "$(state copy)" = "$(state t)" ]
}

@test "a hard-linked copy of a patched tree stays patched when the tree is undone" {
    local before
    tree t
    tool apply 0 "" --all t
    cp -al t copy
    before=$(state copy)
    tool undo 0 "" t
    [ "$(state copy)" = "$before" ]
}

@test "a file that is a link is replaced, what it points to stays, and undo makes it a link again" {
    local before
    tree t && tree real
    rm t/kernel/core.c
    ln -s ../../real/kernel/core.c t/kernel/core.c
    before=$(state t)
    tool apply 0 "" t
    [ -f t/kernel/core.c ] && [ ! -L t/kernel/core.c ]
    same real "$pristine"
    tool undo 0 "" t
    [ "$(state t)" = "$before" ]
}

@test "a folder that is a link is refused, since its files are others' too" {
    tree t && tree real
    rm -r t/kernel
    ln -s ../real/kernel t/kernel
    tool apply 1 "kernel is a link to a folder: nothing was changed" t
    same real "$pristine"
    [ ! -e t/.plugclock ]
}

@test "modes are kept, and what undo puts back is new to make" {
    tree t
    chmod 640 t/block/blk-mq.c
    chmod 444 t/kernel/core.c
    touch -d '2001-01-01' t/kernel/core.c
    tool apply 0 "" --with test t
    [ "$(stat -c %a t/block/Makefile t/block/blk-mq.c t/kernel/core.c | xargs)" = "755 640 444" ]
    touch -d '1 hour ago' mark
    tool undo 0 "" t
    [ "$(stat -c %a t/block/Makefile t/block/blk-mq.c t/kernel/core.c | xargs)" = "755 640 444" ]
    [ t/kernel/core.c -nt mark ]
}

@test "folders that apply made go with undo, unless something else is in them" {
    tree t
    tool apply 0 "" --with debug t
    tool undo 0 "" t
    [ ! -e t/block/debug ]
    tool apply 0 "" --with debug t
    touch t/block/debug/mine
    tool undo 0 "" t
    [ "$(ls t/block/debug)" = mine ]
}

@test "names with spaces, relative ones and links to the tree work" {
    tree 'a b'
    ln -s 'a b' link
    tool apply 0 "$dir/a b: 4 applied" link
    cd 'a b'
    tool undo 0 "" .
    same . "$pristine"
}
