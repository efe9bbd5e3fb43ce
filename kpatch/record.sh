#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Sourced by check, apply and undo, after common.sh: the record of what apply changed, the
# way back from it, and whether the tree is fit to be changed.
#
# The record lies in .git/plugclock of a git tree, otherwise in SRC/.plugclock, which hides
# itself from a repository around it. In it, a folder per apply, numbered:
#   files        a line per file: its id before all, before this apply, after it; its name
#   before/FILE  as it was before all           cur/FILE   before this apply, if different
#   dirs         folders that were made, outer ones first
#   diff         what this apply changed
#   begun, done or undoing   the state, one empty file that is renamed
# A newer folder takes over what an older one has, which is then removed, so the highest one
# tells all. Folders get their names when they are complete, and files in the tree are
# replaced by rename: a run that was killed leaves each file whole, in one of the recorded
# states. An id is '-' for no file, a hash of the contents, or of a link's target.
# shellcheck disable=SC2034,SC2154  # shared with the scripts that source this

# id_of FILE: sets id
id_of() {
	if [ -L "$1" ]; then
		id=$(readlink -n -- "$1" | sha256sum)
		id=link:${id%% *}
	elif [ -f "$1" ]; then
		id=$(sha256sum <"$1")
		id=${id%% *}
	elif [ -e "$1" ]; then
		id=other
	else
		id=-
	fi
}

# beside FILE: sets next to where its next contents wait to be renamed
beside() {
	local dir=./$1
	next=$src/${dir%/*}/.${1##*/}.plugclock
}

# find_record: sets gitdir (or ''), record and run, the highest folder (or ''), and reads
# its lines into names[], before[], cur[] and after[].
find_record() {
	local b c a name
	gitdir='' run='' names=()
	declare -gA before=() cur=() after=()
	record=$src/.plugclock
	if [ -e "$src/.git" ]; then
		gitdir=$(git -C "$src" rev-parse --absolute-git-dir 2>&1) ||
			die 2 "$src: git: $(head -n 1 <<<"${gitdir#fatal: }")"
		record=$gitdir/plugclock
	fi
	[ -d "$record" ] || return 0
	run=$(find "$record" -mindepth 1 -maxdepth 1 -name '[1-9]*' -printf '%f\n' | sort -n |
		tail -n 1)
	[ -n "$run" ] || return 0
	while IFS=$'\t' read -r b c a name; do
		names+=("$name")
		before[$name]=$b cur[$name]=$c after[$name]=$a
	done <"$record/$run/files"
}

# Only one apply or undo at a time. File systems that cannot lock a folder go without.
lock_tree() {
	local status=0
	exec 9<"$src"
	flock -n -E 75 9 || status=$?
	[ $status -ne 75 ] || die 1 "$src: another apply or undo is at work there"
}

interrupted() { [ -n "$run" ] && [ ! -e "$record/$run/done" ]; }

# foreign: prints the recorded files whose contents are none of the recorded ones.
foreign() {
	local name id
	for name in "${names[@]}"; do
		id_of "$src/$name"
		case $id in "${before[$name]}" | "${cur[$name]}" | "${after[$name]}") ;;
		*) printf '%s\n' "$name" ;;
		esac
	done
}

# put_back TO: gives each recorded file the state TO, before or cur. May be repeated after
# it was killed. A file gets the present time, so that make sees that it changed.
put_back() {
	local to=$1 name want saved next id dir
	for name in "${names[@]}"; do
		saved=$record/$run/before/$name want=${before[$name]}
		if [ "$to" = cur ] && [ "${cur[$name]}" != "$want" ]; then
			want=${cur[$name]} saved=$record/$run/cur/$name
		fi
		beside "$name"
		[ ! -e "$next" ] || rm -f -- "$next" || return 1
		id_of "$src/$name"
		[ "$id" != "$want" ] || continue
		if [ "$want" = - ]; then
			rm -f -- "$src/$name" || return 1
			continue
		fi
		# A link needs no space on a full disk.
		ln -- "$saved" "$next" 2>/dev/null || cp -a -- "$saved" "$next" || return 1
		touch -h -- "$next"
		mv -fT -- "$next" "$src/$name" || return 1
	done
	tac "$record/$run/dirs" | while IFS= read -r dir; do
		rmdir -- "$src/$dir" 2>/dev/null || true   # not ours alone any more
	done
}

# drop_run NUMBER: that folder goes, in one step.
drop_run() {
	rm -rf -- "$record/.new"
	mv -T -- "$record/$1" "$record/.new" && rm -rf -- "$record/.new"
}

# forget_all: the record goes, in one step.
forget_all() {
	rm -rf -- "$record.gone"
	[ ! -e "$record" ] || mv -T -- "$record" "$record.gone"
	rm -rf -- "$record.gone"
}

# repair: finishes what a killed apply or undo left; fails, naming files, when it cannot.
repair() {
	local bad
	rm -rf -- "$record.gone" "$record"/.new
	if ! interrupted; then
		[ -n "$run" ] || rm -rf -- "$record"   # of an apply that did not come to writing
		return
	fi
	bad=$(foreign)
	[ -z "$bad" ] || die 1 "$src: an apply or undo was interrupted, and $(some "$bad") edited" \
		"since: nothing was changed; what was before is in $record/$run/before"
	if [ -e "$record/$run/undoing" ]; then
		put_back before || die 1 "$src: could not put all back; try again when that is mended"
		forget_all
		say "$src: finished an undo that was interrupted"
	else
		put_back cur || die 1 "$src: could not put all back; try again when that is mended"
		drop_run "$run"
		say "$src: put back what an interrupted apply left"
	fi
	find_record
	[ -n "$run" ] || rm -rf -- "$record"
}

# some LINES: up to three of them, for a message, with the verb
some() {
	local list
	mapfile -t list <<<"$1"
	case ${#list[@]} in
	1) printf '%s was' "${list[0]}" ;;
	2 | 3) printf '%s, ' "${list[@]::${#list[@]}-1}"; printf '%s were' "${list[-1]}" ;;
	*) printf '%s, ' "${list[@]::3}"; printf 'and %d more were' $((${#list[@]} - 3)) ;;
	esac
}

# tracked: is the tree in a git repository, its own or one around it?
tracked() { git -C "$src" ls-files --error-unmatch Makefile >/dev/null 2>&1; }

# unfit: sets unfit to the reason why the tree should not be changed now, or to nothing, and
# clean to whether git sees no change at all. What an earlier apply did is no reason.
unfit() {
	local dir name prefix bad='' modified id
	unfit='' clean=no
	if tracked; then
		dir=$(git -C "$src" rev-parse --absolute-git-dir)
		for name in rebase-merge rebase-apply sequencer MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD; do
			[ ! -e "$dir/$name" ] || unfit="git is in the middle of something ($name): finish or abort it"
		done
		[ -z "$unfit" ] || return 0
		prefix=$(git -C "$src" rev-parse --show-prefix)
		modified=$(git -C "$src" status --porcelain -z --untracked-files=no --no-renames -- . |
			tr '\0\n' '\n?' | cut -c 4-) || { unfit='git status fails there'; return 0; }
		[ -n "$modified" ] || clean=yes
		while IFS= read -r name; do
			[ -n "$name" ] || continue
			name=${name#"$prefix"}
			id_of "$src/$name"
			[ "$id" = "${after[$name]:-}" ] || bad+=${bad:+$'\n'}$name
		done <<<"$modified"
		[ -z "$bad" ] || unfit="$(some "$bad") modified: commit or stash that"
	else
		for name in "${touched[@]}"; do
			for dir in "$name.rej" "$name.orig"; do
				[ ! -e "$src/$dir" ] || bad+=${bad:+$'\n'}$dir
			done
		done
		[ -z "$bad" ] || unfit="$(some "$bad") left by a patch that failed: sort that out first"
	fi
}
