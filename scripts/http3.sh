# shellcheck shell=sh
#
# The servers for the tests of HTTP/3: caddy, which forwards requests to a test server, and the Python that runs hostile
# servers. Source this file after setup.sh and nginx.sh, call need_http3 and, while nginx runs, start_http3, and call
# stop_http3 when done (in a trap).
#
# need_http3 installs caddy, and the packages in http3.txt from PyPI into .build/aioquic, where they are kept.
# start_http3 exports REQUESTS_HTTP3_URL, whose certificate is nginx's, and REQUESTS_HTTP3_PYTHON.

http3_dir=
http3_pid=
http3_watcher_pid=

need_http3() {
    http3_root=$(CDPATH='' cd -- "$(dirname "$0")/.." && pwd)
    http3_venv=$http3_root/.build/aioquic
    if ! command -v caddy >/dev/null 2>&1; then
        [ "$(package_manager)" = apt ] || fail "caddy is missing: install it (it doesn't have to run) and run this again."
        say "caddy: missing, installing with apt-get"
        apt_prepare caddy
        with_log "apt-get install caddy" as_root sh -c "$install_without_starting" sh caddy ||
            fail "apt-get could not install: caddy"
    fi
    say "caddy: found $(caddy version)"
    # The copy of the pins is written last. If it is missing or different, the installation is incomplete or old.
    if ! cmp -s "$http3_root/scripts/http3.txt" "$http3_venv/pins.txt" || ! "$http3_venv/bin/python" -c ''; then
        need_python_venv
        rm -rf "$http3_venv"
        mkdir -p "$http3_root/.build"
        with_log "python3 -m venv .build/aioquic" python3 -m venv "$http3_venv" ||
            fail "python3 couldn't create the environment for aioquic, see above"
        with_log "pip install aioquic" "$http3_venv/bin/pip" install --no-deps --disable-pip-version-check \
            -r "$http3_root/scripts/http3.txt" || fail "pip couldn't install aioquic from PyPI, see above"
        cp "$http3_root/scripts/http3.txt" "$http3_venv/pins.txt"
    fi
    say "aioquic: found $(sed -n 's/^aioquic==//p' "$http3_root/scripts/http3.txt")"
}

start_http3() {
    http3_dir=$(mktemp -d "${TMPDIR:-/tmp}/requests-http3.XXXXXX") || return 1
    http3_port=$(nginx_random_port)
    http3_caddyfile >"$http3_dir/Caddyfile"
    XDG_DATA_HOME=$http3_dir XDG_CONFIG_HOME=$http3_dir \
        caddy run --config "$http3_dir/Caddyfile" --adapter caddyfile >"$http3_dir/log" 2>&1 &
    http3_pid=$!
    http3_wait=0
    until grep -q 'serving initial configuration' "$http3_dir/log"; do
        http3_wait=$((http3_wait + 1))
        if [ "$http3_wait" -gt 600 ] || ! kill -0 "$http3_pid" 2>/dev/null; then
            echo "error: caddy didn't start:" >&2
            cat "$http3_dir/log" >&2
            stop_http3
            return 1
        fi
        sleep 0.1 2>/dev/null || sleep 1
    done
    outlive_no_script "$http3_pid" "$http3_dir"
    http3_watcher_pid=$watcher_pid
    export REQUESTS_HTTP3_URL="https://127.0.0.1:$http3_port"
    export REQUESTS_HTTP3_PYTHON="$http3_venv/bin/python"
    echo "caddy: $REQUESTS_HTTP3_URL (HTTP/3)" >&2
}

# Does nothing if caddy isn't running, so it can be called twice.
stop_http3() {
    if [ -n "$http3_pid" ]; then
        kill -KILL "$http3_watcher_pid" 2>/dev/null || :
        kill "$http3_pid" 2>/dev/null || :
        wait "$http3_pid" 2>/dev/null || :
        http3_pid=
    fi
    if [ -n "$http3_dir" ]; then
        rm -rf "$http3_dir"
        http3_dir=
    fi
}

# Prints the configuration. Sends no Via field, as nginx doesn't.
http3_caddyfile() {
    cat <<END
{
    admin off
    auto_https off
    default_bind 127.0.0.1
    servers {
        # Requires client certificates of clients that name localhost, but not of those that use its address.
        strict_sni_host insecure_off
    }
}
https://127.0.0.1:$http3_port, https://localhost:$http3_port {
    tls "$nginx_dir/cert.pem" "$nginx_dir/key.pem" {
        client_auth {
            mode require
        }
    }
    @to path_regexp to ^/to/([0-9]+)/
    handle @to {
        uri strip_prefix /to/{re.to.1}
        reverse_proxy 127.0.0.1:{re.to.1} {
            flush_interval -1
        }
    }
    handle_path /files/* {
        root * "$nginx_dir/files"
        file_server
    }
    respond /connection "{http.request.remote.port}"
}
END
}
