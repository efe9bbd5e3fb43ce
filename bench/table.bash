#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sourced by the benches that hold figures against budgets: rows are noted, then printed.
rows=$(mktemp)

# row WHAT BUDGET OP LIMIT UNIT VALUE [LOW HIGH]: OP is >= or <=, or - where nothing is asked.
# VALUE decides. Where the caller sets noise, it stands behind a verdict whose limit lies
# between LOW and HIGH.
noise=''
row() {
	local what=$1 budget=$2 op=$3 limit=$4 unit=$5 value=$6 low=${7:-} high=${8:-}
	awk -v what="$what" -v budget="$budget" -v op="$op" -v limit="$limit" -v unit="$unit" \
		-v v="$value" -v low="$low" -v high="$high" -v noise="$noise" 'BEGIN {
		f = unit == "%" ? "%+.1f" : v >= 10 ? "%.1f" : "%.3f"
		shown = sprintf(f, v) unit
		if (low != "") shown = shown sprintf(" [" f ", " f "]", low, high)
		met = op == "-" ? "-" : (op == ">=" ? v >= limit : v <= limit) ? "met" : "missed"
		if (op != "-" && low != "" && low <= limit && limit <= high) met = met noise
		printf "%s|%s|%s|%s\n", what, shown, budget, met }' >>"$rows"
}

# cannot WHAT BUDGET WHY: in place of a figure
cannot() { printf '%s|%s|%s|-\n' "$1" "$3" "$2" >>"$rows"; }

# ratio_of_pairs: lines "A B" on standard input; "MEDIAN LEAST GREATEST" of B / A. Of six pairs
# or more the last two hold the median in 97 % of cases, whatever the noise.
ratio_of_pairs() {
	awk 'NF == 2 { print $2 / $1 }' | sort -g | awk '
		{ r[NR] = $1 }
		END { if (NR) print (r[int((NR + 1) / 2)] + r[int(NR / 2) + 1]) / 2, r[1], r[NR] }'
}

# say_if_busy: a line where other programs take part of the machine
say_if_busy() {
	local busy
	busy=$(sed -n 's/^some avg10=\([0-9]*\).*/\1/p' /proc/pressure/cpu 2>/dev/null)
	[ "${busy:-0}" -lt 5 ] || echo "Other programs wait for a CPU $busy % of the time: figures are worth less."
}

# columns: lines of fields between bars on standard input, as a table
columns() {
	awk -F'|' '
		{ for (i = 1; i <= NF; i++) { cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) }
		  fields[NR] = NF }
		END { for (r = 1; r <= NR; r++) {
			line = ""
			for (i = 1; i <= fields[r]; i++)
				line = line sprintf(i < fields[r] ? "%-*s  " : "%-*s", width[i], cell[r, i])
			sub(/ +$/, "", line)
			print line } }'
}

# print_rows: all that was noted
print_rows() { cat <(printf '%s\n' 'what|measured|budget|') "$rows" | columns; }
