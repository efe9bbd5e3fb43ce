# SPDX-License-Identifier: MIT
# Completion of ngbench's command line for bash. Commands, options and knobs are those
# that the program at hand prints with --help.
# shellcheck shell=bash

_ngbench_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# _ngbench_value OPTION WORD HELP: what may follow OPTION; fails if that is no value.
_ngbench_value()
{
	local words
	case $1 in
	--engine) words='nvme block null nop' ;;
	--lat) words='off clock cached' ;;
	--ab) words="none $(sed -n '/ --ab /,/ --rounds /p' <<<"$3" | grep -oE '[a-z_]+=[a-z0-9_]+(:[a-z0-9_]+)+')" ;;
	--json | --huge-file | -H | --output | -o)
		_ngbench_files "$2"
		return 0
		;;
	*)
		# By the word after the option in its line of the help.
		words=$(sed -nE "s/^ .{0,4}[ ,]*$1(, --[a-z-]+)? ([^ ]+).*/\\2/p" <<<"$3")
		[ -n "$words" ] || return 1
		[ "$words" = '0|1' ] && words='0 1' || words=''
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2")
}

_ngbench()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} help commands
	COMPREPLY=()
	help=$("$1" --help 2>/dev/null) || return
	commands=$(sed -nE 's/^ngbench \[?([a-z]+)\]?( .*)?$/\1/p' <<<"$help")
	if [ "$COMP_CWORD" -gt 1 ] && [[ " ${commands//$'\n'/ } " = *" ${COMP_WORDS[1]} "* ]]; then
		help=$("$1" "${COMP_WORDS[1]}" --help 2>/dev/null) || return
	fi
	# bash splits --lat=off in three.
	if [ "$cur" = = ]; then
		cur=''
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [[ $prev = -* ]] && _ngbench_value "$prev" "$cur" "$help"; then
		return
	fi
	if [[ $cur = -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(grep -E '^ {1,5}-' <<<"$help" | cut -c 1-27 |
			grep -oE -- '--[a-z-]+')" -- "$cur")
		return
	fi
	_ngbench_files "$cur"
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$commands" -- "$cur")
	fi
}

complete -F _ngbench ngbench
