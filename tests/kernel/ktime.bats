#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ngbench's knob 'ktime' on kernels that have the switch of the cached clock, and not.
# shellcheck disable=SC2016,SC2154  # the inner shell's; run sets status and output

setup() {
	ngbench=$(realpath "${BUILD:-build}/ngbench")
	enabled=/sys/kernel/debug/blk_ktime/enabled
}

# patched SCRIPT: in user-mode Linux with the series; $1 is ngbench, $2 the switch
patched() {
	kernel=$(tests/kernel/build um-6.1)
	run bench/kernel/um "$kernel" sh -c "$1" sh "$ngbench" "$enabled"
	echo "$output"
}

@test "the cached clock serves stamps when on and none when off, and is put back" {
	for was in 1 0; do
		patched "echo $was >\$2"'
			"$1" -b512 -p1 --ab ktime=on:off -r1 --rounds 2 --json - /dev/nullb0 2>/dev/null || exit
			[ "$(cat $2)" = '$was' ]'
		[ "$status" -eq 0 ]
		jq -e ".conditions.blk_ktime.effective == \"$([ $was = 1 ] && echo on || echo off)\""'
			and .arms[0].cached_per_io > 1 and .arms[1].cached_per_io == 0' <<<"$output"
	done
}

@test "a run that crashes leaves the cached clock as it was" {
	patched '"$1" -b512 -p1 --ab ktime -r60 --rounds 50 /dev/nullb0 >/dev/null 2>&1 &
		pid=$! tries=0
		until [ "$(cat $2)" = 0 ]; do [ $((tries += 1)) -lt 1000 ] || exit 9; sleep 0.01; done
		kill -SEGV $pid
		wait $pid
		[ $? -gt 128 ] && [ "$(cat $2)" = 1 ]'
	[ "$status" -eq 0 ]
}

@test "a batch that is too small for a plug is said to have nothing to cache" {
	patched '"$1" -b512 -p1 -s2 -c2 --ab ktime -r1 --rounds 2 /dev/nullb0'
	[ "$status" -eq 3 ]
	[[ $output = *"with the cached clock on, only 0.0"*"fewer than 3 requests"* ]]
}

@test "a kernel without the series is told from one without debugfs" {
	run tests/guest/run exec sh -c 'ngbench --ab ktime /dev/nvme0n1; echo "status $?"
		umount /sys/kernel/debug/tracing /sys/kernel/debug 2>/dev/null
		ngbench --ab ktime /dev/nvme0n1; echo "status $?"'
	echo "$output"
	[[ $output = *"without CONFIG_BLK_KTIME_DEBUG"*"status 3"*"debugfs is not mounted"*"status 3" ]]
}
