# SPDX-License-Identifier: MIT
# Runs that work: the lines they print, in the form that scripts read from t/io_uring.
# shellcheck disable=SC2154  # run sets status and output
load common

number='([0-9]+|[0-9]+\.[0-9]{2}[KM])'
second="^IOPS=$number, BW=([0-9]+MiB/s|[0-9]+\.[0-9]{2}GiB/s), IOS/call=[0-9]+/[0-9]+\$"

@test "help and version go to stdout and exit 0" {
    good --help
    [[ $output = "ngbench [run] [options] DEVICE..."*"Exit status: 0 good, 1 failed or invalid, 2 usage, 3 not possible here."* ]]
    good --version
    [[ $output = "ngbench "[0-9]* ]]
    local version=$output
    good info --version
    [ "$output" = "$version" ]
}

@test "a run prints the lines of t/io_uring in its order and its own mean" {
    good run -r2 -d64 /dev/null
    [[ ${lines[0]} =~ ^submitter=0,\ tid=[0-9]+,\ file=/dev/null,\ node=-1$ ]]
    [ "${lines[1]}" = "polled=0, fixedbufs=1/0, register_files=1, buffered=0, QD=64" ]
    [[ ${lines[2]} =~ ^Engine=io_uring,\ sq_ring=64,\ cq_ring=[0-9]+$ ]]
    [[ ${lines[3]} =~ ^conditions:\ kernel\ [0-9] ]]
    while [[ ${lines[4]} = "    "* || ${lines[4]} = "note: "* ]]; do
        lines=("${lines[@]:0:4}" "${lines[@]:5}")
    done
    [[ ${lines[4]} =~ $second ]]
    [[ ${lines[5]} =~ $second ]]
    [ "${lines[6]}" = "Exiting on timeout" ]
    [[ ${lines[7]} =~ ^Maximum\ IOPS=$number$ ]]
    [[ ${lines[8]} =~ ^Mean\ IOPS=$number\ over\ [0-9.]+\ s,\ [0-9.]+\ ns/IO,\ [0-9]+\ I/Os$ ]]
}

@test "no-ops print no bandwidth, and latencies the percentiles of t/io_uring" {
    good -N1 -t1 -r1
    grep -qE "^IOPS=$number, IOS/call=[0-9]+/[0-9]+\$" <<<"$output"
    [[ $output = *"percentiles ("[nu]sec"):"* ]]
    [ "$(grep -oE '[0-9.]+th=\[ *[0-9]+\]' <<<"$output" | wc -l)" -eq 17 ]
}

@test "every option of t/io_uring runs on /dev/null and on a file" {
    all_good <<-END
		-r1 -R0 -F0 -B0 -X0 -p0 file
		-r1 -V1 -t1 -O0 file
		-r1 -b512 -d1 -s1 -c1 -S0 -a0 -P1 -T 2400000000 file
		-r1 -R0 -n3 -t1 /dev/null
		-r1 -V1 -F0 -B0 -X0 -N0 -u1 /dev/null
		-r1 -N1 -p0 -n2
		-r1 --sqpoll 1 --lat cached file
		-r1 --sqpoll 1 -n2 -F0 -B0 -X0 -V1 --rate 1000 file
	END
}

@test "with --sqpoll 1 the kernel submits, which the result and info say, with advice on CPUs" {
    good --engine null --sqpoll 1 --io-count 1000 --json r.json
    jq -e '.valid and .options.sqpoll and .arms[0].ios == 1000
        and .conditions.sqpoll.requested == "1" and .conditions.sqpoll.effective == "1"
        and .conditions.DEFER_TASKRUN.effective == "0"' r.json
    good --engine null --io-count 1000 --json r.json
    jq -e '(.options.sqpoll | not) and .conditions.sqpoll.effective == "0"' r.json
    # Twice as many threads as CPUs, be there one or more.
    good info --engine null --sqpoll 1 -n"$(nproc --all)" --json info.json
    jq -e '.conditions.sqpoll | .effective == "1" and (.advice | test("--sqpoll 0$"))' info.json
}

@test "a bare -X before another option is on, and what follows is no value" {
    good -d1 -s1 -c1 -p0 -B1 -F1 -X -b512 -n4 -r1 file
    [[ $output = *"-X without a value: taken as 1"* ]]
    [[ $output = *"-n 4: threads share 1 device"* ]]
    [ "$(grep -c '^submitter=' <<<"$output")" -eq 4 ]
}

@test "batches above the depth are clamped, which is said, and the run exits 0" {
    good -d8 -s16 -c64 -r1 /dev/null
    [[ $output = *$'\n'"-s 16: taken as 8, the depth"$'\n'* ]]
    [[ $output = *$'\n'"-c 64: taken as 8, the depth"$'\n'* ]]
}

@test "several files are dealt out over several threads and all are read" {
    truncate -s 1M file2 file3
    good -n2 -r1 -O0 file file2 file3
    [[ $output = *"submitter=0, "*"file=file3, "*"submitter=1, "*"file=file2, "* ]]
}

# signalled SIGNAL ARGUMENTS...: send it once the first second is printed.
signalled() {
    local signal=$1 pid tries=0
    shift
    # bash lets jobs ignore SIGINT; a terminal does not.
    timeout -k 5 60 env --default-signal=INT,TERM,HUP "$ngbench" "$@" >out 2>err 3>&- &
    pid=$!
    until grep -q '^IOPS=' out || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
    kill -"$signal" "$(pgrep -P "$pid")"
    wait "$pid" || return
    cat out
    [ ! -s err ]
}

@test "SIGINT, SIGTERM and SIGHUP end a run with what was measured and exit 0" {
    local signal
    for signal in INT TERM HUP; do
        run signalled $signal -r30 /dev/null
        [ "$status" -eq 0 ]
        [[ $output = *$'\n'"Exiting on signal"$'\n'"Maximum IOPS="*"Mean IOPS="* ]]
    done
}

@test "a run of -r0 lasts until it is stopped and is then complete" {
    run signalled INT -r0 --json r.json /dev/null
    [ "$status" -eq 0 ]
    jq -e '.valid and .complete' r.json
}

@test "a run under nohup outlives SIGHUP" {
    timeout -k 5 60 env --ignore-signal=HUP "$ngbench" -r2 /dev/null >out 2>err 3>&- &
    local pid=$! tries=0
    until grep -q '^IOPS=' out || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
    kill -HUP "$(pgrep -P "$pid")"
    wait "$pid"
    grep -q '^Exiting on timeout' out
}

@test "a reader that leaves ends a run as a signal does, drained and with its JSON" {
    timeout -k 5 60 "$ngbench" -r30 --json r.json /dev/null 2>err 3>&- | head -n1
    [ "${PIPESTATUS[0]}" -eq 0 ]
    [ ! -s err ]
    jq -e '.valid and (.complete | not) and .arms[0].ios > 0' r.json
}
