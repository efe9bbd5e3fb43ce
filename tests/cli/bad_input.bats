# SPDX-License-Identifier: MIT
# Wrong input: one clear line, nothing on stdout, and the status that tells whose fault it
# is: 2 the command line's, 3 this machine's.
# shellcheck disable=SC2154  # run sets status and output
load common

@test "a block size that is zero or no multiple of the LBA size exits 2" {
    refused 2 "-b 0: must be from 1" -b 0 file
    refused 2 "block size 513 is no multiple of its LBA size 512" -b 513 file
    refused 2 "block size 513" -b513 /dev/null
}

@test "a depth, a number of threads or another number out of range exits 2 and says the range" {
    refused 2 "-d 0: must be from 1 to 32768" -d 0 file
    refused 2 "-d 100000: must be from 1 to 32768" -d 100000 file
    refused 2 "-n 0: must be from 1 to 1024" -n 0 file
    refused 2 "--rounds 1: must be from 2" --rounds 1 file
    refused 2 "--sqpoll 2: must be 0 or 1" --sqpoll 2 file
    refused 2 "--rate 0: must be from 1 to 1000000000" --rate 0 file
    refused 2 "--io-count 0: must be from 1" --io-count 0 file
}

@test "a depth beyond what can be registered exits 2 and names -B0" {
    refused 2 "-B0" -d 20000 file
}

@test "what is no number exits 2 and is repeated" {
    local option
    for option in -d -s -c -b -n -r -T --rounds --rate --io-count --max-errors; do
        refused 2 "$option abc: not a number" "$option" abc file
        refused 2 "$option -1: not a number" "$option" -1 file
        refused 2 "$option : not a number" "$option" '' file
    done
    for option in -p -B -F -X -O -N -t -R -P -V -u; do
        refused 2 "$option maybe: must be 0 or 1" "$option" maybe file
    done
}

@test "an unknown option, one without a value and one with too much exit 2" {
    refused 2 "-z: no such option" -z file
    refused 2 "--nonsense: no such option" --nonsense file
    refused 2 "--depth: needs a value" file --depth
    refused 2 "-d: needs a value" file -d
    refused 2 "--version=3: takes no value" --version=3
    refused 2 "--lat fast: must be off, clock or cached" --lat fast file
    refused 2 "--engine aio: must be nvme, block, null or nop" --engine aio file
    refused 2 "--cpus 3-1: must be auto, or a list" --cpus 3-1 file
}

@test "no device at all exits 2 and says what runs without one" {
    refused 2 "no device: name one" -r1
    refused 2 "is empty" ''
}

@test "the same device twice exits 2, under whatever name" {
    ln -s file link
    ln file hard
    refused 2 "named twice" file file
    refused 2 "the same device as file" file ./file
    refused 2 "the same device as file" file link
    refused 2 "the same device as file" file hard
    refused 2 "the same device as /dev/null" /dev/null "$dir/../../dev/./null"
    [ "$(id -u)" -eq 0 ] || return 0
    mknod null c 1 3
    refused 2 "the same device as /dev/null" /dev/null null
}

@test "a missing path, a directory, a FIFO and another character device exit 2" {
    mkfifo fifo
    refused 2 "missing: No such file" missing
    refused 2 "/dev/ng99n9: No such file or directory; " /dev/ng99n9
    refused 2 "file/below: Not a directory" file/below
    refused 2 "is a directory" .
    refused 2 "is a FIFO" fifo
    refused 2 "is no NVMe generic device" /dev/zero
}

@test "an empty file and one smaller than the block size exit 2" {
    : >empty
    truncate -s 4095 small
    echo hello >tiny
    refused 2 "empty: is empty" empty
    refused 2 "small: smaller" -b4096 small
    refused 2 "tiny: smaller" -b512 tiny
    refused 2 "than one block of 2097152 bytes" -b2m file
}

@test "devices of two kinds together exit 2" {
    refused 2 "/dev/null: is nothing for the block engine" file /dev/null
    refused 2 "file: is nothing for the nvme engine" --engine nvme file
    refused 2 "file: is nothing for the null engine" --engine null file
}

@test "passthrough asked of what has none, or refused to what has nothing else, exits 2" {
    refused 2 "file: -u1 needs an NVMe generic device" -u1 file
    refused 2 "/dev/null: takes passthrough only" -u0 /dev/null
}

@test "polling /dev/null exits 3 and names -p0" {
    refused 3 "use -p0" -p1 /dev/null
    refused 3 "use -p0" -p1 --engine null
}

@test "polling a file without a poll queue exits 3, and with buffered I/O 2" {
    refused 2 "-O1" -p1 -O0 file
    local major disk
    major=$(stat -c %Hd:%Ld file)
    disk=/sys/dev/block/$major
    [ ! -e "$disk/partition" ] || disk=$disk/..
    [ "$(cat "$disk/queue/io_poll" 2>/dev/null)" = 0 ] || skip "the disk of $dir can poll, or is none"
    refused 3 "no poll queue" -p1 file
}

@test "Linux AIO and preadv2, which t/io_uring has, exit 3" {
    refused 3 "-a 1" -a1 file
    refused 3 "-S 1" -S1 file
}

@test "a CPU that is not there exits 3" {
    refused 3 "CPU 4095" --cpus 4095 --engine nop
}

@test "more buffers than memory exits 3 instead of being killed" {
    refused 3 "of memory available" -d 32768 -b 32m -B0 -n 1024 --engine null
    refused 3 "of memory available" -d 1 -b 32m -B0 -n 1024 --engine null --ab depth=1:32768
}

@test "a file that is no hugetlbfs file exits 2, a missing one 3" {
    refused 2 "not a file on hugetlbfs" -H file file
    refused 3 "-H missing" -H missing file
}

@test "no permission exits 3 and shows the mode" {
    cp "$ngbench" ngbench
    chmod 600 file
    [ "$(id -u)" -eq 0 ] || chmod 0 file
    run --separate-stderr as_nobody ./ngbench -r1 file
    [ "$status" -eq 3 ]
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    # shellcheck disable=SC2154
    [[ $stderr = "ngbench: file: permission denied: mode 0"* ]]
}

@test "a memlock limit that is too small exits 3 and names the limit and the need" {
    cp "$ngbench" ngbench
    chmod 644 file
    run --separate-stderr as_nobody bash -c 'ulimit -l 1024 && exec ./ngbench -d 1024 -b 64k -B1 -r1 file'
    [ "$status" -eq 3 ]
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr = "ngbench: "*"a thread needs 65536 KiB"*"memlock limit is 1024 KiB"*"-B0"* ]]
}

@test "wrong --ab values exit 2 before anything is printed" {
    refused 2 "--ab foo: no such knob" --ab foo --engine null
    refused 2 "no such knob" --ab '' --engine null
    refused 2 "needs two settings" --ab lat=off --engine null
    refused 2 "off stands there twice" --ab lat=off:off --engine null
    refused 2 "fast must be off, clock or cached" --ab lat=off:fast --engine null
    refused 2 "at most 8 settings" --ab none=1:2:3:4:5:6:7:8:9 --engine null
    refused 2 "empty or too long" --ab none= --engine null
    refused 2 "empty or too long" --ab none=a: --engine null
    refused 2 "maybe must be on or off" --ab iostats=off:maybe --engine null
    refused 2 "cached must be on or off" --ab ktime=off:cached --engine null
    refused 2 "129 must be from 1 to 128" --ab batch=1:129 --engine null
    refused 2 "must be from 1 to 32768" --ab depth=0:1 --engine null
    refused 2 "-B0" --ab depth=1:20000 --engine null
    refused 2 "must name a file in /sys/block/DISK/queue" --ab sysfs:../ro=0:1 file
    refused 2 "less than 10 ms" --ab none -r1 --rounds 1000 --engine null
}

@test "a knob that the engine does not have exits 3" {
    refused 3 "goes through no queue of the block layer" --ab iostats --engine null
    refused 3 "goes through no queue of the block layer" --ab stats --engine nop
    refused 3 "goes through no queue of the block layer" --ab sysfs:nomerges=0:2 --engine null
    refused 3 "the null engine has nothing to poll" --ab poll --engine null
    refused 3 "the nop engine has no buffers" --ab fixedbufs --engine nop
    refused 3 "the null engine does not go through the block layer" --ab ktime --engine null
}

@test "a kernel without the switch of the cached clock exits 3 and says what is missing" {
    [ ! -e /sys/kernel/debug/blk_ktime ] || skip "this kernel has it"
    ng --ab ktime file
    [ "$status" -eq 3 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr = "ngbench: --ab ktime: "*("debugfs"|"root only"|CONFIG_BLK_KTIME_DEBUG)* ]]
}

@test "a file whose reads cannot be polled exits 3 at -p1 and says so once" {
    local file
    file=$(mktemp -p /dev/shm ngbench.XXXXXX)
    truncate -s 1M "$file"
    ng -p1 -r1 "$file"
    rm "$file"
    [ "$status" -eq 3 ]
    [[ $stderr = "ngbench: $file: has no polled reads"*"use -p0" ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
}
