# SPDX-License-Identifier: MIT
# Drives that fail under a run: it ends, is invalid, and says what happened.

# in_guest [OPTION]... TEST [ARG]...: as tests/guest/run; $output and status 0.
in_guest() {
	run tests/guest/run --timeout 300 "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

# told WHAT STATUS VALID ERRORS TEXT: the line of one run.
told() {
	grep -q "^$1: status $2, valid $3, errors $4: .*$5" <<<"$output"
}

@test "a read error of the drive is decoded, errno apart, and makes the result invalid" {
	local blkdebug=driver=blkdebug,image.driver=null-co,image.read-zeroes=on,image.size=64M
	blkdebug+=,inject-error.0.event=none,inject-error.0.iotype=read,inject-error.0.errno=5
	blkdebug+=,inject-error.0.once=off,inject-error.0.sector=20480
	in_guest --drive "-drive $blkdebug,if=none,id=d0 -device nvme,drive=d0,serial=x" faults errors
	told passthrough 1 false some 'NVMe status 0x281: Unrecovered Read Error.*(sct 0x2, sc 0x81).*result invalid'
	told interrupts 1 false some 'NVMe status 0x281: Unrecovered Read Error'
	told block 1 false some 'errno 61.*a medium error, whose NVMe status the generic device'
	told buffered 1 false some 'errno 5'
}

@test "hot unplug ends a run on the generic device as invalid and says that it was removed" {
	in_guest --kernel 7.3 faults unplug -p1 /dev/ng0n1
	told unplug 1 false some 'No such device.*the device was removed'
}

@test "hot unplug ends a run on the block device as invalid and says that it was removed" {
	in_guest faults unplug -p1 /dev/nvme0n1
	told unplug 1 false some 'removed'
}

@test "a namespace that is detached ends its run, and no other" {
	local null='driver=null-co,read-zeroes=on,size=64M,if=none'
	local drive='-device nvme-subsys,id=s -device nvme,subsys=s,id=n,serial=x'
	drive+=" -drive $null,id=d0 -device nvme-ns,bus=n,drive=d0,nsid=1"
	drive+=" -drive $null,id=d1 -device nvme-ns,bus=n,drive=d1,nsid=2"
	in_guest --kernel 6.12 --drive "$drive" faults detach
	told detach 1 false some 'a read failed'
	told other 0 true none ''
	grep -q '^gone: status [23]: ngbench: /dev/ng0n1: ' <<<"$output"
}
