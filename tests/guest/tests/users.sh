# SPDX-License-Identifier: MIT
# Everything that takes the block layer's stamps, each on for a short mixed load of several
# processes: direct reads in batches and one by one, buffered reads, and buffered writes to
# the emulated drive. Whether the kernel complained is the runner's to see.
drive=nvme0n1
queue=/sys/block/$drive/queue
cgroup=/sys/fs/cgroup
number=$(cat /sys/block/$drive/dev)
failed=0
echo +io >$cgroup/cgroup.subtree_control || exit 1
mkdir $cgroup/one $cgroup/two

# in_group GROUP COMMAND...
in_group() { sh -c 'echo $$ >'"$cgroup/$1"'/cgroup.procs; shift; exec "$@"' sh "$@"; }

load() {
	set -- "$(awk '{ print $1 }' /sys/block/$drive/stat)"
	in_group one ngbench -b512 -d64 -s32 -c32 -p1 -r2 /dev/$drive >/tmp/one 2>&1 &
	pids=$!
	in_group two ngbench -b4k -d4 -s1 -c1 -p0 -r2 /dev/$drive >/tmp/two 2>&1 &
	pids="$pids $!"
	in_group one dd if=/dev/$drive of=/dev/null bs=64k count=400 2>/tmp/three &
	pids="$pids $!"
	in_group two dd if=/dev/zero of=/dev/$drive bs=64k count=200 conv=fsync 2>/tmp/four &
	pids="$pids $!"
	for pid in $pids; do wait "$pid" || bad="a part of the load failed"; done
	[ "$(($(awk '{ print $1 }' /sys/block/$drive/stat) - $1))" -ge 100 ] || bad="hardly a read"
	[ -z "$bad" ] || cat /tmp/one /tmp/two /tmp/three /tmp/four
	blockdev --flushbufs /dev/$drive
}

# try NAME: after the user was switched on, with bad set when it did not take
try() {
	[ -n "$bad" ] || load
	if [ -z "$bad" ]; then echo "ok: $1"; else echo "FAILED: $1: $bad"; failed=1; fi
}

bad=''
try none

for elevator in mq-deadline kyber bfq; do
	bad=''
	echo $elevator >$queue/scheduler
	grep -q "\[$elevator\]" $queue/scheduler || bad="not selected"
	try $elevator
done
echo none >$queue/scheduler

bad=''
echo 2000 >$queue/wbt_lat_usec
[ "$(cat $queue/wbt_lat_usec)" = 2000 ] || bad="wbt_lat_usec is not 2000"
try wbt
echo 0 >$queue/wbt_lat_usec

bad=''
echo "$number enable=1 ctrl=user rpct=95 rlat=50000 wpct=95 wlat=50000 min=100 max=1000" >$cgroup/io.cost.qos
grep -q "^$number enable=1" $cgroup/io.cost.qos || bad="not enabled"
echo 300 >$cgroup/one/io.weight
try iocost
grep -q 'cost\.' $cgroup/io.stat || { echo "FAILED: iocost: no cost in io.stat"; failed=1; }
echo "$number enable=0" >$cgroup/io.cost.qos

bad=''
echo "$number target=200" >$cgroup/one/io.latency
grep -q "^$number target=200" $cgroup/one/io.latency || bad="no target"
try iolatency
exit $failed
