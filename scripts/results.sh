# shellcheck shell=sh
#
# Reads what a test run left behind, for the tables of scripts/platforms and scripts/libcurls. Source this file; it only
# defines functions.

# tests_in LOG
# Prints how many tests ran, and whether they passed.
tests_in() {
    tests_line=$(sed -n 's/.*Test run with \([0-9]* tests*\).* \(passed\|failed\) after.*/\1 \2/p' "$1" | tail -n 1)
    printf '%s' "${tests_line:-did not run}"
}

# conformance_in RESULTS
# Prints how many cases of the conformance suite libcurl passed, of those that apply.
conformance_in() {
    awk -F '\t' '
        $1 ~ /^libcurl/ && $3 != "excluded" && $3 != "inapplicable" { all++; passed += $3 == "passed" }
        END { if (all) printf "%d of %d", passed, all; else printf "not run" }
    ' "$1" 2>/dev/null || printf 'not run'
}
