#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every knob on the kernels that have it and on those that do not.
# shellcheck disable=SC2154  # run sets status and output

# knobs KERNEL DEVICE,KNOB...
knobs() {
	run tests/guest/run --kernel "$1" knobs "${@:2}"
	echo "$output"
	[ "$status" -eq 0 ]
	# Only the lines that are expected: every attribute is what it was.
	! grep -q '^[+-]' <<<"$output"
}

@test "each knob of a stock 6.1 is switched, measured and put back" {
	knobs 6.1 ng0n1,wbt=off:on:500 ng0n1,poll ng0n1,batch=1:16 ng0n1,depth=4:64 ng0n1,fixedbufs \
		nvme0n1,sysfs:scheduler=none:mq-deadline nvme0n1,sysfs:nomerges=0:2 nvme0n1,wbt
	[ "$(grep -c ': 0$' <<<"$output")" -eq 8 ]
}

@test "what a stock 6.1 has not, or does not take, is not possible, with the reason" {
	knobs 6.1 ng0n1,iostats_passthrough nvme0n1,iostats_passthrough nvme0n1,sysfs:nomerges=0:3 \
		nvme0n1,sysfs:scheduler=none:bfq nvme0n1,sysfs:nr_requests=08:16 nvme0n1,sysfs:nonesuch=0:1
	[ "$(grep -c ': 3$' <<<"$output")" -eq 6 ]
	[[ $output = *"iostats_passthrough: No such file or directory: this kernel or this disk has no such attribute"* ]]
	[[ $output = *"/dev/nvme0n1 is not read by passthrough"* ]]
	[[ $output = *"nomerges reads back 1 after writing 3: the switch did not take"* ]]
	[[ $output = *"writing bfq to /sys/block/nvme0n1/queue/scheduler: Invalid argument"* ]]
	[[ $output = *"nr_requests reads back 8 after writing 08"* ]]
}

@test "passthrough on 6.12 is charged by no knob, and says so" {
	knobs 6.12 ng0n1,stats ng0n1,iostats ng0n1,wbt
	[ "$(grep -c ': 3$' <<<"$output")" -eq 3 ]
	[ "$(grep -c 'charges no statistics to it' <<<"$output")" -eq 2 ]
	[[ $output = *"writeback throttling does not see this path"* ]]
}

@test "passthrough on 7.3 is charged by iostats_passthrough, which stats picks" {
	knobs 7.3 ng0n1,stats ng0n1,iostats_passthrough nvme0n1,stats
	[ "$(grep -c ': 0$' <<<"$output")" -eq 3 ]
}
