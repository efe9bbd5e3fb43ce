#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sourced by run and mutants: boots user-mode Linux with the KUnit suite of the series.
# shellcheck disable=SC2034  # root is for those who source this

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

# boot KERNEL LOG: runs the suite; what the console said goes to LOG. Pinned to one CPU,
# where it is three times as fast. A fault may hang it, so it has a minute.
boot() {
	local cpus status=0
	cpus=$(taskset -cp $$ | sed 's/.*: //; s/.*[-,]//')
	timeout -k 5 60 taskset -c "$cpus" "$1" mem=256M kunit.enable=1 kunit.autorun=1 \
		kunit.filter_glob=blk-ktime kunit_shutdown=halt \
		con=null con0=null,fd:1 </dev/null >"$2.raw" 2>&1 || status=$?
	# Lines of the console carry the time.
	sed -E 's/\r//g; s/^\[ *[0-9]+\.[0-9]+\](\[ *[TC][0-9]+\])? //' "$2.raw" >"$2"
	[ $status -ne 124 ] || echo "timed out after 60 s" >>"$2"
}

# cases LOG: the suite's lines, as "ok NAME" or "not ok NAME"
cases() { sed -nE 's/^ +((not )?ok) [0-9]+ (- )?([a-z0-9_]+)( # [sS][kK][iI][pP].*)?$/\1 \4\5/p' "$1"; }

# complete LOG: whether the suite ran to its end, as many cases as it planned
complete() {
	local planned
	planned=$(sed -nE '/Subtest: blk-ktime/,$ s/^ +1\.\.([0-9]+)$/\1/p' "$1" | head -n 1)
	[ -n "$planned" ] && [ "$(cases "$1" | wc -l)" -eq "$planned" ]
}
