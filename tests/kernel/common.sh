#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sourced by tree and build, which set me to their name: messages, the cache, the variants.
# shellcheck disable=SC2034,SC2154  # shared with the scripts that source this

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() { local status=$1; shift; say "$*"; exit "$status"; }

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
root=${here%/tests/kernel}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/plugclock

# The one list of kernels. name; series; patches, as for tree; architecture; fragments of
# config/, the later ones winning; a patch for tests only, of patches/
#   um        user-mode Linux with the series' KUnit tests, and io_uring and null_blk for
#             timings with ngbench
#   guest     x86-64 for tests/guest/run --kernel; 6.1 without the optional patches, which
#             leave passthrough no clock read to save
#   debug, rt x86-64 with the kernel's own checks, and the real-time kernel; KUnit as well
variants='
um-6.1;                  6.1;  all;  um;     um proc-sysctl only-6.1 kunit ktime-debug; um-preempt-6.1
um-6.1-preempt;          6.1;  all;  um;     um proc-sysctl only-6.1 kunit ktime-debug preempt; um-preempt-6.1
um-6.1-unpatched;        6.1;  none; um;     um proc-sysctl only-6.1
um-6.12;                 6.12; all;  um;     um proc-sysctl kunit ktime-debug
um-6.12-preempt;         6.12; all;  um;     um proc-sysctl kunit ktime-debug preempt
um-6.12-unpatched;       6.12; none; um;     um proc-sysctl
um-7.3;                  7.3;  all;  um;     um kunit ktime-debug
um-7.3-preempt;          7.3;  all;  um;     um kunit ktime-debug preempt
um-7.3-unpatched;        7.3;  none; um;     um
guest-6.1;               6.1;  clock; x86_64; guest proc-sysctl only-6.1 preempt dynamic ktime-debug
guest-6.1-unpatched;     6.1;  none; x86_64; guest proc-sysctl only-6.1 preempt dynamic
guest-7.3;               7.3;  all;  x86_64; guest preempt dynamic ktime-debug
guest-7.3-unpatched;     7.3;  none; x86_64; guest preempt dynamic
debug-6.1;               6.1;  all;  x86_64; guest proc-sysctl only-6.1 preempt dynamic kunit ktime-debug debug
debug-7.3;               7.3;  all;  x86_64; guest preempt dynamic kunit ktime-debug debug
rt-6.12;                 6.12; all;  x86_64; guest proc-sysctl kunit ktime-debug rt
rt-7.3;                  7.3;  all;  x86_64; guest kunit ktime-debug rt
'

names() { sed -n 's/;.*//p' <<<"$variants"; }

# open_variant NAME: sets series, patches, arch, fragments[] and extra; or fails.
open_variant() {
	local name list rest
	while IFS=';' read -r name series patches arch list extra; do
		[ "$name" = "$1" ] || continue
		series=${series// /} patches=${patches// /} arch=${arch// /} extra=${extra// /}
		read -ra fragments <<<"$list"
		return 0
	done <<<"$variants"
	return 1
}

# need TOOL...: what the script cannot do without
need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null ||
			die 3 "needs $tool: 'tests/deps kernel' installs or lists what is missing"
	done
}

# prune KEEP FOLDER...: removes all but the KEEP newest
prune() {
	local keep=$1
	shift
	# shellcheck disable=SC2012  # names of our own making
	ls -1dt "$@" 2>/dev/null | tail -n "+$((keep + 1))" | xargs -r rm -rf
}
