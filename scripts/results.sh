# shellcheck shell=sh
#
# Reads the results of test runs for the tables of scripts/platforms and scripts/libcurls. Source this file. It only
# defines functions.

# tests_in LOG
# Prints the number of tests that ran, and whether they passed.
tests_in() {
    tests_line=$(sed -n 's/.*Test run with \([0-9]* tests*\).* \(passed\|failed\) after.*/\1 \2/p' "$1" | tail -n 1)
    printf '%s' "${tests_line:-did not run}"
}

# conformance_in RESULTS
# Prints how many of the applicable conformance cases libcurl passed.
conformance_in() {
    awk -F '\t' '
        $1 ~ /^libcurl/ && $3 != "excluded" && $3 != "inapplicable" { all++; passed += $3 == "passed" }
        END { if (all) printf "%d of %d", passed, all; else printf "not run" }
    ' "$1" 2>/dev/null || printf 'not run'
}
