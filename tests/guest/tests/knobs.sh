# SPDX-License-Identifier: MIT
# Knobs on the real attributes of an emulated drive: a line 'KNOB DEVICE: STATUS' for each,
# its message or the JSON's word on the arms below, and that all attributes are what they were.
attributes() { grep -r . /sys/block/nvme0n1/queue 2>/dev/null; }

attributes >/tmp/before
for knob in "$@"; do
	device=${knob%%,*}
	knob=${knob#*,}
	ngbench -b512 -d64 -s16 -c16 --ab "$knob" -r1 --rounds 2 --json /tmp/json "/dev/$device" >/tmp/out 2>/tmp/err
	echo "$knob $device: $?"
	cat /tmp/err
	attributes >/tmp/after
	cmp /tmp/before /tmp/after || diff /tmp/before /tmp/after
done
[ "$(ngbench restore)" = 'nothing to put back' ]
