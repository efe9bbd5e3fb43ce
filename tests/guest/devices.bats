# SPDX-License-Identifier: MIT
# Formats, rights and places of drives: read right, or refused by name.

in_guest() {
	run tests/guest/run --timeout 300 "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

# Seven namespaces: 512 and 4096-byte LBAs, metadata separate and extended, protection of
# every type, first and last in the metadata. QEMU checks that both lengths fit the format.
@test "every format of metadata and protection is read, registered, vectored and in huge pages" {
	local drive='-device nvme,id=n,serial=formats' i=0 format way
	for format in logical_block_size=4096,physical_block_size=4096 ms=8,mset=0 ms=16,mset=1 \
		ms=8,mset=0,pi=1 ms=8,mset=1,pi=2 ms=8,mset=1,pi=3,pil=1 \
		ms=64,mset=0,logical_block_size=4096,physical_block_size=4096; do
		i=$((i + 1))
		drive+=" -drive driver=null-co,read-zeroes=on,size=16M,if=none,id=d$i"
		drive+=" -device nvme-ns,drive=d$i,bus=n,nsid=$i,$format"
	done
	in_guest --drive "$drive" formats 7
	for way in '-p1 -B1' '-p0 -B0' '-p1 -V1' '-p1 -H /huge/file'; do
		grep -q -- "^$way: status 0: " <<<"$output"
	done
}

@test "a block device that the block layer gives no size is refused and its generic device named" {
	local drive='-drive driver=null-co,read-zeroes=on,size=16M,if=none,id=d1 -device nvme,id=n,serial=x'
	run tests/guest/run --timeout 300 --drive "$drive -device nvme-ns,drive=d1,bus=n,nsid=1,ms=8,mset=1" \
		exec ngbench -r1 /dev/nvme0n1
	echo "$output"
	[ "$status" -eq 3 ]
	[[ $output = *"ngbench: /dev/nvme0n1: has no size as a block device"*"read /dev/ng0n1" ]]
}

@test "6.1: the mode of a generic device, and the right that passthrough needs, are told apart" {
	in_guest nobody
	[[ $output = *"ngbench: /dev/ng0n1: permission denied: mode 0600, owner 0, group 0, you are 65534"* ]]
	[[ $output = *"open to all: 3: ngbench: /dev/ng0n1: "*"the kernel wants CAP_SYS_ADMIN"* ]]
}

@test "7.3: a user whom the mode lets in may read a generic device" {
	in_guest --kernel 7.3 nobody
	[[ $output = *"permission denied: mode 0600"* ]]
	[[ $output = *"open to all: 0: "* ]]
}

@test "with two nodes -P1 pins the thread near its drive, and without it there is advice" {
	local memory='-object memory-backend-ram,size=512M,id=m' drive
	memory="${memory}0 -numa node,nodeid=0,cpus=0,memdev=m0 ${memory}1 -numa node,nodeid=1,cpus=1,memdev=m1"
	drive='-device pxb-pcie,id=pxb,bus_nr=64,numa_node=1,bus=pcie.0 -device pcie-root-port,id=root1,bus=pxb,chassis=1'
	drive+=' -drive driver=null-co,read-zeroes=on,size=1G,if=none,id=d0 -device nvme,drive=d0,serial=x,bus=root1'
	in_guest --kernel 7.3 --smp 2 --qemu "-smp 2,sockets=2,cores=1,threads=1 $memory" --drive "$drive" exec sh -c \
		'ngbench info /dev/ng0n1; echo NEAR; ngbench info -P1 /dev/ng0n1; ngbench -P1 -r1 /dev/ng0n1'
	local both=$output
	output=${both%%NEAR*}
	grep -Eq '^cpus +any +0-1$' <<<"$output"
	grep -Eq -A1 '^numa_node +- +1$' <<<"$output"
	[[ $output = *"-> threads may run on another node than the device: -P1 keeps them near it"* ]]
	output=${both##*NEAR}
	grep -Eq '^cpus +near the device +1, threads pinned$' <<<"$output"
	[[ $output != *"another node"* ]]
	[[ $output = *"file=/dev/ng0n1, node=1"* ]]
}
