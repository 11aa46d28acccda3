# The servers for the tests. Source this file after setup.sh. They use free loopback ports, have their files in a
# temporary directory, and end with the script.
#
# start_nginx exports:
# - REQUESTS_NGINX_URL
# - REQUESTS_NGINX_SOCKET, the same server over a Unix domain socket
# - REQUESTS_NGINX_HTTP2_URL, for HTTP/2 without TLS
# - REQUESTS_NGINX_TLS_URL, for HTTP/2 over TLS
# - REQUESTS_NGINX_CERTIFICATES, a directory with the server's cert.pem, and with client.pem, client.key,
#   client.encrypted.key and client.p12 for a client. The password of the last two is "tests".
#
# start_httpbin exports REQUESTS_HTTPBIN_URL and REQUESTS_HTTPBIN_PYTHON, a Python with the module jsonschema.
#
# start_tus exports REQUESTS_TUS_PYTHON, a Python that runs a tus server for each test that needs one.
#
# start_http3 needs nginx, and exports REQUESTS_HTTP3_URL, a caddy with nginx's certificate, and REQUESTS_HTTP3_PYTHON, a
# Python that runs hostile servers.

# start_server NAME READY COMMAND...
# Starts a server, and waits until its output, $work/NAME.log, contains READY.
start_server() {
    server=$1
    ready=$2
    shift 2
    : >"$work/$server.log"
    "$@" >>"$work/$server.log" 2>&1 &
    server_pid=$!
    echo "$server_pid" >>"$work/servers"
    until grep -q "$ready" "$work/$server.log"; do
        kill -0 "$server_pid" 2>/dev/null || fail "$server didn't start: $(cat "$work/$server.log")"
        sleep 0.1
    done
}

# free_ports COUNT
# Prints the numbers of ports that nothing listens on.
free_ports() {
    python3 -c '
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[socket.getsockname()[1] for socket in sockets])
' "$1"
}

start_nginx() {
    need_program nginx nginx-light
    need_program openssl
    need_python
    make_work
    nginx=$work/nginx
    mkdir -p "$nginx/tmp"
    nginx_files
    nginx_certificates >"$work/openssl.log" 2>&1 || fail "openssl failed: $(cat "$work/openssl.log")"
    ports=$(free_ports 3)
    port=${ports%% *}
    tls_port=${ports##* }
    http2_port=${ports#* }
    http2_port=${http2_port% *}
    # As root, the worker would switch to an account that can't read the directory.
    user=
    [ "$(id -u)" -ne 0 ] || user="user $(id -un) $(id -gn);"
    sed -e "s|@USER@|$user|; s|@DIRECTORY@|$nginx|" -e "s|@PORT@|$port|; s|@HTTP2_PORT@|$http2_port|" \
        -e "s|@TLS_PORT@|$tls_port|" scripts/nginx.conf >"$nginx/nginx.conf"
    start_server nginx 'start worker process ' nginx -p "$nginx/" -c "$nginx/nginx.conf"
    export REQUESTS_NGINX_URL="http://127.0.0.1:$port"
    export REQUESTS_NGINX_SOCKET="$nginx/socket"
    export REQUESTS_NGINX_HTTP2_URL="http://127.0.0.1:$http2_port"
    export REQUESTS_NGINX_TLS_URL="https://127.0.0.1:$tls_port"
    export REQUESTS_NGINX_CERTIFICATES="$nginx"
    say "nginx: $REQUESTS_NGINX_URL, $REQUESTS_NGINX_HTTP2_URL (HTTP/2), $REQUESTS_NGINX_TLS_URL"
}

# Creates the files that nginx serves.
nginx_files() {
    mkdir -p "$nginx/files"
    # 2048 bytes of JSON.
    printf '{"id":1,"name":"Ada","padding":"%02014d"}' 0 | sed 's/00/xx/g' >"$nginx/files/json"
    gzip -c "$nginx/files/json" >"$nginx/files/json.gz"
    : >"$nginx/files/empty"
    : >"$nginx/nobody"
    # 64 bytes a line.
    line=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-
    yes "$line" 2>/dev/null | head -c 1048576 >"$nginx/files/1m"
    yes "$line" 2>/dev/null | head -c 16777216 >"$nginx/files/16m"
    # A sparse file, which takes no space.
    dd if=/dev/null of="$nginx/files/1g" bs=1 seek=1073741824 2>/dev/null
}

# Makes a self-signed certificate for localhost, and a client certificate signed by it.
nginx_certificates() (
    cd -- "$nginx"
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -sha256 -subj /CN=localhost -keyout key.pem -out cert.pem \
        -addext 'subjectAltName = DNS:localhost, IP:127.0.0.1' &&
        openssl req -new -newkey rsa:2048 -nodes -subj /CN=Ada -keyout client.key -out client.csr &&
        openssl x509 -req -in client.csr -days 2 -CA cert.pem -CAkey key.pem -CAcreateserial -out client.pem &&
        openssl pkcs12 -export -passout pass:tests -in client.pem -inkey client.key -out client.p12 &&
        openssl pkcs8 -topk8 -in client.key -passout pass:tests -out client.encrypted.key
)

# If PyPI can't be reached, the tests that need httpbin are skipped, except in CI.
start_httpbin() {
    if ! need_venv httpbin; then
        [ -z "${CI:-}" ] || fail "httpbin couldn't be installed from PyPI, see above"
        say "httpbin: couldn't be installed, so its tests are skipped"
        return 0
    fi
    make_work
    # The system chooses the port, which gunicorn logs.
    start_server httpbin 'Listening at' .build/httpbin/bin/python -m gunicorn --bind 127.0.0.1:0 \
        --worker-class gthread --threads 32 --keep-alive 75 --graceful-timeout 1 --no-control-socket httpbin:app
    REQUESTS_HTTPBIN_URL=$(sed -n 's|.*Listening at: \(http://127\.0\.0\.1:[0-9]*\).*|\1|p' "$work/httpbin.log")
    export REQUESTS_HTTPBIN_URL REQUESTS_HTTPBIN_PYTHON="$PWD/.build/httpbin/bin/python"
    say "httpbin: $REQUESTS_HTTPBIN_URL"
}

# If PyPI can't be reached, the tests that need a tus server are skipped, except in CI.
start_tus() {
    if ! need_venv tuspyserver; then
        [ -z "${CI:-}" ] || fail "tuspyserver couldn't be installed from PyPI, see above"
        say "tuspyserver: couldn't be installed, so its tests are skipped"
        return 0
    fi
    export REQUESTS_TUS_PYTHON="$PWD/.build/tuspyserver/bin/python"
}

start_http3() {
    need_program caddy
    need_venv aioquic || fail "aioquic couldn't be installed from PyPI, see above"
    HTTP3_PORT=$(free_ports 1)
    export HTTP3_PORT NGINX_DIRECTORY="$nginx" XDG_DATA_HOME="$work" XDG_CONFIG_HOME="$work"
    start_server caddy 'serving initial configuration' caddy run --config scripts/Caddyfile --adapter caddyfile
    export REQUESTS_HTTP3_URL="https://127.0.0.1:$HTTP3_PORT" REQUESTS_HTTP3_PYTHON="$PWD/.build/aioquic/bin/python"
    say "caddy: $REQUESTS_HTTP3_URL (HTTP/3)"
}
