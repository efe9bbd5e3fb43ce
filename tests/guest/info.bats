# SPDX-License-Identifier: MIT
# ngbench info on an emulated NVMe drive: what is in force, and what to do about it.

# in_guest [OPTION of tests/guest/run]... -- SCRIPT: for the guest's shell; output is in $output.
in_guest() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	run tests/guest/run "${options[@]}" exec sh -c "$2"
	echo "$output"
	[ "$status" -eq 0 ]
}

# has NAME ASKED EFFECTIVE [ADVICE]: a line of the table, and the one below it; ADVICE "" means
# that there must be none.
has() {
	local found next
	found=$(grep -En -m1 "^$1 +$2 +$3\$" <<<"$output") || { echo "MISSING: $1 $2 $3"; return 1; }
	[ $# -eq 4 ] || return 0
	next=$(sed -n "$((${found%%:*} + 1))p" <<<"$output")
	if [ -n "$4" ]; then
		[[ $next = "    -> "*"$4"* ]] || { echo "NO ADVICE: $1: $4"; return 1; }
	else
		[[ $next != "    -> "* ]] || { echo "ADVICE: $1: $next"; return 1; }
	fi
}

@test "6.1: everything that charges polled passthrough is named, and how to end it" {
	in_guest --append nvme.poll_queues=2 --smp 2 -- \
		'echo mq-deadline >/sys/block/nvme0n1/queue/scheduler; ngbench info -p1 /dev/ng0n1'
	has fault.undrained_poll - 'Linux 6.1 to 6.4, seen in 6.1.192' 'SIGINT or SIGTERM'
	has io_uring_disabled - 0 ''
	has memlock '512 KiB' unlimited ''
	has cpus any 0-1 ''
	has engine auto nvme
	has polled 1 1 ''
	has device - '/dev/ng0n1, NVMe generic device on nvme0n1'
	has lbas - '2097152 of 512 bytes'
	has metadata - none
	has protection - none
	has mdts - '512 KiB'
	has io_poll - 1
	has iostats - 1 'echo 0 >/sys/block/nvme0n1/queue/iostats ends it'
	has wbt_lat_usec - '[0-9]+' ''
	has scheduler - '\[mq-deadline\] none' 'echo none >/sys/block/nvme0n1/queue/scheduler'
	has nomerges - 0 ''
	has queue_stats - on 'no switch ends it'
	has nvme.poll_queues 2 2 ''
}

@test "7.3: passthrough is charged by iostats_passthrough alone, the block device by more" {
	in_guest --kernel 7.3 -- 'echo 1 >/sys/block/nvme0n1/queue/iostats_passthrough
		ngbench info /dev/ng0n1 && ngbench info /dev/nvme0n1 >/tmp/block && echo BLOCK && cat /tmp/block'
	local both=$output
	output=${both%%BLOCK*}
	[[ $output != *fault.* ]]
	has iostats - 1 ''
	has iostats_passthrough - '[1-9]' 'queue/iostats_passthrough ends it'
	has queue_stats - on ''
	has nvme.poll_queues 1 1
	output=${both##*BLOCK}
	has engine auto block
	has polled auto 1 ''
	has iostats - 1 'echo 0 >/sys/block/nvme0n1/queue/iostats ends it'
	has iostats_passthrough - '[1-9]' ''
	has nomerges - 0 'echo 2 >/sys/block/nvme0n1/queue/nomerges'
}

@test "without a poll queue the advice is how to get one, and -p0 needs none" {
	in_guest --append nvme.poll_queues=0 -- 'ngbench info /dev/ng0n1 && ngbench info -p0 /dev/ng0n1 >/tmp/p0 && echo P0 && cat /tmp/p0'
	local both=$output
	output=${both%%P0*}
	has polled auto 0 'has no poll queue: modprobe nvme poll_queues=2'
	has io_poll - 0
	has nvme.poll_queues 0 0
	output=${both##*P0}
	has polled 0 0 ''
}

@test "formats are told: 4096-byte LBAs, separate and extended metadata, protection" {
	local null='driver=null-co,read-zeroes=on,if=none' drive='-device nvme,id=n,serial=formats'
	drive+=" -drive $null,size=64M,id=d1 -device nvme-ns,drive=d1,bus=n,nsid=1,logical_block_size=4096,physical_block_size=4096"
	drive+=" -drive $null,size=16M,id=d2 -device nvme-ns,drive=d2,bus=n,nsid=2,ms=8,mset=0"
	drive+=" -drive $null,size=16M,id=d3 -device nvme-ns,drive=d3,bus=n,nsid=3,ms=16,mset=1"
	drive+=" -drive $null,size=16M,id=d4 -device nvme-ns,drive=d4,bus=n,nsid=4,ms=8,mset=1,pi=1"
	in_guest --drive "$drive" -- \
		'until [ -e /dev/ng0n4 ]; do usleep 50000; done; ngbench info /dev/ng0n1 /dev/ng0n2 /dev/ng0n3 /dev/ng0n4'
	has /dev/ng0n1.lbas - '16384 of 4096 bytes'
	has /dev/ng0n1.metadata - none
	has /dev/ng0n2.metadata - '8 bytes per LBA, separate'
	has /dev/ng0n2.protection - none
	has /dev/ng0n3.metadata - '16 bytes per LBA, extended LBA'
	has /dev/ng0n4.metadata - '8 bytes per LBA, extended LBA'
	has /dev/ng0n4.protection - 'type 1, transferred and not checked'
	has nvme0n4.io_poll - 1
}

@test "a latency of 0 of null_blk is told of on kernels with a cached time" {
	in_guest --kernel 6.12 --drive none -- 'insmod /modules/configfs.ko; insmod /modules/null_blk.ko queue_mode=2 poll_queues=0 && ngbench info /dev/nullb0'
	has fault.zero_latency - 'Linux 6.9 on, seen in 6.12.117 and 7.3.4' 'use --lat cached'
	[[ $output != *fault.stale_time* ]]
	has polled auto 0 'modprobe null_blk poll_queues=2'
}

@test "where io_uring is disabled all is told all the same, and the exit status is 3" {
	in_guest --kernel 6.12 -- 'echo 2 >/proc/sys/kernel/io_uring_disabled
		ngbench info /dev/ng0n1 2>/tmp/err; echo "status $?"; cat /tmp/err'
	has io_uring_disabled - 2 'sysctl kernel.io_uring_disabled=0'
	has mdts - '512 KiB'
	[[ $output = *"status 3"*"ngbench: "*"kernel.io_uring_disabled=2"* ]]
}
