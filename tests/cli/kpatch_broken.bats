# SPDX-License-Identifier: MIT
# kpatch/apply and undo cut short: killed, interrupted, without space, without permission.
# A run is killed from a stand-in for mv, cp, ln or rm, so that each step is met exactly.
# shellcheck disable=SC2154,SC2086  # run sets status and output; lists of patches
load kpatch

# stand_ins SIGNAL [MORE]: these commands count what they are asked to do, and at the one in
# the file n, and at MORE after it, send the signal to the run in the file pid and do not do
# it; KILL leaves half of what cp copies. TERM and HUP reach only the run, so they do it.
# FAIL sends nothing.
stand_ins() {
    local name
    mkdir -p bin
    for name in mv cp ln rm; do
        cat >"bin/$name" <<END
#!/bin/bash
count=\$((\$(<'$dir/count') + 1))
echo \$count >'$dir/count'
if [ \$count -ge "\$(<'$dir/n')" ] && [ \$count -le \$((\$(<'$dir/n') + ${2:-0})) ]; then
    [ $1 = FAIL ] || kill -$1 "\$(<'$dir/pid')"
    case $1 in
    FAIL) echo "$name: \${*: -1}: no luck" >&2; exit 1 ;;
    INT) kill -INT \$\$ ;;
    KILL)
        [ $name != cp ] || [ ! -f "\${@: -2:1}" ] || head -c 9 "\${@: -2:1}" >"\${@: -1}"
        exit 0
        ;;
    esac
fi
exec '$(type -P $name)' "\$@"
END
        chmod +x "bin/$name"
    done
}

# cut N TOOL ARGUMENTS...: the tool, signalled at its Nth step; sets status and ended, which
# tells whether it ended before
cut() {
    local tool=$2
    echo "$1" >n && echo 0 >count
    shift 2
    # shellcheck disable=SC2016  # the inner shell's
    run --separate-stderr env PATH="$dir/bin:$PATH" bash -c 'echo $$ >"$0"; exec "$@"' \
        "$dir/pid" "$root/kpatch/$tool" "$@"
    ended=no
    [ "$(<count)" -ge "$(<n)" ] || ended=yes
}

# whole TREE OTHER...: each file is as in the pristine tree or an OTHER, or waits beside one
whole() {
    local file other found
    (cd "$1" && find . -name '.plugclock*' -prune -o -name .git -prune -o -type f -print) >files
    while IFS= read -r file; do
        [[ $file != */.*.plugclock ]] || continue
        found=no
        for other in "$pristine" "${@:2}"; do
            ! cmp -s "$1/$file" "$other/$file" || found=yes
        done
        [ $found = yes ] || { echo "$file is neither"; return 1; }
    done <files
}

# Every so many steps; all of them in 'make check-long'.
stride=${PLUGCLOCK_KPATCH_STRIDE:-5}

# killed_apply MAKE FIRST: an apply on such a tree is killed at each step in turn; then undo
# gives the pristine tree, or another apply the full one, which can be undone.
killed_apply() {
    local n
    tree full $default 0005-test.patch
    stand_ins KILL
    for ((n = $2; ; n += stride)); do
        rm -rf t && $1 t
        cut $n apply --with test t
        [ $ended = no ] || break
        [ "$status" -eq 137 ]
        whole t full
        if [ $((n % 2)) -eq 0 ]; then
            tool apply 0 "" --with test t
            same t full
        fi
        tool undo 0 "" t
        same t "$pristine"
        [ ! -e t/.plugclock ] && [ ! -e t/.git/plugclock ]
    done
    [ "$status" -eq 0 ] && [ $n -gt 15 ]
}

@test "a plain tree survives a kill -9 of apply at every step" {
    killed_apply tree 1
}

@test "a git tree survives a kill -9 of apply at every step" {
    killed_apply repository 3
}

@test "a kill -9 of a second apply at every step leaves a way back to the first and before" {
    local n
    tree first $default
    tree full $default 0005-test.patch 0007-skip.patch
    stand_ins KILL
    for ((n = 2; ; n += stride)); do
        rm -rf t && tree t
        tool apply 0 "" t
        cut $n apply --with optional --with test t
        [ $ended = no ] || break
        whole t first full
        if [ $((n % 2)) -eq 0 ]; then
            tool apply 0 "already there, nothing was changed" t
            same t first || same t full
        fi
        tool undo 0 "" t
        same t "$pristine"
    done
    [ $n -gt 15 ]
}

@test "a kill -9 of undo at every step is finished by undo, or by apply before it applies" {
    local n
    tree full $default 0005-test.patch 0007-skip.patch
    stand_ins KILL
    for ((n = 1; ; n += stride > 3 ? 3 : 1)); do
        rm -rf t && tree t
        tool apply 0 "" t
        tool apply 0 "" --with test --with optional t
        cut $n undo t
        [ $ended = no ] || break
        whole t full
        if [ $((n % 2)) -eq 0 ]; then
            tool apply 0 "" --with test --with optional t
            same t full
        fi
        tool undo 0 "" t
        same t "$pristine"
        [ ! -e t/.plugclock ]
    done
    [ $n -gt 8 ]
}

@test "check says of a half-done tree that it was interrupted, and writes nothing" {
    local before
    tree t
    stand_ins KILL
    cut 14 apply --with test t
    [ $ended = no ] && [ -e t/.plugclock/1/begun ]
    before=$(state t all)
    tool check 1 "an apply or undo was interrupted there: kpatch/undo puts it back" t
    [ "$(state t all)" = "$before" ]
}

@test "undo of a killed apply refuses after an edit, names the file and changes nothing" {
    local before
    tree t
    stand_ins KILL
    cut 14 apply --with test t
    [ -e t/.plugclock/1/begun ]
    echo edit >>t/kernel/core.c
    before=$(state t)
    tool undo 1 "kernel/core.c was edited since: nothing was changed" t
    tool apply 1 "kernel/core.c was edited since: nothing was changed" t
    [ "$(state t)" = "$before" ]
}

@test "SIGINT, SIGTERM and SIGHUP at any step put everything back and exit as they should" {
    local n signal before
    tree t
    before=$(state t all)
    for signal in 'INT 130' 'TERM 143' 'HUP 129'; do
        # TERM comes again while things are put back.
        stand_ins ${signal% *} "$([ "$signal" != 'TERM 143' ] || echo 9)"
        for ((n = 1 + ${signal#* } % 3; ; n += stride > 3 ? 3 : 1)); do
            cut $n apply --with test t
            [ $ended = no ] || break
            if [ "$status" -eq 0 ]; then   # after the last step
                tool undo 0 "" t
            fi
            [ "$status" -eq 0 ] || [ "$status" -eq ${signal#* } ]
            same t "$pristine"
            [ ! -e t/.plugclock ]
        done
        [ "$status" -eq 0 ] && [ $n -gt 15 ]
        tool undo 0 "" t
    done
}

@test "a command that fails at any step puts everything back and exits 1 with one line" {
    local n
    tree t
    stand_ins FAIL
    for ((n = 1; ; n += stride > 2 ? 2 : 1)); do
        cut $n apply --with test t
        [ $ended = no ] || break
        if [ "$status" -eq 0 ]; then   # after the last step
            tool undo 0 "" t
        else
            [ "$status" -le 2 ] && [ ${#stderr_lines[@]} -eq 1 ]
        fi
        same t "$pristine"
        [ ! -e t/.plugclock ]
    done
    [ $n -gt 15 ]
}

# apart SCRIPT: run where mounts are its own
apart() {
    local own=-m
    [ "$(id -u)" -eq 0 ] || own=-rm
    unshare $own true 2>/dev/null || skip "no mount namespace for this user"
    run --separate-stderr unshare $own bash -euc "$1"
}

@test "a full disk leaves the tree as it was, at every size, or all of it is applied" {
    local size
    tree full $default 0005-test.patch
    mkdir disk
    for size in 96 112 128 144 160 176 200; do
        apart "mount -t tmpfs -o size=${size}k tmpfs disk
            cp -a '$pristine' disk/t || exit 9
            '$root/kpatch/apply' --with test disk/t >out || {
                [ \$? -eq 1 ] && diff -r disk/t '$pristine' && exit 1; exit 8; }
            diff -r -x .plugclock disk/t full
            head -c 1M /dev/zero >disk/fill || true
            '$root/kpatch/undo' disk/t >out && diff -r disk/t '$pristine'"
        echo "$size $status" >>seen
        [ "$status" -ne 1 ] || [[ $stderr = "apply: "*": nothing was changed: "*"No space left on device" ]]
        [ "$status" -ne 8 ]
    done
    cat seen
    grep -q ' 1$' seen && grep -q '^200 0$' seen
    run grep -vE ' [019]$' seen
    [ "$status" -eq 1 ]
}

@test "a folder that cannot be written leaves all as it was" {
    tree t
    apart "mount --bind t/kernel t/kernel && mount -o remount,ro,bind t/kernel
        '$root/kpatch/apply' t"
    [ "$status" -eq 1 ]
    [[ $stderr = "apply: $dir/t: nothing was changed: "*"kernel/.core.c.plugclock': Read-only file system" ]]
    same t "$pristine"
    [ ! -e t/.plugclock ]
}

@test "a file that cannot be replaced, after others were, leaves all as it was" {
    tree t
    apart "mount --bind t/kernel/core.c t/kernel/core.c
        '$root/kpatch/apply' t"
    [ "$status" -eq 1 ]
    [[ $stderr = "apply: $dir/t: nothing was changed: "*"Device or resource busy" ]]
    same t "$pristine"
    [ ! -e t/.plugclock ]
}

@test "a tree of another user's leaves all as it was and says why" {
    [ "$(id -u)" -eq 0 ] || skip "needs root, to be another user"
    tree t
    chmod 755 "$dir" "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR/test"
    run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups "$root/kpatch/apply" t
    [ "$status" -eq 1 ]
    [[ $stderr = "apply: $dir/t: nothing was changed: cannot create directory"*"Permission denied" ]]
    same t "$pristine"
}

@test "a second apply at the same time is refused" {
    tree t
    exec 8<t
    flock 8
    tool apply 1 "another apply or undo is at work there" t 8<&-
    tool undo 1 "another apply or undo is at work there" t 8<&-
    exec 8<&-
    tool apply 0 "" t
}
