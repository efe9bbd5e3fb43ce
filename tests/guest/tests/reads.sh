# SPDX-License-Identifier: MIT
# Clock reads per I/O of ngbench, with all statistics on: a line "CASE READS" per case.
#   reads [off]     off: with the cached clock switched off, where the kernel has the switch
for attr in /sys/block/nvme0n1/queue/iostats /sys/block/nvme0n1/queue/iostats_passthrough; do
	[ ! -e $attr ] || echo 1 >$attr
done
switch=/sys/kernel/debug/blk_ktime/enabled
if [ -e $switch ]; then
	if [ "$1" = off ]; then echo 0 >$switch; else echo 1 >$switch; fi
elif [ "$1" = off ]; then
	echo "no $switch"
	exit 1
fi

measure() { # NAME BATCH ARGUMENTS
	name=$1 batch=$2
	shift 2
	ngbench -b512 -d128 -s"$batch" -c"$batch" -p1 -r2 --json /tmp/json "$@" >/tmp/out 2>&1 ||
		{ cat /tmp/out; exit 1; }
	grep -A3 '"polled":{' /tmp/json | grep -q '"effective":"1"' || { echo "$name: not polled"; exit 1; }
	sed -n "s/.*\"clock_reads_per_io\": *\([0-9.e-]*\).*/$name \1/p" /tmp/json | head -n1
}

measure ng_32 32 -u1 /dev/ng0n1
measure ng_1 1 -u1 /dev/ng0n1
measure block_32 32 /dev/nvme0n1
measure block_1 1 /dev/nvme0n1
