# SPDX-License-Identifier: MIT
# What the KUnit tests that ran at boot say; they need kunit.enable=1 kunit.autorun=1.
cat /sys/kernel/debug/kunit/blk-ktime/results >/tmp/results || exit 1
cat /tmp/results
! grep -qE '^ *not ok|# SKIP' /tmp/results && grep -q '^ok .*blk-ktime' /tmp/results &&
	[ "$(grep -c '^ \+ok ' /tmp/results)" -ge 10 ]
