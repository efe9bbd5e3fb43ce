#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad input of ngbench that needs an NVMe drive, or a kernel set up against it.

@test "block paths, controllers, wrong sizes and second nodes of a drive are refused" {
	local null='driver=null-co,read-zeroes=on,if=none' drive
	drive="-drive $null,size=1G,id=d0 -device nvme,drive=d0,serial=plugclock"
	drive+=" -device nvme,id=more,serial=more"
	drive+=" -drive $null,size=64M,id=d1"
	drive+=" -device nvme-ns,drive=d1,bus=more,nsid=1,logical_block_size=4096,physical_block_size=4096"
	drive+=" -drive $null,size=16M,id=d2 -device nvme-ns,drive=d2,bus=more,nsid=2,ms=8,mset=1"
	run tests/guest/run --drive "$drive" bad_input drives
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok: ' <<<"$output")" -eq 14 ]
}

@test "polling without a poll queue is refused, and left alone where not asked for" {
	run tests/guest/run --append nvme.poll_queues=0 bad_input nopoll
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok: ' <<<"$output")" -eq 3 ]
}

@test "io_uring disabled by sysctl is refused and the sysctl is named" {
	run tests/guest/run --kernel 6.12 bad_input disabled
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok: ' <<<"$output")" -eq 2 ]
}
