# SPDX-License-Identifier: MIT
# Of two benchmarks in one report of Google Benchmark: the median over the repetitions of how
# many times b's figure a's is, and its 95 % interval, from order statistics.
#   jq -r -f bench/ratio.jq --arg a NAME --arg b NAME --arg figure cpu_time REPORT.json
# Prints "MEDIAN LOW HIGH", or nothing where one of them did not run.
def figures($name):
	[.benchmarks[] | select(.run_type == "iteration" and .run_name == $name)]
	| sort_by(.repetition_index) | map(.[$figure] // empty);
def middle:
	sort | . as $v | length as $n
	# Half the interval in ranks: 1.96 * sqrt(n) / 2, and integers will do.
	| ([$n | sqrt | floor + 1, (($n - 1) / 2 | floor)] | min) as $half
	| [(if $n % 2 == 1 then $v[($n - 1) / 2] else ($v[$n / 2 - 1] + $v[$n / 2]) / 2 end),
	   $v[(($n - 1) / 2 | floor) - $half], $v[($n / 2 | floor) + $half]];
[figures($a), figures($b)]
| select(all(length > 0)) | transpose | map(select(all(. != null)) | .[0] / .[1])
| middle | map(tostring) | join(" ")
