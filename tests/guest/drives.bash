# SPDX-License-Identifier: MIT
# Emulated drives that more than one test of guests takes, for --drive.
# shellcheck shell=bash disable=SC2034  # for those that load it

# One namespace with two controllers, to be formatted by the one while the other reads: 256
# writes of 20 ms each.
two_controllers='-device nvme-subsys,id=s -device nvme,subsys=s,id=n,serial=x -device nvme,subsys=s,serial=x'
two_controllers+=' -drive driver=null-co,read-zeroes=on,size=4G,latency-ns=20000000,if=none,id=d0'
two_controllers+=' -device nvme-ns,bus=n,drive=d0,nsid=1'

# One controller with two namespaces, one of which can be detached.
two_namespaces='-device nvme-subsys,id=s -device nvme,subsys=s,id=n,serial=x'
for n in 0 1; do
	two_namespaces+=" -drive driver=null-co,read-zeroes=on,size=64M,if=none,id=d$n"
	two_namespaces+=" -device nvme-ns,bus=n,drive=d$n,nsid=$((n + 1))"
done
