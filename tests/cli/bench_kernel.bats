# SPDX-License-Identifier: MIT
# What bench/kernel makes of figures, on recorded ones.
# shellcheck disable=SC2016,SC2154  # scripts of their own; run sets status and output
bats_require_minimum_version 1.5.0

setup() {
    root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    cd "$BATS_TEST_TMPDIR" || return
    # As in a System.map: an alias, a data symbol between functions, a user-space address.
    cat >map <<-'END'
		0000000000001000 A fixed_percpu_data
		ffffffff81000000 T _stext
		ffffffff81000100 T ktime_get
		ffffffff81000200 t blk_mq_start_request
		ffffffff81000200 T aaa_alias_of_it
		ffffffff81000280 D some_data
		ffffffff81000300 T nvme_prep_rq.part.0
		ffffffff81000400 T mutex_lock
	END
    # Two samples that agree, of 32 I/Os each.
    cat >result <<-'END'
		samples 7 2
		ffffffff81000400 4
		ffffffff81000100 130
		ffffffff81000104 130
		ffffffff81000300 64
		ffffffff81000304 64
		ffffffff810002f0 64
		ffffffff81000404 2
	END
}

sum() { run --separate-stderr "$root/bench/kernel/sum" "$@"; }

@test "instructions are summed by function, per I/O, dearest first" {
    sum map 32 result
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "samples 7 2
all 7.1562
path 2.0000
clock_reads 2.0312
function 4.0625 2.0312 ktime_get
function 2.0000 1.0000 nvme_prep_rq.part.0
function 1.0000 0.0000 aaa_alias_of_it
function 0.0938 0.0625 mutex_lock" ]
}

@test "kallsyms of a running kernel, with modules, is as good as a map" {
    sed 's/nvme_prep_rq.part.0/&\t[nvme]/' map | sort -R >kallsyms
    sum kallsyms 32 result
    [ "$status" -eq 0 ]
    [[ $output = *"function 2.0000 1.0000 nvme_prep_rq.part.0"* ]]
}

@test "no samples that agree, and the symbols of another kernel, are refused" {
    : >empty
    sum map 32 empty
    [ "$status" -eq 1 ]
    [[ $stderr = "sum: empty: no two samples agree"* ]]
    echo 'ffffffff80000000 2' >>result
    sum map 32 result
    [ "$status" -eq 1 ]
    [[ $stderr = *"the symbols of map are not those of the kernel that was counted" ]]
    [ -z "$output" ]
}

table() { bash -c ". $root/bench/table.bash; trap 'rm \$rows' EXIT; $1"; }

@test "runs in turn give the median ratio between the least and the greatest" {
    run table "printf '100 %s\n' 97 95 110 99 98 96 | ratio_of_pairs"
    [ "$output" = "0.975 0.95 1.1" ]
    run table "printf '%s\n' '400 392' '500 500' '200 180' | ratio_of_pairs"
    [ "$output" = "0.98 0.9 1" ]
    run table "ratio_of_pairs </dev/null"
    [ -z "$output" ]
}

@test "a verdict that another run could turn says so where that is asked for" {
    run table "row a 3 '<=' 3 '' 2 -9 9; noise=', within noise'; row a 3 '<=' 3 '' 2 -9 9
        row a 3 '<=' 3 '' 4 2 5; row a 3 '<=' 3 '' 1 0 2.9; row a 3 '<=' 3 '' 1; row a - - 0 '' 1 -1 2; print_rows"
    [ "$(tail -n +2 <<<"$output" | sed 's/.*  //')" = "met
met, within noise
missed, within noise
met
met
-" ]
}

@test "a row says whether its budget is met, and a figure that is missing says why" {
    run table "row a '<= 3' '<=' 3 '' 1.25 0.9 1.6; row b '0' '<=' 0 '' 2; row b0 '0' '<=' 0 '' 0; row c - - 0 '' -12.5
        cannot d '<= 1.02' 'no kernel'; print_rows"
    [ "$output" = "what  measured              budget
a     1.250 [0.900, 1.600]  <= 3     met
b     2.000                 0        missed
b0    0.000                 0        met
c     -12.500               -        -
d     no kernel             <= 1.02  -" ]
}

# What user-mode Linux does, as far as its runner can see: a log, output, a status.
pretend_kernel() { printf '#!/bin/sh\n%s\n' "$1" >linux && chmod +x linux; }

um() { run --separate-stderr timeout 30 "$root/bench/kernel/um" "$@"; }

@test "user-mode Linux passes on the command's output and exit status" {
    pretend_kernel 'echo "Linux version 6.1"; printf "out %s\r\n" x >&3; echo "exit 5" >&4'
    um "$PWD/linux" anything
    [ "$status" -eq 5 ]
    [ "$output" = "out x" ]
    [ -z "$stderr" ]
}

@test "user-mode Linux is given the command, quoted, in the folder it was called from" {
    pretend_kernel 'echo "Linux version 6.1"; echo "exit 0" >&4
        for arg; do case $arg in init=*) grep -E "exec|cd " "${arg#init=}" >&3 ;; esac; done'
    um "$PWD/linux" echo "two words" "it's"
    [ "$status" -eq 0 ]
    [[ $output = *"cd '$PWD'"*"exec 'echo' 'two words' 'it'\\''s' "* ]]
}

@test "user-mode Linux that does not start, dies, complains or hangs is said to" {
    pretend_kernel 'echo "no memory"'
    um "$PWD/linux" true
    [ "$status" -eq 1 ]
    [ "$stderr" = "um: the kernel did not start: no memory" ]
    pretend_kernel 'echo "Linux version 6.1"; echo "last words"'
    um "$PWD/linux" true
    [ "$status" -eq 1 ]
    [[ $stderr = *"went down before the command's end: last words" ]]
    pretend_kernel 'echo "Linux version 6.1"; echo "WARNING: CPU: 0"; echo "exit 0" >&4'
    um "$PWD/linux" true
    [ "$status" -eq 1 ]
    [[ $stderr = *"WARNING: CPU: 0"*"the kernel complained"* ]]
    pretend_kernel 'echo "Linux version 6.1"; exec sleep 60'
    um --timeout 1 "$PWD/linux" true
    [ "$status" -eq 124 ]
    [[ $stderr = *"no end after 1 s"* ]]
}

@test "wrong arguments exit 2" {
    um
    [ "$status" -eq 2 ]
    um "$PWD/missing" true
    [ "$status" -eq 2 ]
    [[ $stderr = *"missing: no kernel to run" ]]
    um --timeout 0 "$PWD/linux" true
    [ "$status" -eq 2 ]
    run "$root/bench/kernel/run" nonsense
    [ "$status" -eq 2 ]
    run "$root/bench/kernel/instructions" --batches many 6.1
    [ "$status" -eq 2 ]
}
