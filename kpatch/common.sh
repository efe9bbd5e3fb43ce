#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Sourced by check, apply and undo, which set me to their name: the tree, the series that
# belongs to it, and the verdict on each patch. Nothing in here writes into the tree.
#
# A series is a folder x.y beside this file (or in PLUGCLOCK_KPATCH_SERIES):
#   base              one line: the source it was made on, as "linux-source-6.1 6.1.192-3"
#   series            a line per patch, in order: "NNNN-slug.patch [KIND]"; '#' comments
#   NNNN-slug.patch   as git format-patch writes it
# KIND is nothing for the clock itself, or
#   fix               a fix that the tree may have already, from a later stable release
#   test | debug | optional   what apply leaves out unless it is asked for
# Each kind left out, what remains must still apply in its order.
# shellcheck disable=SC2034,SC2154  # shared with the scripts that source this

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { local status=$1; shift; say "$*"; exit "$status"; }

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
extra_kinds='test debug optional'
command -v git >/dev/null || die 3 "needs git"
# The tree's repository is the one that lies there, whatever the environment says.
# shellcheck disable=SC2046  # a list of names
unset $(git rev-parse --local-env-vars)
export LC_ALL=C GIT_OPTIONAL_LOCKS=0

# usage SCRIPT: its head comment
usage() { sed -n '/^# [A-Z]/,/^[^#]/s/^# \{0,1\}//p' "$1"; }

# open_tree SRC: sets src (its real path), major, minor and release; or exits 2.
open_tree() {
	local numbers
	[ -n "$1" ] || die 2 "the name of the tree is empty"
	[ -e "$1" ] || die 2 "$1: no such folder"
	[ -d "$1" ] || die 2 "$1: a file, where the folder of an unpacked kernel source belongs"
	if [ ! -r "$1" ] || [ ! -x "$1" ]; then die 2 "$1: cannot read it"; fi
	src=$(realpath -- "$1")
	if [ ! -f "$src/Makefile" ] || [ ! -r "$src/Makefile" ]; then
		die 2 "$1: no kernel source: it has no Makefile that can be read"
	fi
	read -r -a numbers < <(awk '
		NR > 40 || n == 3 { exit }
		$1 == want[n + 1] && $2 == "=" && NF == 3 && $3 ~ /^(0|[1-9][0-9]?[0-9]?[0-9]?)$/ {
			line = line " " $3; n++ }
		BEGIN { split("VERSION PATCHLEVEL SUBLEVEL", want) }
		END { if (n == 3) print line; else print "" }' "$src/Makefile") || true
	[ ${#numbers[@]} -eq 3 ] || die 2 "$1: no kernel source: its Makefile names no" \
		"version (the folder of a build with O= does not do)"
	[ -f "$src/block/blk-core.c" ] || die 2 "$1: no kernel source: it has no block/blk-core.c"
	major=${numbers[0]} minor=${numbers[1]} release=${numbers[0]}.${numbers[1]}.${numbers[2]}
}

# What a kernel without a series has, and what to use instead.
no_series() {
	local number=$((major * 10000 + minor))
	printf 'no series for Linux %s.%s: ' "$major" "$minor"
	if [[ " 6.1 6.12 7.3 " = *" $major.$minor "* ]]; then
		echo "it belongs here, but $series is not in this copy"
	elif ((number < 50019)); then
		echo "it has no NVMe passthrough through io_uring (5.19 brought it, 6.1 made it" \
			"polled); use 6.1 or later"
	elif ((number < 60008)); then
		echo "statistics tax passthrough there as on 6.1, and the clock is read for each" \
			"request; the nearest series is 6.1, to be ported by hand"
	elif ((number == 60008)); then
		echo "passthrough is not charged for statistics there, but no time is cached for" \
			"block devices; use 6.12 or 7.3"
	elif ((number < 70003)); then
		echo "it has upstream's blk_time_get_ns(), whose time can be from before a" \
			"preemption, and which stamps completions with it, too; use 6.12 or 7.3"
	else
		echo "it is newer than this tool and what it has is not known; the nearest series" \
			"is 7.3, to be ported by hand"
	fi
}

# open_series: sets series (its folder), base, patches[] and kinds[]; or exits 3.
open_series() {
	local patch kind rest
	series=$(realpath -m -- "${PLUGCLOCK_KPATCH_SERIES:-$here}")/$major.$minor
	[ -f "$series/series" ] || die 3 "$src: $(no_series)"
	base=$(head -n 1 "$series/base" 2>/dev/null) || die 1 "$series/base: cannot read it"
	patches=() kinds=()
	while read -r patch kind rest; do
		case $patch in '' | '#'*) continue ;; esac
		case $kind in '#'*) kind='' ;; esac
		[[ " fix $extra_kinds " = *" ${kind:-fix} "* ]] ||
			die 1 "$series/series: $patch: $kind: no such kind of patch"
		[ -f "$series/$patch" ] || die 1 "$series/series: $patch: no such file beside it"
		patches+=("$patch") kinds+=("$kind")
	done <"$series/series"
	[ ${#patches[@]} -gt 0 ] || die 1 "$series/series: names no patch"
}

# make_work: sets work, a folder of our own that goes when the script ends.
make_work() {
	work=$(mktemp -d -t kpatch.XXXXXX) || die 1 "cannot make a temporary folder"
	work=$(realpath -- "$work")
	trap 'rm -rf -- "$work"' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# git_alone FOLDER ARGUMENTS...: git in a folder of $work, whatever repository or settings
# are around it.
git_alone() {
	local folder=$1
	shift
	(cd "$work/$folder" && GIT_CEILING_DIRECTORIES=$work GIT_CONFIG_NOSYSTEM=1 \
		GIT_CONFIG_GLOBAL=/dev/null git "$@")
}

# git_apply [-R] PATCH: in the copy, without fuzz, all of the patch or nothing. The errors
# are left in $work/why.
git_apply() {
	git_alone b apply --whitespace=nowarn "$@" 2>"$work/why" && return
	[[ ! $(<"$work/why") =~ (error|fatal):\ (unable|cannot|could\ not|failed)\  ]] ||
		die 1 "git apply fails in $work: nothing was changed: $(head -n 1 "$work/why")"
	return 1
}

# Copies what the series touches to $work/a and $work/b, links followed; sets touched[].
copy_touched() {
	local file why
	mapfile -t touched < <(files_of "${patches[@]}")
	mkdir "$work/a"
	for file in "${touched[@]}"; do
		if [ -e "$src/$file" ] && [ ! -f "$src/$file" ]; then
			mkdir -p "$(dirname "$work/a/$file")" && : >"$work/a/$file"   # in the way
		elif [ -e "$src/$file" ]; then
			why=$(cd "$src" && cp -L --parents -- "$file" "$work/a" 2>&1) ||
				die 2 "$src: $file: cannot read it: ${why##*: }"
		fi
	done
	cp -R "$work/a" "$work/b"
}

# files_of PATCH...: what they touch
files_of() { (cd "$series" && sed -nE 's#^diff --git a/(.*) b/(.*)$#\1\n\2#p' "$@") | sort -u; }

# conflict PATCH: where it failed and what that means, from git's errors.
conflict() {
	local where file part=''
	where=$(sed -nE 's/^error: patch failed: (.*:[0-9]+)$/\1: other lines than in the base/p
		s/^error: (.*): No such file or directory$/\1:1: not in this tree/p
		s/^error: (.*): already exists in working directory$/\1:1: in the way of a new file/p
		t
		s/^error: //p' "$work/why" | head -n 1)
	while IFS= read -r file; do
		git_apply -R --check --include="$file" "$series/$1" && part+=${part:+, }$file
	done < <(files_of "$1")
	printf 'conflicts: %s%s\n' "$where" "${part:+ (but the part in $part is there)}"
}

# judge KIND...: fills verdicts[], with '' for patches of kinds that are not among KIND
# and not there; counts applies, there and conflicts. The tree as it is is in $work/a, as
# it would be in $work/b.
#
# A later patch may change the lines of an earlier one, and the tree may have any of
# them. So the copy is peeled, from the last patch to the first, of each that is there,
# and then built up again from the first to the last.
judge() {
	local i peeled=()
	applies=0 there=0 conflicts=0 verdicts=()
	copy_touched
	for ((i = ${#patches[@]} - 1; i >= 0; i--)); do
		peeled[i]=no
		git_apply -R "$series/${patches[i]}" && peeled[i]=yes
	done
	for ((i = 0; i < ${#patches[@]}; i++)); do
		verdicts[i]=''
		[ "${peeled[i]}" = yes ] || [[ " $* " = *" ${kinds[i]:-core} "* ]] || continue
		if ! git_apply "$series/${patches[i]}"; then
			verdicts[i]=$(conflict "${patches[i]}")
			conflicts=$((conflicts + 1))
		elif [ "${peeled[i]}" = yes ]; then
			verdicts[i]='already there'
			there=$((there + 1))
		else
			verdicts[i]=applies
			applies=$((applies + 1))
		fi
	done
}

# show_verdicts: a line per patch; what to do about conflicts is added.
show_verdicts() {
	local i
	for i in "${!patches[@]}"; do
		[ -z "${verdicts[i]}" ] || printf '%s%s: %s\n' "${patches[i]}" \
			"${kinds[i]:+ (${kinds[i]})}" "${verdicts[i]}"
	done
	[ "$conflicts" -eq 0 ] || cat <<-END
		To do: look at the first conflict, others may follow from it. The line is the one
		before the patch. Where the tree has an older or an edited version of a patch, take
		that out first; otherwise merge by hand: in a copy of the tree,
		'git apply --reject $series/NNNN-NAME.patch' leaves what failed in .rej files.
	END
}
