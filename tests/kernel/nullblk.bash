# SPDX-License-Identifier: MIT
# Sourced by tests and benches: what the block layer says a read of null_blk takes, as a share
# of its batch's time (tests/guest/tests/nullblk.sh).
# shellcheck shell=bash

# nullblk KERNEL ROUNDS: prints lines "NAME reads N stat_ns N wall_ns N"; NAME is on or off
# where the kernel can switch the cached clock, else unpatched. Time runs by instructions, so
# that what else the machine does is not measured: repeats to 0.1 %.
nullblk() {
	tests/guest/run --accel tcg --threads single --qemu '-icount shift=1,sleep=off' --drive none \
		--timeout 600 --kernel "$1" --append 'null_blk.queue_mode=2 null_blk.irqmode=0
		null_blk.submit_queues=1 null_blk.nr_devices=1' nullblk "$2"
}

# share NAME: of such lines on standard input, the median time of a read in
# /sys/block/nullb0/stat, in thousandths of the time that a batch of 32 took by the wall clock.
share() {
	awk -v name="$1" '$1 == name { print int(1000 * $5 / (32 * $7)) }' | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0 }'
}
