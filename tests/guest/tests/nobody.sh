# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# What a user without rights is told: the mode forbids it, the mode allows it and the kernel
# does not, or it is allowed.
mkdir -p /etc
echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd
as_nobody() { su nobody -c 'cd / && /prog/ngbench -b512 -r1 /dev/ng0n1' 2>&1; }

chmod 600 /dev/ng0n1
as_nobody | tail -n1
chmod 666 /dev/ng0n1
as_nobody >/tmp/out
echo "open to all: $?: $(tail -n1 /tmp/out)"
