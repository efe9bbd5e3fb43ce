# SPDX-License-Identifier: MIT
# Polled passthrough polls: hardly an interrupt of the drive in a polled run, many in one
# that is not polled, so that the count itself is seen to work.
interrupts() {
	awk '/nvme/ { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' \
		/proc/interrupts
}

# Prints the interrupts of a run with the given options; the run must do some I/O.
count() {
	before=$(interrupts)
	ngbench -b512 -d256 -c32 -s32 -u1 -r1 "$@" /dev/ng0n1 >/tmp/out || exit 1
	after=$(interrupts)
	ios=$(sed -n 's/^Mean IOPS=.* \([0-9]*\) I\/Os$/\1/p' /tmp/out)
	[ "${ios:-0}" -gt 1000 ] || { echo "only ${ios:-no} I/Os with $*"; exit 1; }
	echo $((after - before))
}

polled=$(count -p1) || { echo "$polled"; exit 1; }
driven=$(count -p0) || { echo "$driven"; exit 1; }
echo "interrupts: $polled polled, $driven not polled"
[ "$polled" -le 20 ] && [ "$driven" -gt 100 ]
