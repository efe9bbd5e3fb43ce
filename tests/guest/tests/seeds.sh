# SPDX-License-Identifier: MIT
# The systems of the seeds that kernels differ in: JSON of ngbench, then of plugclock-bench.
#   seeds FILTER SECONDS     of plugclock-bench's benchmarks, each that long
# ngbench runs the command of "CQ waiting and wake up optimisations" to the letter, but for
# -r: one read at a time, completed at once by a timer, four workers on one CPU. With FILTER
# it is left out where the guest has several processors.
if [ "$(nproc)" = 1 ]; then
	[ -e /sys/block/nullb0 ] || insmod /modules/configfs.ko &&
		insmod /modules/null_blk.ko no_sched=1 irqmode=2 completion_nsec=0 || exit 1
	taskset -c 0 ngbench -d1 -s1 -c1 -p0 -B1 -F1 -X -b512 -n4 -r"$2" --json /tmp/ngbench \
		/dev/nullb0 >/tmp/out 2>&1 || { cat /tmp/out; exit 1; }
	cat /tmp/ngbench
fi
plugclock-bench --benchmark_filter="$1" --benchmark_min_time="$2" --benchmark_format=json 2>/tmp/err ||
	{ status=$?; cat /tmp/err; exit $status; }
