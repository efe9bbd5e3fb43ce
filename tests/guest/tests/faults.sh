# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# A drive that fails in the middle of a run. Each line of output is one run: what was done,
# its exit status, and from its JSON whether it is valid and how many reads failed; then what
# it said on stderr.
#   faults errors|unplug|detach
pid=''

report() { # WHAT STATUS
	valid=$(sed -n 's/^ *"valid": *\([a-z]*\).*/\1/p' /tmp/json)
	errors=$(sed -n 's/^ *"errors": *\([0-9]*\).*/\1/p' /tmp/json | head -n1)
	echo "$1: status $2, valid $valid, errors $([ "${errors:-0}" -gt 0 ] && echo some || echo none): $(cat /tmp/err)"
}

start() { # ARGUMENTS
	rm -f /tmp/json
	timeout 100 ngbench -b4096 -d32 -r60 --json /tmp/json "$@" >/tmp/out 2>/tmp/err &
	pid=$!
}

# Until the run does I/O, or is over.
until_running() {
	until grep -q '^IOPS=' /tmp/out || ! kill -0 $pid 2>/dev/null; do usleep 50000; done
}

case $1 in
errors)
	for way in "passthrough -p1 /dev/ng0n1" "interrupts -p0 /dev/ng0n1" \
		"block -p1 /dev/nvme0n1" "buffered -O0 -p0 /dev/nvme0n1"; do
		# shellcheck disable=SC2086  # words
		set -- $way
		what=$1
		shift
		start "$@"
		wait $pid
		report "$what" $?
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
	timeout 60 ngbench -b4096 -d32 -r1 --json /tmp/json /dev/ng0n2 >/tmp/out 2>/tmp/err
	report other $?
	timeout 60 ngbench -b4096 -r1 /dev/ng0n1 >/tmp/out 2>/tmp/err
	echo "gone: status $?: $(cat /tmp/err)"
	;;
esac
true
