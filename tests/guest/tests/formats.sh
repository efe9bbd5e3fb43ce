# SPDX-License-Identifier: MIT
# shellcheck shell=dash
# Reads every namespace of a drive in one run, by each way there is: one thread has them all,
# each with a format of its own. A line per way.
#   formats NUMBER-OF-NAMESPACES
until [ -e "/dev/ng0n$1" ]; do usleep 50000; done
echo 16 >/proc/sys/vm/nr_hugepages
mkdir /huge && mount -t hugetlbfs none /huge || exit 1
truncate -s 32M /huge/file

for way in "-p1 -B1" "-p0 -B0" "-p1 -V1" "-p1 -H /huge/file"; do
	# shellcheck disable=SC2086  # words
	timeout 60 ngbench -b8192 -d64 -r1 $way /dev/ng0n* >/tmp/out 2>&1
	echo "$way: status $?: $(tail -n1 /tmp/out)"
done
