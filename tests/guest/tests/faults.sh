# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# A drive that fails in the middle of a run. Each line of output is one run: what was done,
# its exit status, and from its JSON whether it is valid and how many reads failed; then what
# it said on stderr.
#   faults errors|limit|unplug|detach|lost|gone|busy|slow|crowded [ARGUMENT]...
pid='' at=/tmp/run   # of the run that was started last

report() { # WHAT STATUS
	valid=$(sed -n 's/^ *"valid": *\([a-z]*\).*/\1/p' "$at.json")
	errors=$(sed -n 's/^ *"errors": *\([0-9]*\).*/\1/p' "$at.json" | head -n1)
	echo "$1: status $2, valid $valid, errors $([ "${errors:-0}" -gt 0 ] && echo some || echo none): $(cat "$at.err")"
}

start() { # ARGUMENTS
	rm -f "$at.json"
	timeout 250 ngbench -b4096 -d32 -r60 --json "$at.json" "$@" >"$at.out" 2>"$at.err" &
	pid=$!
}

run() { # WHAT ARGUMENTS
	what=$1
	shift
	start "$@"
	wait "$pid"
	report "$what" $?
}

# Until the run does I/O, or is over.
until_running() {
	until grep -q '^IOPS=' "$at.out" || ! kill -0 "$pid" 2>/dev/null; do usleep 50000; done
}

# A way to read is a name and ngbench's arguments for it.
passthrough="passthrough -p1 /dev/ng0n1"
interrupts="interrupts -p0 /dev/ng0n1"
block="block -p1 /dev/nvme0n1"
block_interrupts="block_interrupts -p0 /dev/nvme0n1"

# shellcheck disable=SC2086  # ways are words
case $1 in
errors)
	for way in "$passthrough" "$interrupts" "$block" "buffered -O0 -p0 /dev/nvme0n1"; do
		run $way
	done
	;;
limit)
	# In order, so that each turn meets the bad block once: 16 times in all. Merged with it
	# into one request its neighbour would fail, too.
	echo 2 >/sys/block/nvme0n1/queue/nomerges
	for way in "$passthrough" "$interrupts" "$block"; do
		for limit in 16 15; do
			run "${way%% *}_$limit" -R0 --io-count 4000 --max-errors $limit ${way#* }
			grep '^Errors=' $at.out
			grep '"errors"' $at.json
		done
	done
	;;
unplug)
	start "$2" "$3"
	until_running
	echo 1 >"$(readlink -f /sys/class/nvme/nvme0/device)/remove"
	wait $pid
	report unplug $?
	;;
detach)
	until [ -e /dev/ng0n2 ]; do usleep 50000; done
	start -p1 /dev/ng0n1
	until_running
	# Namespaces are found at once and named as they come.
	detach /dev/nvme0 "$(cat /sys/block/nvme0n1/nsid)" || exit 1
	wait $pid
	report detach $?
	# The drive and its other namespace go on.
	run other -r1 /dev/ng0n2
	timeout 60 ngbench -b4096 -r1 /dev/ng0n1 >$at.out 2>$at.err
	echo "gone: status $?: $(cat $at.err)"
	;;
lost | gone)
	mode=$1
	shift
	for arg in "$@"; do # WAY:SECONDS, all at once
		at=/tmp/${arg%:*}
		eval "way=\$${arg%:*}"
		start ${way#* } -r"${arg#*:}"
		echo $pid >$at.pid
	done
	for arg in "$@"; do
		at=/tmp/${arg%:*} pid=$(cat /tmp/"${arg%:*}".pid)
		until_running
	done
	# Without bus mastering (bit 2 of the command) nothing that the drive writes arrives:
	# no data, no completion, no interrupt. Resets by the driver allow it again.
	printf '\003' | dd of="$(readlink -f /sys/class/nvme/nvme0/device)/config" \
		bs=1 seek=4 conv=notrunc 2>/dev/null
	for arg in "$@"; do
		at=/tmp/${arg%:*}
		wait "$(cat $at.pid)"
		report "${arg%:*}" $?
	done
	[ "$mode" = gone ] || run after -r2 /dev/ng0n1
	;;
busy)
	until [ -e /dev/ng0n1 ] && [ -e /dev/ng1n1 ]; do usleep 50000; done
	for way in "$passthrough" "$interrupts" "$block"; do
		start ${way#* }
		until_running
		# By the other controller: the reader's own would hold its reads back meanwhile.
		format /dev/nvme1 1 || exit 1
		wait $pid
		report "${way%% *}" $?
	done
	run after -r2 /dev/ng0n1
	;;
slow)
	run slow -d200 -r1 ${passthrough#* }
	;;
crowded)
	for way in "$passthrough" "$interrupts" "$block" "$block_interrupts"; do
		run "${way%% *}" -d256 -n"$2" --io-count 3000 ${way#* }
		grep '^Mean\|^note: nr_requests' $at.out
	done
	;;
esac
true
