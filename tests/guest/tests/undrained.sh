# SPDX-License-Identifier: MIT
# Ends a program that has polled passthrough reads in flight, some times. On 6.1.192 the
# kernel then takes the function that completes such a read for a bio, and oopses.
round=0
while [ $round -lt 3 ]; do
	ngbench -b512 -d128 -s32 -c32 -p1 -u1 -r60 /dev/ng0n1 >/tmp/out 2>&1 &
	pid=$!
	usleep 300000
	kill -0 $pid || { cat /tmp/out; exit 1; }
	kill -KILL $pid
	wait $pid
	round=$((round + 1))
done
# The drive still works.
ngbench -b512 -d128 -s32 -c32 -p1 -u1 -r2 /dev/ng0n1 >/tmp/out 2>&1 || { cat /tmp/out; exit 1; }
ios=$(sed -n 's/^Mean IOPS=.* \([0-9]*\) I\/Os$/\1/p' /tmp/out)
echo "ended $round times, then ${ios:-no} reads"
[ "${ios:-0}" -ge 100 ]
