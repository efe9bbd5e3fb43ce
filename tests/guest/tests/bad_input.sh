# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# Bad input that needs a real drive or a setting of the kernel. The first argument says
# which guest this is: drives (ng0n1 of 512-byte LBAs, ng1n1 of 4096, ng1n2 with metadata),
# nopoll (no poll queue) or disabled (a kernel with kernel.io_uring_disabled).
failed=0

# refused STATUS PART ARGUMENTS...: that status, nothing on stdout, one line with PART.
refused() {
	want=$1 part=$2
	shift 2
	status=0
	timeout 20 ngbench "$@" >/tmp/out 2>/tmp/err || status=$?
	line=$(cat /tmp/err)
	case $line in
	"ngbench: "*"$part"*) ;;
	*) status="$status, without '$part'" ;;
	esac
	if [ "$status" = "$want" ] && [ ! -s /tmp/out ] && [ "$(wc -l </tmp/err)" = 1 ]; then
		echo "ok: $*: $line"
	else
		echo "FAILED: $*: status $status, wanted $want: $line"
		cat /tmp/out
		failed=1
	fi
}

# runs PART ARGUMENTS...: status 0 and PART on stdout.
runs() {
	part=$1
	shift
	if timeout 20 ngbench "$@" >/tmp/out 2>/tmp/err && grep -q "$part" /tmp/out; then
		echo "ok: $* runs"
	else
		echo "FAILED: $* does not run, or prints no '$part'"
		cat /tmp/out /tmp/err
		failed=1
	fi
}

case $1 in
drives)
	tries=0
	until [ -e /dev/ng1n2 ] || [ $((tries += 1)) -gt 100 ]; do usleep 50000; done
	refused 2 "/dev/ng0n1" -u1 /dev/nvme0n1
	refused 2 "/dev/nvme0n1" -u0 /dev/ng0n1
	refused 2 "is no NVMe generic device" /dev/nvme0
	refused 2 "is nothing for the nvme engine" /dev/ng0n1 /dev/nvme0n1
	mknod /tmp/again c $((0x$(stat -c %t /dev/ng0n1))) $((0x$(stat -c %T /dev/ng0n1)))
	refused 2 "the same device as /dev/ng0n1" /dev/ng0n1 /tmp/again
	refused 2 "(MDTS) of 524288 bytes" -b1m /dev/ng0n1
	refused 2 "is no multiple of its LBA size 4096; use -b4096" -b512 /dev/ng1n1
	refused 2 "is no multiple of its LBA size 4096; use -b4096" -b512 /dev/nvme1n1
	refused 2 "-b 0: must be" -b0 /dev/ng0n1
	refused 2 "smaller" -b32m -p0 /dev/ng1n2
	runs "polled=1" -b256k -d4 -r1 /dev/ng0n1
	runs "Exiting on timeout" -b4096 -r1 /dev/ng1n1
	runs "Exiting on timeout" -b4096 -r1 -R0 /dev/ng1n2
	runs "Exiting on timeout" -b4096 -p0 -B0 -r1 /dev/ng1n2
	;;
nopoll)
	refused 3 "nvme.poll_queues" -p1 -b512 /dev/ng0n1
	refused 3 "nvme.poll_queues" -p1 -b512 /dev/nvme0n1
	runs "has no poll queue: modprobe nvme poll_queues=2" -b512 -r1 /dev/ng0n1
	;;
disabled)
	echo 2 >/proc/sys/kernel/io_uring_disabled || exit 1
	refused 3 "kernel.io_uring_disabled=2" --engine null
	refused 3 "kernel.io_uring_disabled=2" /dev/ng0n1
	;;
esac
exit $failed
