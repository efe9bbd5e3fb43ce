# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# What bench/kernel/instructions counts: reads in lock-step batches through passthrough and
# the block device with all statistics on, then context switches; on a kernel with the
# switch of the cached clock all of it with the clock off and on. Argument: how many batches.
queue=/sys/block/nvme0n1/queue
ktime=/sys/kernel/debug/blk_ktime/enabled

on() { echo "$2" >"$1" && [ "$(cat "$1")" != 0 ]; }

# A line "result CASE WHAT UNITS" for each result of the plugin, in their order.
count() {
	for device in ng0n1 nvme0n1; do
		lockstep -b512 -d32 -s32 -c32 -p1 -r "$2" /dev/$device || exit
		echo "result $1 $device 32"
	done
	switches "$2" || exit
	echo "result $1 switch 1"
}

on $queue/iostats 1 || exit
[ ! -e $queue/iostats_passthrough ] || on $queue/iostats_passthrough 1 || exit
if [ -e $ktime ]; then
	echo 0 >$ktime && [ "$(cat $ktime)" = 0 ] || exit
	count off "$1"
	on $ktime 1 || exit
	count on "$1"
else
	count none "$1"
fi
