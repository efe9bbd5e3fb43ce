# SPDX-License-Identifier: MIT
# Reads that a thread of the kernel submits (--sqpoll 1): polled and driven by interrupts,
# passthrough and block device, registered or not. Prints a line for each.
status=0
try() {
	ngbench -b512 --sqpoll 1 -r2 "$@" >/tmp/out 2>&1 || { echo "failed: $*"; cat /tmp/out; status=1; return; }
	# Without the thread a call submits one batch, of 32.
	awk -v what="$*" '/^IOPS=/ { split($0, part, "IOS/call="); split(part[2], n, "/"); per = n[1] }
		/sqpoll 1/ { on = 1 }
		/^Mean IOPS=/ { ios = $(NF - 1) }
		/^Clock reads.IO=/ { split($2, part, "="); reads = part[2] }
		END {
			good = on && ios > 32 && (per == 0 || per > 32) && reads > 1.9 && reads < 4.2
			printf "%s: %s: %d reads, %d per call, %s clock reads per read\n",
				good ? "ok" : "failed", what, ios, per, reads
			exit !good
		}' /tmp/out || { cat /tmp/out; status=1; }
}
try -u1 -p1 /dev/ng0n1
try -u1 -p0 -F0 -B0 -X0 /dev/ng0n1
try -u1 -p1 --lat cached /dev/ng0n1
try -p1 /dev/nvme0n1
try -p0 -V1 /dev/nvme0n1

# The program's thread is nobody's second and last: the kernel's would be the third.
mkdir -p /etc
echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd
su nobody -c 'cd / && ulimit -u 2 && exec /prog/ngbench --engine nop --sqpoll 1 -r1' >/tmp/out 2>&1
code=$?
if [ $code -eq 3 ] && grep -q 'ngbench: --sqpoll 1: no thread is left for the kernel' /tmp/out; then
	echo "ok: without a thread left it is refused"
else
	echo "failed: without a thread left: status $code"
	cat /tmp/out
	status=1
fi
exit $status
