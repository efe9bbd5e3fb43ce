# SPDX-License-Identifier: MIT
# Drives that fail under a run: it ends, is invalid, and says what happened.
# shellcheck disable=SC2154  # drives.bash sets two_...
load drives

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

# told_times NUMBER PATTERN: lines of the output.
told_times() {
	[ "$(grep -c -- "$2" <<<"$output")" -eq "$1" ]
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
	in_guest --kernel 6.12 --drive "$two_namespaces" faults detach
	told detach 1 false some 'a read failed'
	told other 0 true none ''
	grep -q '^gone: status [23]: ngbench: /dev/ng0n1: ' <<<"$output"
}

@test "failed reads are counted up to --max-errors, and one more makes the result invalid" {
	# 256 blocks, of which the one in the middle is bad.
	local blkdebug=driver=blkdebug,image.driver=null-co,image.read-zeroes=on,image.size=1M
	blkdebug+=,inject-error.0.event=none,inject-error.0.iotype=read,inject-error.0.errno=5
	blkdebug+=,inject-error.0.once=off,inject-error.0.sector=1024
	in_guest --drive "-drive $blkdebug,if=none,id=d0 -device nvme,drive=d0,serial=x" faults limit
	local way
	for way in passthrough interrupts block; do
		told ${way}_16 0 true some '$'
		told ${way}_15 1 false some '(16 failed in all); result invalid'
	done
	told_times 2 '^Errors=16 of 16 allowed; the first: /dev/ng0n1: .*0x281: Unrecovered'
	told_times 1 '^Errors=16 of 16 allowed; the first: /dev/nvme0n1: .*errno 61'
	told_times 6 '"errors": *16,'
}

@test "reads whose completions are lost and that the driver cancels are told, and the drive goes on" {
	# The block layer would send its reads again.
	in_guest --append 'nvme_core.io_timeout=2 nvme_core.max_retries=0' \
		faults lost passthrough:60 interrupts:60 block:60
	told passthrough 1 false some 'errno 4.*result invalid; its driver cancelled it, after a time-out or a reset'
	told interrupts 1 false some 'errno 4.*its driver cancelled it, after a time-out or a reset'
	told block 1 false some "errno 5.*the kernel's log has more"
	told after 0 true none '$'
}

@test "reads that never complete end the run all the same, as lost" {
	in_guest --append nvme_core.io_timeout=1000 faults gone interrupts:60 block:10
	told interrupts 1 false none 'no completion for 30 s: lost by the device or its driver'
	told block 1 false none 'reads did not complete within 75 s: lost by the device or its driver'
}

@test "7.3: polled passthrough that never completes ends the run all the same, as lost" {
	in_guest --kernel 7.3 --append nvme_core.io_timeout=1000 faults gone passthrough:10
	told passthrough 1 false none 'reads did not complete within 75 s: lost by the device or its driver'
}

@test "a drive that is busy with a format says so, and is read again afterwards" {
	# Not 6.1: reads that fail together, polled, are another way to fault.undrained_poll.
	in_guest --kernel 6.12 --append nvme_core.multipath=N --drive "$two_controllers" faults busy
	told passthrough 1 false some 'NVMe status 0x84: Format In Progress.*result invalid; the drive is busy'
	told interrupts 1 false some 'NVMe status 0x84: Format In Progress'
	told block 1 false some "errno 5.*the kernel's log has more"
	told after 0 true none '$'
}

# crowded KERNEL THREADS: 256 reads of each at once for a queue that takes seven.
crowded() {
	local way
	in_guest --kernel "$1" --append nvme.io_queue_depth=8 faults crowded "$2"
	for way in passthrough interrupts block block_interrupts; do
		told $way 0 true none '$'
	done
	told_times 4 'ns/IO, 3000 I/Os$'
	told_times 4 '^note: nr_requests 7: fewer than -d256: .*: use -d7$'
}

@test "6.1: more reads than the queue takes all complete, and there is advice" {
	crowded 6.1 1   # two rings that poll one queue may meet fault.undrained_poll
}

@test "7.3: more reads than the queue takes all complete, and there is advice" {
	crowded 7.3 2
}

@test "a run in which nothing was measured is invalid, however good its reads" {
	# After 100 reads the drive takes five a second, and 200 fill the queue.
	local slow=driver=null-co,read-zeroes=on,size=1G,throttling.iops-total=5,throttling.iops-total-max=100
	in_guest --append nvme_core.io_timeout=200 --drive "-drive $slow,if=none,id=d0 -device nvme,drive=d0,serial=x" faults slow
	told slow 1 false none 'nothing was measured: no read completed after the first 200'
}
