# SPDX-License-Identifier: MIT
# Two saved results against each other, and what is refused as one.
# shellcheck disable=SC2154  # run sets status, output and stderr
load common
load results

@test "a result against itself is no regression and exits 0" {
    plain a.json
    good compare a.json a.json
    [[ $output = *"+0.00 %"*"no difference shown"*"No regression beyond 0 % is shown"* ]]
    ab a.json
    good compare a.json a.json
    [ "$(grep -c 'no difference shown$' <<<"$output")" -eq 5 ]
}

@test "a plain run that lost 5 % exits 1, and 0 within a limit of 6 %" {
    plain a.json
    plain b.json '.arms[0] |= (.iops_mean *= 0.95 | .iops_seconds[] *= 0.95)'
    ng compare a.json b.json
    [ "$status" -eq 1 ]
    [[ $output = *"1000.00K "*" -5.00 %"*slower* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr = "ngbench: compare: b.json is a regression against a.json: off -5.00 % ["* ]]
    good compare --limit 6 a.json b.json
    # Its interval reaches above -4.5 %, so that so much is not shown.
    good compare --limit=4.5 a.json b.json
    [[ $output = *"nor is one of up to "*" % ruled out"* ]]
    good compare b.json a.json
    [[ $output = *" +5.26 %"*faster* ]]
}

@test "the interval is Welch's" {
    # Logarithms 0, 0.02, 0.04 against 0.01, 0.02, 0.03, 0.04: mean +0.005, standard error
    # sqrt(0.0004/3 + 0.0005/3/4) = 0.0132288, 3.2347 degrees of freedom, t = 3.0557.
    plain a.json '.arms[0].iops_seconds = ([0, 0.02, 0.04] | map(. + 10 | exp))'
    plain b.json '.arms[0].iops_seconds = ([0.01, 0.02, 0.03, 0.04] | map(. + 10 | exp))'
    good compare a.json b.json
    [[ $output = *" +0.50 %  [-3.48, +4.65] "* ]]
}

@test "a setting that costs more than before exits 1 though no arm is slower" {
    ab a.json
    ab b.json '(.arms[0,1].iops_rounds[] *= 1.1) | .arms[2].iops_rounds[] *= 1.001'
    ng compare a.json b.json
    [ "$status" -eq 1 ]
    [[ $stderr = *": cached against the first arm -9.00 % ["* ]]
    [[ $output = *"cached        -5.00 %   -13.55 %     -9.00 %"*"costs more"* ]]
}

@test "a machine that got faster is no regression of the arm that gained less" {
    ab a.json
    ab b.json '(.arms[0].iops_rounds[] *= 1.5) | .arms[1,2].iops_rounds[] *= 1.3'
    good compare a.json b.json
    [[ $output = *"costs more"* ]]
}

@test "a gap is compared round by round, so that a drift common to the arms is none of it" {
    ab a.json
    ab b.json '.arms[].iops_rounds |= ([., [1, 0.5, 2, 1]] | transpose | map(.[0] * .[1]))'
    good compare a.json b.json
    [ "$(grep -c '+0.00 %  \[[-+]0.00, +0.00\] *no difference shown' <<<"$output")" -eq 2 ]
}

@test "results of other settings are refused with all that differs, status 3" {
    plain a.json
    ab ab.json
    refused 3 "knob none, a plain run, and lat" compare a.json ab.json
    plain b.json '.options |= (.depth = 64 | .block_size = 512) | .conditions.engine.effective = "nop"'
    refused 3 "depth 128 and 64, block_size 4096 and 512, engine null and nop" compare a.json b.json
    ab other.json '.arms[1].name = "clack"'
    refused 3 "arm clock and clack" compare ab.json other.json
    ab fewer.json 'del(.arms[2], .comparisons[1])'
    refused 3 "number of arms 3 and 2" compare ab.json fewer.json
    plain b.json '.options.sqpoll = true'
    refused 3 "sqpoll false and true" compare a.json b.json
    # A result from before the option is one without.
    plain old.json 'del(.options.sqpoll)'
    good compare a.json old.json
    refused 3 "sqpoll false and true" compare old.json b.json
    refused 3 "sqpoll true and false" compare b.json old.json
    plain longer.json '.options.runtime_s = 77'
    good compare a.json longer.json
}

@test "conditions that differ are named" {
    plain a.json
    plain b.json '.conditions.kernel.effective = "9.9.9"'
    good compare a.json b.json
    [[ $output = *'kernel: "'*'" in A, "9.9.9" in B'* ]]
}

@test "plain runs too short for an interval are told so, status 3" {
    plain a.json
    plain b.json '.arms[0].iops_seconds = [1000000]'
    refused 3 "fewer than two whole seconds" compare a.json b.json
    plain b.json 'del(.arms[0].iops_seconds)'
    refused 3 "fewer than two whole seconds" compare a.json b.json
    plain b.json '.arms[0].iops_seconds[1] = 0'
    refused 1 "second 2 of a run is without an I/O" compare a.json b.json
}

@test "what is no whole, valid result of ngbench is refused in one line" {
    plain a.json
    refused 2 "missing.json: No such file or directory" compare missing.json a.json
    refused 2 ".: Is a directory" compare a.json .
    : >bad.json
    refused 1 "bad.json: is empty" compare a.json bad.json
    head -c 700 a.json >bad.json
    refused 1 "bad.json: ends in the middle" compare a.json bad.json
    echo '{"schema": oops}' >bad.json
    refused 1 "bad.json: is not JSON: " compare a.json bad.json
    cat a.json a.json >bad.json
    refused 1 "bad.json: has more than one JSON value" compare a.json bad.json
    echo '{"schema": 1}' >bad.json
    refused 1 "bad.json: not a result of ngbench" compare a.json bad.json
    echo null >bad.json
    refused 1 "bad.json: not a result of ngbench" compare a.json bad.json
    plain bad.json '.schema = 2'
    refused 3 "bad.json: its form has another version" compare a.json bad.json
    plain bad.json '.valid = false | .error = "hot unplug"'
    refused 1 'bad.json: the run was not valid: "hot unplug"' compare a.json bad.json
}

@test "a name that is missing or has an impossible value is named" {
    plain a.json
    local filter want
    while IFS=';' read -r filter want; do
        plain bad.json "$filter"
        refused 1 "bad.json: $want" compare a.json bad.json
    done <<-'END'
		del(.arms);arms: is missing
		.arms = [];arms: not one to eight of them
		.arms = [range(9) as $i | .arms[0]];arms: not one to eight of them
		.arms[0] = 7;arms[0].: is not of type object
		del(.arms[0].iops_mean);arms[0].iops_mean: is missing
		.arms[0].iops_mean = 0;arms[0].iops_mean: is no number above 0
		.arms[0].ns_per_io = "1";arms[0].ns_per_io: is no number above 0
		.arms[0].errors = -1;arms[0].errors: is below 0
		.arms[0].errors = null;arms[0].errors: is not of type int
		.arms[0].clock_reads_per_io = -1;arms[0].clock_reads_per_io: is neither null nor
		.arms[0].iops_seconds = 5;arms[0].iops_seconds: is no list
		.arms[0].iops_seconds[1] = null;arms[0].iops_seconds: holds what is no rate
		.arms[0].name = "";arms[0].name: is empty or too long
		.arms[0].name = "a\u001bb";arms[0].name: holds a control character
		.options = 1;options: is not of type object
		del(.conditions);conditions: is missing
		.complete = 1;complete: is not of type boolean
		.knob = "lat";arms[0].iops_rounds: fewer than two rounds
	END
    ab a.json
    ab bad.json 'del(.arms[1].iops_rounds[0])'
    refused 1 "bad.json: arms[1].iops_rounds: not as many as in the first arm" compare a.json bad.json
}

@test "a wrong command line exits 2" {
    refused 2 "compare: needs two files" compare
    refused 2 "compare: needs two files" compare a b c
    refused 2 "compare: --limit 100: must be" compare --limit 100 a b
    refused 2 "compare: --limit x: must be" compare --limit x a b
    refused 2 "compare: --limit: needs a value" compare a b --limit
    refused 2 "compare: -o: no such option" compare -o a b
    good compare --help
    [[ $output = "ngbench compare [--limit PERCENT] A.json B.json"* ]]
}
