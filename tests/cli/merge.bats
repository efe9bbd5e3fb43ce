# SPDX-License-Identifier: MIT
# Results of several hosts, added up.
# shellcheck disable=SC2154  # run sets status, output and stderr
load common
load results

# Another host's: its own times.
host() {
    echo ".host = \"$1\" | .started_unix_s = $2 | .ended_unix_s = $3"
}

@test "IOPS of hosts add up, arm by arm and round by round" {
    ab a.json "$(host one 1000 1010)"
    ab b.json "$(host two 1001 1011) | .arms[].iops_rounds |= reverse
        | .arms[] |= (.iops_mean *= 2 | .iops_rounds[] *= 2 | .ios = 10 | .time_ns = 5)
        | .arms[0].errors = 3"
    good merge --json all.json a.json b.json
    [[ $output = "2 hosts, which ran together for 9.0 of 11.0 s"* ]]
    [[ $output = *"one "*" a.json "*"1000.00K "*"two "*" b.json "*"2.00M "*"all, IOPS "*"3.00M "* ]]
    jq -e --slurpfile a a.json --slurpfile b b.json '
        .schema == 1 and .valid and .complete and .host == null and .knob == "lat"
        and .started_unix_s == 1000 and .ended_unix_s == 1011
        and .options == $a[0].options
        and [.arms[].name] == ["off", "clock", "cached"]
        and [.arms[].iops_mean] == [3000000, 1500000, 2850000]
        and .arms[0].iops_rounds == [3000000, 2990000, 3010000, 3000000]
        and (.arms[0].ns_per_io - 2e9 / 3000000 | fabs) < 1e-6
        and .arms[0].ios == $a[0].arms[0].ios + 10 and .arms[0].errors == 3
        and .arms[0].time_ns == $a[0].arms[0].time_ns and .arms[0].iops_max == null
        and ([.hosts[].host] == ["one", "two"]) and .hosts[1].arms == $b[0].arms
        and .hosts[0].file == "a.json"' all.json
}

@test "the differences are those of the sums" {
    # One host at 100 and 50, one at 300 and 300: 400 and 350, -12.5 %.
    ab a.json "$(host one 1000 1010) | .arms[0].iops_rounds = [100, 100, 100, 100]
        | .arms[1].iops_rounds = [50, 50, 50, 50]"
    ab b.json "$(host two 1000 1010) | .arms[0].iops_rounds = [300, 300, 300, 300]
        | .arms[1].iops_rounds = [300, 300, 300, 300]"
    good merge --json all.json a.json b.json
    [[ $output = *"clock against off: IOPS -12.50 % [-12.50, -12.50]"* ]]
    jq -e '.comparisons[0] | .a == "off" and .b == "clock" and (.diff_percent + 12.5 | fabs) < 1e-9
        and (.diff_ns_per_io - 2e9 * (1 / 350 - 1 / 400) | fabs) < 1e-3' all.json
}

@test "what the kernel counted is averaged over the I/Os, and unknown where one host does not know" {
    ab a.json "$(host one 1000 1010) | .arms[].clock_reads_per_io = 2 | .arms[].ios = 100"
    ab b.json "$(host two 1000 1010) | .arms[].clock_reads_per_io = 1 | .arms[].ios = 300"
    good merge --json all.json a.json b.json
    jq -e '.arms[0].clock_reads_per_io == 1.25 and .clock_reads_unknown == null' all.json
    ab b.json "$(host two 1000 1010) | .arms[].clock_reads_per_io = null"
    good merge --json all.json a.json b.json
    jq -e '.arms[0].clock_reads_per_io == null and .clock_reads_unknown == "not known of b.json"' all.json
}

# Reads of 10, 20 and 30 ns, and so many of each.
latency() {
    echo "{count: ($1 + $2 + $3), mean_ns: (($1 * 10 + $2 * 20 + $3 * 30) / ($1 + $2 + $3)), max_ns: $4,
        percentiles_ns: {\"50\": 1}, histogram: [[10, $1], [20, $2], [30, $3]]}"
}

@test "latencies are those of all hosts' I/Os, where each host has them" {
    ab a.json "$(host one 1000 1010) | .arms[1].latency = $(latency 90 5 5 31)"
    ab b.json "$(host two 1000 1010) | .arms[1].latency = $(latency 5 5 290 30)"
    good merge --json all.json a.json b.json
    [[ $output = *"latency clock: p50 30, p99 30, p99.9 30, mean 25, max 31 ns, of 400 I/Os"* ]]
    [[ $output != *"latency off"* ]]
    jq -e '.arms[0].latency == null and (.arms[1].latency
        | .count == 400 and .mean_ns == 25 and .max_ns == 31
        and .histogram == [[10, 95], [20, 10], [30, 295]]
        and .percentiles_ns["20"] == 10 and .percentiles_ns["30"] == 30)' all.json
    [ "$(grep -c '"histogram":.*\]\]' all.json)" -eq 6 ]   # a line each, of two arms: the sum's and both hosts'
    good plot all.json -o all.svg
    grep -q 'latency percentiles' all.svg
    ab c.json "$(host three 1000 1010) | del(.arms[1].latency.histogram)"
    good merge --json all.json a.json c.json
    [[ $output = *"latency clock: not of all, c.json has none"* ]]
    jq -e '.arms[1].latency == null and .arms[2].latency.count > 0' all.json
    ab c.json "$(host three 1000 1010) | .arms[1].latency.histogram[0][1] += 1"
    refused 1 "c.json: arms[1].latency: counts more in its steps than in all" merge a.json c.json
}

@test "seconds of plain runs add up as far as all have them" {
    plain a.json "$(host one 1000 1004)"
    plain b.json "$(host two 1000 1002) | .arms[0].iops_seconds = [5, 6]"
    ng merge --json - a.json b.json
    [ "$status" -eq 0 ]
    jq -e '.arms[0].iops_seconds == [1000005, 1010006] and .comparisons == []' <<<"$output"
    [[ $stderr = *"all, IOPS"* ]]
}

@test "hosts that did not run together are told so" {
    plain a.json "$(host one 1000 1010)"
    plain b.json "$(host two 1020 1030)"
    good merge a.json b.json
    [[ $output = "2 hosts, which ran together for 0.0 of 30.0 s: their sum is none of "* ]]
    plain b.json 'del(.started_unix_s, .host)'
    good merge a.json b.json
    [[ $output = "2 hosts; whether they ran together is not known"* ]]
}

@test "a merged file can be compared and drawn, and its hosts are counted" {
    ab a.json "$(host one 1000 1010)"
    ab b.json "$(host two 1000 1010)"
    ab c.json "$(host three 1000 1010)"
    good merge --json two.json a.json b.json
    good merge --json three.json a.json b.json c.json
    good compare two.json two.json
    [[ $output = "A: two.json (2 hosts, Linux "* ]]
    refused 3 "number of merged hosts 2 and 3" compare two.json three.json
    good plot two.json -o two.svg
    grep -q '2 hosts, Linux ' two.svg
}

@test "what does not add up is refused in one line, and an earlier file stays" {
    ab a.json "$(host one 1000 1010)"
    echo earlier >all.json
    refused 2 "merge: needs two files or more" merge a.json
    refused 2 "merge: a.json: is the same run as a.json" merge --json all.json a.json a.json
    cp a.json copy.json
    refused 2 "merge: copy.json: is the same run as a.json" merge --json all.json a.json copy.json
    ab b.json "$(host two 1000 1010) | .options.depth = 1"
    refused 3 "a.json and b.json are not of the same settings: depth 128 and 1" merge --json all.json a.json b.json
    ab b.json "$(host two 1000 1010) | .options.sqpoll = true"
    refused 3 "a.json and b.json are not of the same settings: sqpoll false and true" merge --json all.json a.json b.json
    ab b.json "$(host two 1000 1010) | del(.arms[].iops_rounds[3])"
    refused 3 "merge: a.json has 4 rounds and b.json 3" merge --json all.json a.json b.json
    ab b.json "$(host two 1000 1010) | .valid = false | .error = \"gone\""
    refused 1 'b.json: the run was not valid: "gone"' merge --json all.json a.json b.json
    [ "$(cat all.json)" = earlier ]
    ab b.json "$(host two 1000 1010)"
    good merge --json two.json a.json b.json
    ab c.json "$(host three 1000 1010)"
    refused 2 "merge: two.json: is merged already" merge c.json two.json
    refused 1 "--json missing/all.json: No such file" merge --json missing/all.json a.json b.json
    refused 2 "merge: -o: no such option" merge -o all.json a.json b.json
    good merge --help
    [[ $output = "ngbench merge [--json FILE] A.json B.json..."* ]]
}
