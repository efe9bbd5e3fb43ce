# SPDX-License-Identifier: MIT
# The form that is documented is the form that is written.
# shellcheck disable=SC2154  # common.bash sets root, run sets status and output
load common

# The documented form ignores names that it does not know; here every name must be in it.
setup_strict() {
    schema=$root/passthru/result.schema.json
    jq 'walk(if type == "object" and (.properties | type) == "object" and .type == "object"
        then .additionalProperties = false else . end)' "$schema" >strict.json
    [ "$(grep -c '"additionalProperties": false' strict.json)" -ge 7 ]
}

# fits FILE: by the documented form, and with no name that is not documented.
fits() {
    local form
    for form in "$schema" strict.json; do
        jsonschema -i "$1" "$form" 2>complaints || { cat complaints; return 1; }
    done
}

@test "what runs write fits the documented form, and every name is documented" {
    setup_strict
    good --engine null -r1 -t1 --json plain.json
    fits plain.json
    good --engine null --ab lat=off:clock:cached -r1 --rounds 3 --json ab.json
    fits ab.json
    good -r1 -b512 --json file.json file
    fits file.json
}

@test "a merged result fits the documented form, too" {
    setup_strict
    good --engine null --ab lat=off:cached -r1 --rounds 3 --json a.json
    good --engine null --ab lat=off:cached -r1 --rounds 3 --json b.json
    good merge --json all.json a.json b.json
    fits all.json
    jq -e '(.hosts | length) == 2 and .host == null' all.json
}

@test "a run that is not valid fits the documented form, too" {
    setup_strict
    truncate -s 16M shrinks
    "$ngbench" -r30 -O0 -p0 --json r.json shrinks >out 2>err 3>&- &
    local pid=$! status=0 tries=0
    until grep -q '^IOPS=' out || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
    truncate -s 4k shrinks
    wait "$pid" || status=$?
    [ "$status" -eq 1 ]
    jq -e '.valid | not' r.json
    fits r.json
}

@test "a result that lacks a name, or has a wrong value, does not fit" {
    setup_strict
    good --engine null -r1 --json r.json
    fits r.json
    local filter
    for filter in 'del(.valid)' '.schema = 2' 'del(.arms[0].iops_mean)' '.arms[0].errors = -1' \
        '.options.depth = "128"' '.surplus = 1'; do
        jq "$filter" r.json >bad.json
        ! fits bad.json || { echo "fits: $filter"; return 1; }
    done
}
