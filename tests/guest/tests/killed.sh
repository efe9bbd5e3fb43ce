# SPDX-License-Identifier: MIT
# What a run leaves that is killed outright, and 'ngbench restore' after it.
# On the block device: 6.1 oopses when a process dies with polled passthrough in flight.
attr=/sys/block/nvme0n1/queue/iostats
failed=0

complain() { # WHAT
	echo "FAILED: $*"
	failed=1
}

# Starts a run and kills it as soon as COMMAND succeeds.
kill_when() { # COMMAND...
	ngbench -p0 -b512 -d64 --ab stats --rounds 50 -r60 /dev/nvme0n1 >/tmp/out 2>&1 &
	pid=$!
	i=0
	until "$@" || [ $i -eq 500 ]; do
		usleep 10000
		i=$((i + 1))
	done
	[ $i -lt 500 ] || complain "never came to: $*"
	kill -KILL $pid
	wait $pid
}
# shellcheck disable=SC2317  # called by kill_when
turned() { [ "$(cat $attr)" != "$was" ]; }
# shellcheck disable=SC2317
probed() { [ "$(cat /sys/kernel/tracing/events/plugclock/*/enable 2>/dev/null)" = 1 ]; }

for was in 0 1; do
	for state in turned probed; do
		echo $was >$attr
		kill_when $state
		# Whatever it had in flight is drained by the kernel; the switch stays.
		ngbench -p0 -b512 --ab stats -r1 --rounds 2 /dev/nvme0n1 >/tmp/out 2>&1
		if [ $? != 3 ] || ! grep -q "'ngbench restore' puts it back" /tmp/out; then
			complain "the next A/B: $(cat /tmp/out)"
		fi
		if ! ngbench -p0 -b512 -r1 /dev/nvme0n1 >/tmp/out 2>&1 ||
			! grep -q "^$attr: left switched by a run that was killed" /tmp/out; then
			complain "the next plain run: $(cat /tmp/out)"
		fi
		ngbench restore >/tmp/out || complain "restore: status $?"
		grep -q "^$attr: put back to $was (run $pid)" /tmp/out || complain "restore: $(cat /tmp/out)"
		[ "$(cat $attr)" = $was ] || complain "iostats is $(cat $attr), was $was"
		[ -z "$(cat /sys/kernel/tracing/kprobe_events)" ] || complain "a probe is left"
		[ "$(ngbench restore)" = 'nothing to put back' ] || complain 'restore twice'
		ngbench -p0 -b512 --ab stats -r1 --rounds 2 /dev/nvme0n1 >/tmp/out 2>&1 ||
			complain "an A/B after restore: $(cat /tmp/out)"
		echo "ok: killed with iostats $was and $state"
	done
done

# A live run is left alone.
was=1
echo 1 >$attr
ngbench -p0 -b512 -d64 --ab stats --rounds 50 -r60 /dev/nvme0n1 >/tmp/out 2>&1 &
pid=$!
until turned; do usleep 10000; done
[ "$(ngbench restore)" = "run $pid is still at work: left alone" ] || complain 'restore beside a run'
kill -TERM $pid
wait $pid
if [ "$(ngbench restore)" != 'nothing to put back' ] || [ "$(cat $attr)" != 1 ]; then
	complain 'after the run'
fi
echo "ok: alive"
exit $failed
