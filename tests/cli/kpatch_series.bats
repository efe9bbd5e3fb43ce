# SPDX-License-Identifier: MIT
# The series themselves, each on the source that it was made on: what check says of it, that
# apply gives just what git gives, with any kinds left out, and that undo takes it back.
# shellcheck disable=SC2154  # run sets status and output
load kpatch

setup_file() {
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    cd "$BATS_TEST_DIRNAME/../.." || return
    export all=${PLUGCLOCK_KPATCH_SERIES:-$PWD/kpatch}
    local folder version source touched
    for folder in "$all"/*/; do
        version=$(basename "$folder")
        source=$(tests/kernel/fetch-source "$version") || {
            echo "$version" >>"$BATS_FILE_TMPDIR/none"
            continue
        }
        # The folders of the files that the patches touch are tree enough.
        touched=$(sed -nE 's#^diff --git a/(.*)/[^/]* b/.*#\1#p' "$folder"/*.patch | sort -u)
        mkdir -p "$BATS_FILE_TMPDIR/trees/$version"
        while IFS= read -r folder; do
            [ ! -d "$source/$folder" ] || printf '%s\n' "$folder"
        done < <(printf '%s\n' block "$touched" | sort -u) |
            (cd "$source" && xargs cp -a --parents -t "$BATS_FILE_TMPDIR/trees/$version" Makefile)
        printf '%s\n' "$(basename "$source")" >"$BATS_FILE_TMPDIR/trees/$version.name"
    done
}

setup() {
    # shellcheck disable=SC2034  # for kpatch.bash
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    dir=$BATS_TEST_TMPDIR trees=$BATS_FILE_TMPDIR/trees
    cd "$dir" || return
    [ -d "$trees" ] || skip "no kernel source can be had here"
    versions=$(cd "$trees" && find . -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort -V)
}

teardown() {
    [ ! -e "$BATS_FILE_TMPDIR/none" ] || [ -z "${BATS_TEST_COMPLETED:-}" ] ||
        echo "# not checked, no source: $(xargs <"$BATS_FILE_TMPDIR/none")" >&3
}

# listed VERSION [KIND...]: the patches of the series, of these kinds (core among them)
listed() {
    local folder=$all/$1 patch kind
    shift
    sed -E 's/#.*//; /^ *$/d' "$folder/series" | while read -r patch kind; do
        if [ $# -eq 0 ] || [[ " $* " = *" ${kind:-core} "* ]]; then
            printf '%s\n' "$folder/$patch"
        fi
    done
}
git_apply() { GIT_CEILING_DIRECTORIES=$PWD git -C "$1" -c core.whitespace= apply --whitespace=nowarn "${@:2}"; }

# from_git TREE VERSION KIND...: the tree by git alone; a fix that is there is passed over
from_git() {
    local tree=$1 patch
    cp -al "$trees/$2" "$tree"   # git replaces files
    shift
    listed "$@" | while IFS= read -r patch; do
        git_apply "$tree" -R --check "$patch" 2>/dev/null || git_apply "$tree" "$patch" || return
    done
}

@test "every series names its base, and all of its patches in order" {
    local version
    cd "$all"
    for version in */; do
        version=${version%/}
        grep -qE "^linux-source-${version/./\\.} ${version/./\\.}\.[0-9]+-" "$version/base"
        [ "$(wc -l <"$version/base")" -eq 1 ]
        [ "$(listed "$version")" = "$(listed "$version" | sort -u)" ]
        [ "$(listed "$version" | xargs -n 1 basename)" = "$(cd "$version" && printf '%s\n' *.patch)" ]
        grep -L '^Subject: \[PATCH' "$version"/*.patch | { ! grep .; }
        grep -lE '^(old mode|rename from|GIT binary)' "$version"/*.patch | { ! grep .; }
    done
}

@test "on its base every patch applies, fixes that it has already are there, and check exits 0" {
    local version
    for version in $versions; do
        tool check 0 "0 in conflict" "$trees/$version"
        [ "$(grep -c '^[0-9]\{4\}-' <<<"$output")" -eq "$(listed "$version" | wc -l)" ]
        grep 'already there$' <<<"$output" | { ! grep -v '(fix)'; }
    done
}

@test "apply gives what git gives, by default and with all, twice is once, undo takes it back" {
    local version
    for version in $versions; do
        cp -al "$trees/$version" t
        from_git want "$version" core fix
        tool apply 0 "" t
        same t want
        tool apply 0 "already there, nothing was changed" t
        from_git all "$version"
        tool apply 0 "" --all t
        same t all
        tool check 0 "0 apply, $(listed "$version" | wc -l) already there, 0 in conflict" t
        tool undo 0 "" t
        same t "$trees/$version"
        rm -r t want all
    done
}

@test "any kinds may be left out" {
    local version kinds
    for version in $versions; do
        for kinds in test debug optional 'test debug' 'test optional' 'debug optional'; do
            # shellcheck disable=SC2086  # a list
            from_git t "$version" core fix $kinds
            rm -r t
        done
    done
}

@test "stable fixes are told apart on trees that have the first of them, and on ones that lack one" {
    local version patch missing there
    for version in $versions; do
        cp -a "$trees/$version" t
        # From the tree with all that the base has to one with none.
        missing=0
        while IFS= read -r patch; do
            git_apply t -R "$patch" 2>/dev/null || continue
            missing=$((missing + 1))
            tool check 0 "$(basename "$patch") (fix): applies" t
            there=$(listed "$version" fix | while IFS= read -r patch; do
                ! git_apply "$trees/$version" -R --check "$patch" 2>/dev/null || echo; done | wc -l)
            [[ $output = *", $((there - missing)) already there, 0 in conflict"* ]]
        done < <(listed "$version" fix | tac)
        tool apply 0 "" t
        from_git want "$version" core fix
        same t want
        rm -r t want
    done
}
