# Reads the results of test runs for the tables of scripts/platforms and scripts/libcurls. Source this file.

# Prints the versions of the libcurl that the loader finds and of its TLS library.
libcurl_versions() {
    python3 -c '
import ctypes
version = ctypes.CDLL("libcurl.so.4").curl_version
version.restype = ctypes.c_char_p
print(*version().decode().split()[:2], sep=" | ")
'
}

# tests_in LOG
# Prints the number of tests that ran, and whether they passed.
tests_in() {
    sed -n 's/.*Test run with \([0-9]* tests*\).* \(passed\|failed\) after.*/\1 \2/p' "$1" | grep . ||
        echo "did not run"
}

# conformance_in RESULTS
# Prints how many of the applicable conformance cases libcurl passed.
conformance_in() {
    awk -F '\t' '
        $1 ~ /^libcurl/ && $3 != "excluded" && $3 != "inapplicable" { all++; passed += $3 == "passed" }
        END { if (all) printf "%d of %d", passed, all; else printf "not run" }
    ' "$1" 2>/dev/null || printf 'not run'
}
