# SPDX-License-Identifier: MIT
# What the block layer says a read of null_blk takes, where the driver completes it inside
# the submitter's plug (irqmode=0). Prints, per read in batches of 32: the mean time in
# /sys/block/nullb0/stat and the time by the wall clock, in ns; with the cached clock on and
# off in turn where the kernel has the switch.
#   nullblk [ROUNDS]
switch=/sys/kernel/debug/blk_ktime/enabled
if [ ! -e /sys/block/nullb0 ]; then
	insmod /modules/configfs.ko &&
		insmod /modules/null_blk.ko queue_mode=2 irqmode=0 submit_queues=1 nr_devices=1 || exit 1
fi
[ "$(cat /sys/module/null_blk/parameters/irqmode)" = 0 ] || { echo "irqmode is not 0"; exit 1; }
echo none >/sys/block/nullb0/queue/scheduler
echo 1 >/sys/block/nullb0/queue/iostats

# reads done and their time in ms, of /sys/block/nullb0/stat
stat() { awk '{ print $1, $4 }' /sys/block/nullb0/stat; }

measure() { # NAME
	# shellcheck disable=SC2046  # two words
	set -- "$1" $(stat)
	ngbench -b512 -d32 -s32 -c32 -p0 -r1 --json /tmp/json /dev/nullb0 >/tmp/out 2>&1 ||
		{ cat /tmp/out >&2; exit 1; }
	# shellcheck disable=SC2046
	set -- "$@" $(stat)
	wall=$(sed -n 's/.*"ns_per_io": *\([0-9]*\).*/\1/p' /tmp/json | head -n1)
	awk -v name="$1" -v reads=$(($4 - $2)) -v ms=$(($5 - $3)) -v wall="$wall" \
		'BEGIN { printf "%s reads %d stat_ns %d wall_ns %d\n", name, reads, ms * 1e6 / reads, wall }'
}

# While a guest is young its kernel has work of its own, which preempts the load.
measure young >/dev/null
if [ ! -e $switch ]; then
	measure unpatched
	exit
fi
round=0
while [ $round -lt "${1:-2}" ]; do
	for state in 1 0 0 1; do
		echo $state >$switch
		if [ $state = 1 ]; then measure on; else measure off; fi
	done
	round=$((round + 1))
done
