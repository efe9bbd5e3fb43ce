#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the cached clock saves, counted to the instruction (bench/kernel).
# shellcheck disable=SC2154  # run sets status and output

@test "with the cache on a batch of 32 reads the clock 3 times, and takes fewer instructions" {
	kernel=$(tests/kernel/build guest-6.1)
	run bench/kernel/instructions --batches 200 "$kernel"
	echo "$output"
	[ "$status" -eq 0 ]
	awk '
		$1 == "off" || $1 == "on" { all[$1 $2] = $3; reads[$1 $2] = $5; n++ }
		END { exit !(n == 6 && reads["offng0n1"] == 2.0312 && reads["offnvme0n1"] == 3.0312 &&
			reads["onng0n1"] == 0.0938 && reads["onnvme0n1"] == 0.0938 &&
			all["onng0n1"] < all["offng0n1"] && all["onnvme0n1"] < all["offnvme0n1"] &&
			all["onswitch"] <= all["offswitch"] * 1.01) }' <<<"$output"
}
