# SPDX-License-Identifier: MIT
# Pictures of saved results. What they look like is for people; what is in them is tested here.
# shellcheck disable=SC2154  # run sets status, output and stderr
load common
load results

# marks STYLE FILE: how often a style's mark is in an SVG, legend included.
marks() {
    # White ones lie below those with an interval.
    grep "<use xlink:href='#gpPt$1' " "$2" | grep -vc '#FFFFFF'
}

@test "an A/B run becomes an SVG with all rounds, differences and latencies" {
    ab r.json '.host = "box" | .conditions.kernel.effective = "6.1.2" | .started_unix_s = 1796072017'
    good plot r.json -o r.svg
    [ -z "$output" ]
    local words
    for words in 'ngbench --ab lat, null engine, reads of 4096 bytes, depth 128, 1 thread' \
        'box, Linux 6.1.2, 2026-11-30 20:53 UTC' 'IOPS by round' 'million IOPS' \
        'against off, with 95 % interval' 'IOPS in %' -50.00 -5.00 'latency percentiles' 99.99; do
        grep -qF -- "$words" r.svg || { echo "not in the picture: $words"; return 1; }
    done
    # Four rounds and the legend; clock has a difference and 17 percentiles, too.
    [ "$(marks 6 r.svg)" -eq 5 ]
    [ "$(marks 4 r.svg)" -eq 23 ]
    [[ $(<r.svg) = *'</svg>' ]]
    [ -z "$(find . -name '*.tmp')" ]
}

@test "a plain run becomes an SVG with all seconds, and without what it lacks" {
    plain r.json
    good plot -o r.svg r.json
    grep -q 'IOPS by second' r.svg
    [ "$(marks 6 r.svg)" -eq 4 ]
    ! grep -qE 'latency|against|interval' r.svg || false
}

@test "a name that ends in .png becomes a PNG" {
    ab r.json
    good plot r.json -o r.png
    [ "$(head -c 8 r.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ]
}

@test "no text of a result becomes a command of gnuplot" {
    # shellcheck disable=SC2016  # for gnuplot to expand, if it did
    ab r.json '.arms[0].name = "'\''.system(\"touch pwned\").'\''" | .arms[1].name = "`touch pwned`"
        | .host = "x'\''\n!touch pwned\n`touch pwned`@y" | .arms[2].name = "a_b^c{d}"'
    good plot r.json -o r.svg
    [ ! -e pwned ]
    grep -qF 'a_b^c{d}' r.svg
    grep -qF "’.system(" r.svg
}

@test "without gnuplot it exits 3 and names the package" {
    ab r.json
    mkdir empty
    run --separate-stderr env PATH="$dir/empty" "$ngbench" plot r.json -o r.svg
    [ "$status" -eq 3 ]
    [[ $stderr = "ngbench: plot: gnuplot is not installed; "*gnuplot-nox* ]]
    [ ! -e r.svg ]
}

@test "when gnuplot fails, an earlier picture stays and the error is gnuplot's" {
    ab r.json
    echo earlier >r.svg
    mkdir fake
    printf '#!/bin/sh\necho half a picture\necho "set foo" >&2\necho "line 1: no such option" >&2\nexit 1\n' >fake/gnuplot
    chmod +x fake/gnuplot
    PATH=$dir/fake:$PATH refused 1 "plot: gnuplot: line 1: no such option" plot r.json -o r.svg
    printf '#!/bin/sh\nexit 0\n' >fake/gnuplot
    PATH=$dir/fake:$PATH refused 1 "plot: gnuplot drew nothing" plot r.json -o r.svg
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nkill -9 $$\n' >fake/gnuplot
    PATH=$dir/fake:$PATH refused 1 "plot: gnuplot was ended by signal 9" plot r.json -o r.svg
    [ "$(cat r.svg)" = earlier ]
    [ -z "$(find . -name '*.tmp')" ]
}

@test "what cannot be drawn or written is refused in one line" {
    plain r.json
    refused 2 "plot: needs one file" plot -o r.svg
    refused 2 "plot: needs -o FILE.svg" plot r.json
    refused 2 "plot: -o r.pdf: must end in .svg or .png" plot r.json -o r.pdf
    refused 2 "plot: -o svg: must end in .svg or .png" plot r.json -o svg
    refused 1 "-o missing/r.svg: No such file or directory" plot r.json -o missing/r.svg
    refused 2 "missing.json: No such file" plot missing.json -o r.svg
    plain r.json 'del(.arms[0].iops_seconds)'
    refused 1 "plot: r.json: the run has no whole second to draw" plot r.json -o r.svg
    [ ! -e r.svg ]
    good plot --help
    [[ $output = "ngbench plot R.json -o FILE.svg"* ]]
}
