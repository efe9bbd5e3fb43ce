#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The plugin of bench/kernel counts right, and the same in every run.
# shellcheck disable=SC2154  # run sets status and output

setup() {
	plugin=$(realpath "${BUILD:-build}/bench/kernel/instructions.so")
}

# total FILE: instructions per sample
total() { awk '$1 == "samples" { n = $3; next } { sum += $2 } END { print sum / n }' "$1"; }

@test "a loop between marks is counted to the instruction, and what is outside is not" {
	out=$BATS_TEST_TMPDIR/loop
	run tests/guest/run --accel tcg --drive none --qemu "-plugin $plugin,out=$out,from=0" exec loop 1000 1500
	echo "$output"
	[ "$status" -eq 0 ]
	[ ! -e "$out.3" ]
	# Each turn's two instructions have as many counts as there were turns...
	for n in 1000 1500; do
		file=$out.$((n / 500 - 1))
		head -n1 "$file"
		[ "$(awk -v n=$n '$1 == "samples" { s = $3; next } $2 == s * n' "$file" | wc -l)" -eq 2 ]
	done
	# ...and whatever else is counted is the same for both.
	[ "$(($(total "$out.2") - $(total "$out.1")))" -eq 1000 ]
}

@test "stock 6.1 reads the clock 2 + 1/32 times per polled passthrough read, 3 + 1/32 per block read" {
	run bench/kernel/instructions --batches 150 6.1
	echo "$output"
	[ "$status" -eq 0 ]
	first=$(grep '^none ' <<<"$output")
	awk '{ found[$2] = $5 }
		END { exit !(found["ng0n1"] == 2.0312 && found["nvme0n1"] == 3.0312 && found["switch"] == 0) }' <<<"$first"
	awk '$3 < 1000 || $3 > 10000 || $4 >= $3 { bad = 1 } END { exit bad }' <<<"$first"

	# A second run finds the same, within 0.1 %.
	run bench/kernel/instructions --batches 150 6.1
	echo "$output"
	paste <(echo "$first") <(grep '^none ' <<<"$output") | awk '
		function off(a, b) { return a > b ? a - b > b / 1000 : b - a > a / 1000 }
		NF != 12 || $1 != $7 || $2 != $8 || off($3, $9) || off($4, $10) || $5 != $11 { bad = 1 }
		END { exit bad || NR != 3 }'
}

@test "without the plugin it fails and says what builds it" {
	run env BUILD="$BATS_TEST_TMPDIR" bench/kernel/instructions 6.1
	[ "$status" -eq 1 ]
	[[ $output = "instructions: no "*"make bench-kernel builds it" ]]
}
