# SPDX-License-Identifier: MIT
# A against B, and the JSON that programs read.
# shellcheck disable=SC2154  # run sets status and output
load common

# Every name that DESIGN.md promises.
promised='
    (.schema == 1) and (.valid | type == "boolean") and (.conditions | type == "object")
    and (.arms | length > 0)
    and all(.arms[]; has("name") and .iops_mean > 0 and .ns_per_io > 0
        and has("clock_reads_per_io") and .errors == 0)
    and all(.comparisons[]; has("a") and has("b") and has("diff_percent")
        and has("diff_ns_per_io") and (.ci95_percent | length == 2)
        and .ci95_percent[0] <= .diff_percent and .diff_percent <= .ci95_percent[1])'

@test "latency modes are compared with an interval each and exit 0" {
    good --engine null --ab lat=off:clock:cached -r1 --rounds 3 --json r.json
    # Slower or not is for the machine to say.
    [[ $output = *"clock "*" off"*": IOPS "*"cached "*" off"*": IOPS "* ]]
    [[ $output = *"no difference shown"* || $output = *"2.00 clock reads/IO more, "*" ns each, explain +"* ]]
    jq -e "$promised" r.json
    jq -e '[.arms[].name] == ["off", "clock", "cached"] and (.comparisons | length == 2)
        and .knob == "lat" and all(.arms[]; .iops_rounds | length == 3)
        and .conditions.kernel.effective != "" and (.steady | type == "boolean")
        and .arms[1].own_clock_reads_per_io == 2 and .arms[1].spread_percent > 0
        and .clock_read_ns > 0 and (.comparisons[0].attribution
            | .clock_reads_per_io == 2 and .unexplained_ci95_ns_per_io[0] < .unexplained_ns_per_io)' r.json
}

@test "nothing against nothing runs and exits 0" {
    good --engine nop --ab none -r1 --rounds 3
    [[ $output = *"second "*" first: "*"IOPS "* ]]
}

@test "arms with rings of their own are compared, and say what each did" {
    good --engine null --ab depth=1:4:64 -r1 --rounds 3 --json r.json
    jq -e "$promised" r.json
    jq -e '[.arms[].name] == ["1", "4", "64"] and .arms[0].iops_mean < .arms[2].iops_mean' r.json
    good --engine null --ab batch -r1 --rounds 3
    good --engine null --ab fixedbufs=on:off -r1 --rounds 3
}

@test "a rate is kept, and said not to be met where it is not" {
    good --engine null --rate 20000 -s4 -r2 --json r.json
    [[ $output = *"Rate: "*" of 20000 IOPS asked for"* ]]
    # However busy the machine is: no more than asked for.
    jq -e '.options.rate == 20000 and .arms[0].ios > 0 and .arms[0].iops_mean <= 20000 * 1.01' r.json
    good --engine null --rate 1000000000 -r1
    [[ $output = *"IOPS asked for, NOT MET"* ]]
}

@test "a number of reads is done to the letter, by one thread and by three" {
    local n threads
    for n in 1 100 100003; do
        for threads in 1 3; do
            good --engine null --io-count $n -n $threads --json r.json
            [[ $output = *"Exiting on I/O count"*" $n I/Os"* ]]
            jq -e --argjson n $n '.complete and .arms[0].ios == $n' r.json
        done
    done
    good --engine null --io-count 1000 --rate 10000 -d4
    refused 2 "--io-count 5: not with --ab" --engine null --io-count 5 --ab none
}

@test "errors are counted up to the limit, and beyond it the run is invalid" {
    truncate -s 16M shrunk
    timeout -k 5 60 "$ngbench" -r30 -O0 -p0 --max-errors 1000000000 --json r.json shrunk >out 2>err 3>&- &
    local pid=$! tries=0
    until grep -q '^IOPS=' out || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
    truncate -s 4k shrunk
    sleep 0.5
    kill -INT $pid
    wait $pid
    grep -q '^Errors=[0-9]* of 1000000000 allowed; the first: shrunk: a read failed: 0 bytes' out
    jq -e '.valid and .arms[0].errors > 0 and (.arms[0].first_error | startswith("shrunk: "))' r.json
    truncate -s 16M shrunk
    timeout -k 5 60 "$ngbench" -r30 -O0 -p0 --max-errors 9 --json r.json shrunk >out 2>err 3>&- &
    pid=$! tries=0
    until grep -q '^IOPS=' out || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
    truncate -s 4k shrunk
    local status=0
    wait $pid || status=$?
    [ $status -eq 1 ]
    jq -e '(.valid | not) and .arms[0].errors > 9 and (.error | contains("result invalid"))' r.json
}

@test "CPUs are chosen among those that are allowed" {
    local cpu
    cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
    run --separate-stderr timeout -k 5 60 taskset -c "$cpu" "$ngbench" --engine null --cpus auto -n2 -r1
    [ "$status" -eq 0 ]
    [[ $output = *"--cpus auto: $cpu,$cpu"* ]]
}

@test "the time left is shown on a terminal, and nothing of it in a pipe" {
    good --engine null --ab none -r2 --rounds 4
    [[ $output != *$'\r'* && $output != *"left"* ]]
    # script gives it a terminal of its own.
    TERM=xterm run timeout -k 5 60 script -qec "$ngbench --engine null --ab none -r3 --rounds 4" /dev/null
    [ "$status" -eq 0 ]
    [[ $output = *"round "*" of 4, "*" s left"* ]]
    TERM=xterm run timeout -k 5 60 script -qec "$ngbench --engine null -r3" /dev/null
    [[ $output = *"2 s left"*"1 s left"* ]]
    TERM=dumb run timeout -k 5 60 script -qec "$ngbench --engine null --ab none -r2 --rounds 4" /dev/null
    [[ $output = *"no difference shown"* || $output = *" is "*"er than "* ]]
    [[ $output != *"s left"* ]]
}

@test "nothing to restore is exit 0, and an argument too many 2" {
    good restore
    [ "$output" = 'nothing to put back' ]
    refused 2 "restore now: takes no arguments" restore now
}

@test "JSON on stdout has it for itself" {
    ng --engine null -r1 --json -
    [ "$status" -eq 0 ]
    jq -e "$promised" <<<"$output"
    jq -e '.valid and .complete and .error == null and .comparisons == []' <<<"$output"
    # shellcheck disable=SC2154
    [[ $stderr = *"Maximum IOPS="* ]]
}

@test "JSON into a folder that is missing, or onto a folder, exits 1 before the run" {
    refused 1 "--json missing/r.json: No such file or directory" --engine null -r30 --json missing/r.json
    refused 1 "--json .: is a directory" --engine null -r30 --json .
}

@test "JSON into a pipe or through a link replaces neither" {
    ln -s real link
    echo old >real
    mkfifo pipe   # stands for a device such as /dev/null
    timeout 60 cat pipe >piped 3>&- &
    local reader=$!
    all_good <<-END
		--engine null -r1 --json link
		--engine null -r1 --json pipe
	END
    [ -p pipe ]
    wait $reader
    jq -e .valid piped
    [ -L link ]
    jq -e .valid real
    [ -z "$(find . -name '*.tmp')" ]
}

@test "a run that fails exits 1 and its JSON is invalid and says why" {
    truncate -s 16M shrinks
    timeout -k 5 60 "$ngbench" -r30 -O0 -p0 --json r.json shrinks >out 2>err 3>&- &
    local pid=$! status=0 tries=0
    until grep -q '^IOPS=' out || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
    truncate -s 4k shrinks
    wait "$pid" || status=$?
    [ "$status" -eq 1 ]
    [ "$(wc -l <err)" -eq 1 ]
    grep -q '^ngbench: shrinks: a read failed: 0 bytes came instead of 4096' err
    jq -e '(.valid | not) and (.error | startswith("shrinks: a read failed"))' r.json
}

@test "what cannot start leaves an earlier result alone" {
    echo '{}' >r.json
    refused 2 "no such knob" --engine null --ab foo --json r.json
    refused 3 "CPU 4095" --engine null --cpus 4095 --json r.json
    [ "$(cat r.json)" = '{}' ]
}
