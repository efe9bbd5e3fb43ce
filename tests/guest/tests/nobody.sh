# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# What a user without rights is told: the mode forbids it, the mode allows it and the kernel
# does not, or it is allowed.
cd / || exit 1
chmod 600 /dev/ng0n1
setuidgid 65534:65534 ngbench -b512 -r1 /dev/ng0n1 2>&1 | tail -n1
chmod 666 /dev/ng0n1
setuidgid 65534:65534 ngbench -b512 -r1 /dev/ng0n1 >/tmp/out 2>&1
echo "open to all: $?: $(tail -n1 /tmp/out)"
