# shellcheck shell=sh
#
# A second HTTP server for the tests: httpbin, which responds with the request it received. Source this file after
# setup.sh, call need_httpbin and start_httpbin, and call stop_httpbin when done (in a trap).
#
# need_httpbin installs the packages in httpbin.txt from PyPI into .build/httpbin, where they are kept. If PyPI can't be
# reached, the tests that need httpbin are skipped, except in CI, where this is an error.
# start_httpbin exports REQUESTS_HTTPBIN_URL and REQUESTS_HTTPBIN_PYTHON, a Python with the module jsonschema.

httpbin_dir=
httpbin_pid=
httpbin_watcher_pid=

# Installs httpbin, gunicorn to serve it, and jsonschema.
need_httpbin() {
    httpbin_root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd)
    httpbin_pins=$httpbin_root/scripts/httpbin.txt
    httpbin_venv=$httpbin_root/.build/httpbin
    # The copy of the pins is written last. If it is missing or different, the installation is incomplete or old.
    if ! cmp -s "$httpbin_pins" "$httpbin_venv/pins.txt" || ! "$httpbin_venv/bin/python" -c ''; then
        need_python_venv
        rm -rf "$httpbin_venv"
        mkdir -p "$httpbin_root/.build"
        with_log "python3 -m venv .build/httpbin" python3 -m venv "$httpbin_venv" || fail "python3 couldn't create the environment for httpbin, see above"
        with_log "pip install httpbin" "$httpbin_venv/bin/pip" install --no-deps --disable-pip-version-check \
            -r "$httpbin_pins" || {
            [ -z "${CI:-}" ] || fail "pip couldn't install httpbin from PyPI, see above"
            say "httpbin: couldn't be installed, so its tests are skipped"
            return 0
        }
        cp "$httpbin_pins" "$httpbin_venv/pins.txt"
    fi
    say "httpbin: found $(sed -n 's/^httpbin==//p' "$httpbin_pins")"
}

start_httpbin() {
    [ -e "$httpbin_venv/pins.txt" ] || return 0
    httpbin_dir=$(mktemp -d "${TMPDIR:-/tmp}/requests-httpbin.XXXXXX") || return 1
    # The system chooses the port, which gunicorn logs.
    "$httpbin_venv/bin/python" -m gunicorn --bind 127.0.0.1:0 --worker-class gthread --threads 32 --keep-alive 75 \
        --graceful-timeout 1 --no-control-socket httpbin:app >"$httpbin_dir/log" 2>&1 &
    httpbin_pid=$!
    httpbin_url=
    httpbin_wait=0
    while [ -z "$httpbin_url" ] && [ "$httpbin_wait" -lt 3000 ] && kill -0 "$httpbin_pid" 2>/dev/null; do
        httpbin_wait=$((httpbin_wait + 1))
        sleep 0.1 2>/dev/null || sleep 1
        httpbin_url=$(sed -n 's|.*Listening at: \(http://127\.0\.0\.1:[0-9]*\).*|\1|p' "$httpbin_dir/log")
    done
    if [ -z "$httpbin_url" ]; then
        echo "error: httpbin didn't start:" >&2
        cat "$httpbin_dir/log" >&2
        stop_httpbin
        return 1
    fi
    outlive_no_script "$httpbin_pid" "$httpbin_dir"
    httpbin_watcher_pid=$watcher_pid
    export REQUESTS_HTTPBIN_URL="$httpbin_url"
    export REQUESTS_HTTPBIN_PYTHON="$httpbin_venv/bin/python"
    echo "httpbin: $REQUESTS_HTTPBIN_URL" >&2
}

# Does nothing if httpbin isn't running, so it can be called twice.
stop_httpbin() {
    if [ -n "$httpbin_pid" ]; then
        kill -KILL "$httpbin_watcher_pid" 2>/dev/null || :
        kill "$httpbin_pid" 2>/dev/null || :
        wait "$httpbin_pid" 2>/dev/null || :
        httpbin_pid=
    fi
    if [ -n "$httpbin_dir" ]; then
        rm -rf "$httpbin_dir"
        httpbin_dir=
    fi
}
