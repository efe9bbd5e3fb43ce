#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The TSC as a source on a kernel that keeps time by it. tsc=reliable: with two processors
# and none that states an invariant counter the kernel would not.

tsc() {
	run tests/guest/run --smp 2 --drive none --append tsc=reliable exec tsc "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	grep -q '^use_source: 0,' <<<"$output"
	[ "$(grep -c ' 0 backwards, 0 astray,' <<<"$output")" -eq 2 ]
}

@test "the TSC is accepted, near the clock, and never goes backwards across processors" {
	tsc
	grep -q '^counter kept$' <<<"$output"
	# Most readings, or nothing was tested.
	[ "$(sed -n 's/.* \([0-9]*\) from the counter.*/\1/p' <<<"$output" | sort -n | head -n1)" -gt 100000 ]
}

@test "readings stay near the clock when the kernel gives the TSC up" {
	tsc acpi_pm
}
