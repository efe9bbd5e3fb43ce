# SPDX-License-Identifier: MIT
# Whatever ends an A/B run, iostats is what it was and no probe is left behind.
# On the block device: 6.1 oopses when a crash leaves polled passthrough undrained.
attr=/sys/block/nvme0n1/queue/iostats
failed=0

check() { # WHAT FOUND-BEFORE
	now=$(cat $attr)
	probes=$(cat /sys/kernel/tracing/kprobe_events)
	if [ "$now" = "$2" ] && [ -z "$probes" ]; then
		echo "ok: $1"
	else
		echo "FAILED: $1: iostats $now, was $2; probes '$probes'"
		failed=1
	fi
}

# Starts a long A/B run and waits until it has turned iostats away from what it was.
start() {
	ngbench -b512 -d64 --ab stats --rounds 50 -r60 /dev/nvme0n1 >/tmp/out 2>&1 &
	pid=$!
	i=0
	while [ "$(cat $attr)" = "$1" ] && [ $i -lt 500 ]; do
		usleep 10000
		i=$((i + 1))
	done
	[ $i -lt 500 ] || { echo "FAILED: the run never turned iostats"; failed=1; }
}

# The end of a run, and each signal in turn, from an iostats of 0 and of 1.
was=0
for way in end TERM HUP INT SEGV ABRT end TERM; do
	echo $was >$attr
	if [ $way = end ]; then
		ngbench -b512 -d64 --ab stats --rounds 2 -r1 /dev/nvme0n1 >/tmp/out 2>&1
	else
		start $was
		kill -$way $pid
		wait $pid
	fi
	echo "status $?"
	check "$way" $was
	was=$((1 - was))
done

# A second run finds the switch held, says so, and leaves the first one alone.
echo 1 >$attr
start 1
ngbench -b512 -d64 --ab stats --rounds 2 -r1 /dev/nvme0n1 >/tmp/second 2>&1
if [ $? != 3 ] || ! grep -q 'held by another run' /tmp/second; then
	echo "FAILED: the second run:"
	cat /tmp/second
	failed=1
fi
kill -TERM $pid
wait $pid
check "two runs" 1
exit $failed
