#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ngbench on an emulated NVMe drive under a stock Debian 6.1 kernel.

# The JSON of a run in a guest goes to $json; what it printed instead, where it failed.
ngbench_json() {
	# shellcheck disable=SC2016 # the guest's shell expands it
	json=$(tests/guest/run exec sh -c \
		'ngbench "$@" --json - 2>/tmp/err || { status=$?; cat /tmp/err; exit $status; }' \
		ngbench "$@") || { echo "$json"; return 1; }
}

@test "polled passthrough takes no interrupts" {
	run tests/guest/run polled
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a thread of the kernel submits and polls" {
	run tests/guest/run --smp 2 --threads single --timeout 300 sqpoll
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok: ' <<<"$output")" -eq 6 ]
}

@test "the seeds' own command line runs and prints t/io_uring's lines" {
	run tests/guest/run exec ngbench -b512 -d256 -c32 -s32 -p1 -F1 -B1 -O0 -n1 -u1 -r2 /dev/ng0n1
	echo "$output"
	[ "$status" -eq 0 ]
	grep -Eq '^submitter=0, tid=[0-9]+, file=/dev/ng0n1, node=-?[0-9]+$' <<<"$output"
	grep -q '^polled=1, fixedbufs=1/0, register_files=1, buffered=1, QD=256$' <<<"$output"
	grep -Eq '^IOPS=[0-9.]+[MK]?, BW=[0-9.]+[MG]iB/s, IOS/call=[0-9]+/[0-9]+$' <<<"$output"
	grep -q '^Exiting on timeout$' <<<"$output"
	awk -F= '/^Clock reads.IO/ { exit !($2 > 1.9 && $2 < 2.1) }' <<<"$output"
}

@test "two clock reads per I/O fall to one with statistics off, and the A/B says so" {
	ngbench_json -b512 -d256 -u1 --ab stats --rounds 3 -r2 /dev/ng0n1
	echo "$json" | jq -c .arms
	jq -e '.valid and .complete and .knob == "stats"
		and .arms[0].name == "off" and .arms[1].name == "on"
		and (.arms[0].clock_reads_per_io - 1 | fabs) < 0.1
		and (.arms[1].clock_reads_per_io - 2 | fabs) < 0.1
		and (.comparisons | length) == 1' <<<"$json"
}

@test "on the block device statistics are counted when on and not when off" {
	ngbench_json -b512 -d256 --ab iostats=on:off --rounds 3 -r2 /dev/nvme0n1
	echo "$json" | jq -c .arms
	jq -e '.conditions.polled.effective == "1"
		and .arms[0].accounted_per_io > 0.9 and .arms[1].accounted_per_io < 0.1
		and (.arms[0].clock_reads_per_io - .arms[1].clock_reads_per_io - 1 | fabs) < 0.1' \
		<<<"$json"
}

# Without boot_id nothing can be noted, and so nothing may be switched.
@test "where no note can be kept the clock is not counted and no knob is turned, with the reason" {
	run tests/guest/run exec sh -c '
		mount -t tmpfs none /proc/sys/kernel/random || exit 9
		ngbench -b512 -u1 -r1 /dev/ng0n1 || exit 8
		ngbench -b512 -u1 --ab stats -r1 --rounds 2 /dev/ng0n1; echo "status $?"
		cat /sys/block/nvme0n1/queue/iostats'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output = *"Clock reads/IO=n/a: noting a kprobe on ktime_get"*"No such file or directory"* ]]
	[[ $output = *"noting what /sys/block/nvme0n1/queue/iostats holds"*"status 3"* ]]
	[ "${lines[-1]}" = 1 ]
}

@test "the knob and the probe are put back on every way out" {
	run tests/guest/run ways_out
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok: ' <<<"$output")" -eq 9 ]
}

@test "what a killed run left is found, and put back by restore, once" {
	run tests/guest/run killed
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok: ' <<<"$output")" -eq 5 ]
}

@test "a kernel that charges passthrough nothing is not possible, with the reason" {
	run tests/guest/run --kernel 6.12 exec ngbench -b512 -u1 --ab stats -r1 --rounds 2 /dev/ng0n1
	echo "$output"
	[ "$status" -eq 3 ]
	[[ $output = *"charges no statistics to it"* ]]
}

# Mean latency times IOPS is what is in flight: the depth, less what a batch has not filled
# again yet, and never above it. tests/unit/test_latency.c has it exactly; here the drive takes 20 ms for each read.
@test "latencies obey Little's law for every mix of batches, and in each arm" {
	local run='ngbench -b512 -d128 -u1 -p1 --json - /dev/ng0n1'
	local drive='-drive driver=null-co,read-zeroes=on,size=1G,latency-ns=20000000,if=none,id=d0'
	run tests/guest/run --drive "$drive -device nvme,drive=d0,serial=slow" exec sh -c "
		for b in '-s32 -c32' '-s1 -c1' '-s32 -c1' '-s1 -c32' '-s8 -c32'; do
			$run \$b -r2 --lat cached 2>/dev/null || exit
		done
		$run --ab lat=clock:cached -r4 --rounds 2 2>/dev/null"
	echo "$output" | jq -c '.arms[] | [.name, .latency.mean_ns, .latency.mean_ns * .iops_mean / 1e9]'
	[ "$status" -eq 0 ]
	jq -es '([.[] | .arms[]] | length) == 7 and (.[5].arms | map(.name) == ["clock", "cached"])
		and ([.[] | .arms[] | .latency.mean_ns * .iops_mean / 1e9] | min > 64 and max < 128 * 1.05)
		and ([.[] | .arms[].latency.percentiles_ns["1"]] | min >= 20000000 * 0.99)' <<<"$output"
}
