# SPDX-License-Identifier: MIT
# The manual, the help texts, the completion and the program speak of the same things.
# shellcheck disable=SC2154  # common.bash sets root and ngbench, run sets stderr
load common

# help_options COMMAND: the options in its help text, one a line.
help_options() {
    "$ngbench" "$1" --help | grep -E '^ {1,5}-' | cut -c 1-27 | grep -oE -- '(^|[ ,])-{1,2}[A-Za-z][a-z-]*' |
        tr -d ' ,' | LC_ALL=C sort
}

# manual_options SECTION: those in a section of the manual.
manual_options() {
    sed -n "/^\.Sh $1\$/,/^\.Sh /p" "$root/passthru/ngbench.1" | sed -n 's/^\.It Fl/Fl/p' |
        grep -oE 'Fl -?[A-Za-z][a-z-]*' | sed 's/^Fl /-/' | LC_ALL=C sort
}

help_commands() {
    "$ngbench" --help | sed -nE 's/^ngbench \[?([a-z]+)\]?( .*)?$/\1/p' | LC_ALL=C sort
}

# complete_ WORD...: what bash would offer for the last of these words after ngbench.
complete_() {
    # shellcheck source=/dev/null
    source "$root/passthru/ngbench.bash"
    COMP_WORDS=(ngbench "$@")
    COMP_CWORD=$#
    _ngbench "$ngbench" 2>/dev/null || true
    echo "${COMPREPLY[*]}"
}

@test "the manual formats without a complaint" {
    groff -mdoc -Tutf8 -ww -z "$root/passthru/ngbench.1" >complaints 2>&1
    [ ! -s complaints ] || { cat complaints; false; }
}

@test "the manual has every option of every command, and no other" {
    local command section
    while IFS=: read -r command section; do
        help_options "$command" >help
        manual_options "$section" >manual
        [ "$(wc -l <help)" -ge 2 ]
        diff help manual || { echo "help of $command (<) and manual (>)"; return 1; }
    done <<-END
		run:OPTIONS OF RUN
		compare:COMPARE
		merge:MERGE
		plot:PLOT
	END
}

@test "the help has every long option that the parser knows" {
    sed -n 's/^\t{"\([a-z-]*\)", [a-z]*_argument, .*/--\1/p' "$root/passthru/options.c" | LC_ALL=C sort >parser
    [ "$(wc -l <parser)" -ge 20 ]
    help_options run | grep -e -- >help
    diff parser help
}

@test "help, manual and program have the same commands" {
    help_commands >help
    [ "$(wc -l <help)" -ge 4 ]
    grep -oE '\{"[a-z]+", [a-z]+_main\}' "$root/passthru/main.c" | cut -d '"' -f 2 | LC_ALL=C sort >program
    diff help program
    sed -n '/^\.Sh SYNOPSIS$/,/^\.Sh /p' "$root/passthru/ngbench.1" |
        sed -nE 's/^\.(Op )?Cm ([a-z]+)$/\2/p' | LC_ALL=C sort >manual
    diff help manual
}

@test "the manual has every knob that completion offers" {
    local word
    complete_ --ab '' | tr ' ' '\n' >words
    [ "$(wc -l <words)" -ge 6 ]
    while read -r word; do
        grep -qE "^\.It Cm ${word%%=*}( |\$)" "$root/passthru/ngbench.1" || { echo "$word"; return 1; }
    done <words
}

@test "completion offers commands and their options" {
    [ "$(complete_ comp)" = compare ]
    [ "$(complete_ --rou)" = --rounds ]
    [ "$(complete_ run --rou)" = --rounds ]
    [ "$(complete_ compare --)" = '--limit --help' ]
    [ "$(complete_ merge --j)" = --json ]
    [ "$(complete_ compare comp)" = '' ]
    complete_ -- | tr ' ' '\n' | LC_ALL=C sort >offered
    help_options run | grep -e -- >help
    diff help offered
}

@test "completion offers values of options" {
    [ "$(complete_ --lat '')" = 'off clock cached' ]
    [ "$(complete_ --lat = c)" = 'clock cached' ]
    [ "$(complete_ --engine =)" = 'nvme block null nop' ]
    [ "$(complete_ -p '')" = '0 1' ]
    [ "$(complete_ --passthrough '')" = '0 1' ]
    [ "$(complete_ --sqpoll '')" = '0 1' ]
    [ "$(complete_ -d '')" = '' ]
    [ "$(complete_ --ab la)" = lat=off:clock:cached ]
    [[ $(complete_ --ab '') = *none*iostats=off:on* ]]
}

@test "completion offers files, with spaces in their names, too" {
    touch 'a result.json' device
    [ "$(complete_ compare 'a r')" = 'a result.json' ]
    [ "$(complete_ dev)" = device ]
    [ "$(complete_ plot -o dev)" = device ]
    [ "$(complete_ --json dev)" = device ]
}

@test "every value that completion offers is accepted" {
    local word
    refused 2 "must be nvme, block" --engine bad missing
    for word in $(complete_ --engine ''); do
        ng --engine "$word" -r1 missing
        [[ $stderr != *"must be nvme, block"* ]]
    done
    refused 2 "must be off, clock or cached" --lat bad missing
    for word in $(complete_ --lat ''); do
        refused 2 "missing: No such file" --lat "$word" missing
    done
    refused 2 "no such knob" --engine null --ab bad
    for word in $(complete_ --ab ''); do
        ng --engine null --ab "$word" -r1 --rounds 2
        [ "$status" -ne 2 ] || { echo "$word: $stderr"; return 1; }
    done
}
