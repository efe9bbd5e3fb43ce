# SPDX-License-Identifier: MIT
# What every other guest test builds on is there: drive, poll queue, kprobe, arguments.
uname -r
[ -c /dev/ng0n1 ] || { echo "no /dev/ng0n1"; exit 1; }
[ "$(cat /sys/block/nvme0n1/queue/io_poll)" = 1 ] || { echo "io_poll is not 1"; exit 1; }
grep -q '\[none\]' /sys/block/nvme0n1/queue/scheduler || { echo "scheduler is not none"; exit 1; }
echo 'p:hello ktime_get' >/sys/kernel/tracing/kprobe_events || { echo "no kprobe"; exit 1; }
echo >/sys/kernel/tracing/kprobe_events
for arg; do echo "arg <$arg>"; done
