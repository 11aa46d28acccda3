# shellcheck shell=sh
#
# The HTTP server for the tests: a separate nginx on a free loopback port, with its files in a temporary directory.
# Source this file, call start_nginx, and call stop_nginx when done (in a trap).
#
# start_nginx exports:
# - REQUESTS_NGINX_URL
# - REQUESTS_NGINX_SOCKET, the same server over a Unix domain socket
# - REQUESTS_NGINX_HTTP2_URL, for HTTP/2 without TLS, if nginx supports HTTP/2
# - REQUESTS_NGINX_TLS_URL, for HTTP/2 over TLS, if nginx supports TLS and openssl is installed
# - REQUESTS_NGINX_CERTIFICATES, with the same condition, a directory with the server's cert.pem, and with client.pem,
#   client.key, client.encrypted.key and client.p12 for a client. The password of the last two is "tests".

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export PATH

nginx_dir=
nginx_pid=
nginx_watcher_pid=

start_nginx() {
    nginx_dir=$(mktemp -d "${TMPDIR:-/tmp}/requests-nginx.XXXXXX") || return 1
    nginx_files || return 1
    nginx_certificate
    nginx_http2=
    ! nginx -V 2>&1 | grep -q http_v2_module || nginx_http2=' http2'
    nginx_try=0
    while [ "$nginx_try" -lt 20 ]; do
        nginx_try=$((nginx_try + 1))
        nginx_port=$(nginx_random_port)
        nginx_tls_port=$(nginx_random_port)
        nginx_http2_port=$(nginx_random_port)
        [ "$nginx_port" -ne "$nginx_tls_port" ] || continue
        [ "$nginx_port" -ne "$nginx_http2_port" ] || continue
        [ "$nginx_tls_port" -ne "$nginx_http2_port" ] || continue
        nginx_conf >"$nginx_dir/nginx.conf"
        nginx_launch && break
        nginx_port_taken || break
    done
    if [ -z "$nginx_pid" ]; then
        echo "error: nginx didn't start:" >&2
        cat "$nginx_dir/stderr.log" "$nginx_dir/error.log" >&2 2>/dev/null
        stop_nginx
        return 1
    fi
    outlive_no_script "$nginx_pid" "$nginx_dir"
    nginx_watcher_pid=$watcher_pid
    export REQUESTS_NGINX_URL="http://127.0.0.1:$nginx_port"
    export REQUESTS_NGINX_SOCKET="$nginx_dir/socket"
    echo "nginx: $REQUESTS_NGINX_URL" >&2
    if [ -n "$nginx_http2" ]; then
        export REQUESTS_NGINX_HTTP2_URL="http://127.0.0.1:$nginx_http2_port"
        echo "nginx: $REQUESTS_NGINX_HTTP2_URL (HTTP/2)" >&2
    fi
    if [ -e "$nginx_dir/cert.pem" ]; then
        export REQUESTS_NGINX_TLS_URL="https://127.0.0.1:$nginx_tls_port"
        export REQUESTS_NGINX_CERTIFICATES="$nginx_dir"
        echo "nginx: $REQUESTS_NGINX_TLS_URL" >&2
    fi
}

# Does nothing if nginx isn't running, so it can be called twice.
stop_nginx() {
    if [ -n "$nginx_pid" ]; then
        kill -KILL "$nginx_watcher_pid" 2>/dev/null || :
        kill "$nginx_pid" 2>/dev/null || :
        wait "$nginx_pid" 2>/dev/null || :
        nginx_pid=
    fi
    if [ -n "$nginx_dir" ]; then
        rm -rf "$nginx_dir"
        nginx_dir=
    fi
}

# Starts nginx and waits for its pid file, which appears when it listens.
nginx_launch() {
    rm -f "$nginx_dir/nginx.pid" "$nginx_dir/error.log"
    nginx -p "$nginx_dir/" -c "$nginx_dir/nginx.conf" >"$nginx_dir/stderr.log" 2>&1 &
    nginx_pid=$!
    nginx_wait=0
    while [ "$nginx_wait" -lt 2000 ]; do
        nginx_wait=$((nginx_wait + 1))
        [ ! -s "$nginx_dir/nginx.pid" ] || return 0
        kill -0 "$nginx_pid" 2>/dev/null || break
        # nginx would keep trying for a while.
        ! nginx_port_taken || break
        sleep 0.05 2>/dev/null || sleep 1
    done
    kill "$nginx_pid" 2>/dev/null || :
    wait "$nginx_pid" 2>/dev/null || :
    nginx_pid=
    return 1
}

nginx_port_taken() {
    cat "$nginx_dir/stderr.log" "$nginx_dir/error.log" 2>/dev/null | grep -q 'bind() to .* failed'
}

# Prints a random port below the range for outgoing connections.
nginx_random_port() {
    od -An -N2 -tu2 /dev/urandom | awk '{ print 20000 + $1 % 12000 }'
}

# Creates the files that nginx serves.
nginx_files() {
    mkdir "$nginx_dir/files" "$nginx_dir/tmp" || return 1
    # 2048 bytes of JSON.
    awk 'BEGIN {
        start = "{\"id\":1,\"name\":\"Ada\",\"padding\":\""
        end = "\"}"
        printf "%s", start
        for (i = length(start end); i < 2048; i++) printf "x"
        printf "%s", end
    }' >"$nginx_dir/files/json"
    gzip -c "$nginx_dir/files/json" >"$nginx_dir/files/json.gz" || return 1
    : >"$nginx_dir/files/empty"
    # 64 bytes a line.
    nginx_line=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-
    yes "$nginx_line" 2>/dev/null | head -c 1048576 >"$nginx_dir/files/1m"
    yes "$nginx_line" 2>/dev/null | head -c 16777216 >"$nginx_dir/files/16m"
    # A sparse file, which takes no space.
    dd if=/dev/null of="$nginx_dir/files/1g" bs=1 seek=1073741824 2>/dev/null
    : >"$nginx_dir/nobody"
}

# Makes a self-signed certificate for localhost, and a client certificate signed by it. Without them, there is no TLS.
nginx_certificate() {
    nginx -V 2>&1 | grep -q http_ssl_module || return 0
    command -v openssl >/dev/null 2>&1 || return 0
    cat >"$nginx_dir/openssl.cnf" <<'END'
[req]
distinguished_name = name
x509_extensions = extensions
prompt = no
[name]
CN = localhost
[extensions]
subjectAltName = DNS:localhost, IP:127.0.0.1
basicConstraints = critical, CA:TRUE
END
    nginx_make_certificates >/dev/null 2>&1 || rm -f "$nginx_dir/cert.pem"
}

nginx_make_certificates() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -sha256 -config "$nginx_dir/openssl.cnf" \
        -keyout "$nginx_dir/key.pem" -out "$nginx_dir/cert.pem" &&
        openssl req -new -newkey rsa:2048 -nodes -subj "/CN=Ada" \
            -keyout "$nginx_dir/client.key" -out "$nginx_dir/client.csr" &&
        openssl x509 -req -in "$nginx_dir/client.csr" -days 2 -CA "$nginx_dir/cert.pem" \
            -CAkey "$nginx_dir/key.pem" -CAcreateserial -out "$nginx_dir/client.pem" &&
        openssl pkcs12 -export -passout pass:tests -in "$nginx_dir/client.pem" \
            -inkey "$nginx_dir/client.key" -out "$nginx_dir/client.p12" &&
        openssl pkcs8 -topk8 -in "$nginx_dir/client.key" -passout pass:tests -out "$nginx_dir/client.encrypted.key"
}

# Prints the configuration for nginx_port and nginx_tls_port.
nginx_conf() {
    # As root, the worker would switch to an account that can't read the directory.
    [ "$(id -u)" -ne 0 ] || echo "user $(id -un) $(id -gn);"
    cat <<END
daemon off;
worker_processes 1;
pid "$nginx_dir/nginx.pid";
lock_file "$nginx_dir/nginx.lock";
error_log "$nginx_dir/error.log";

events {
    worker_connections 4096;
}

http {
    access_log off;
    default_type text/plain;
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 75s;
    keepalive_requests 1000000;
    # Tests hold a reader or a server still for longer than the defaults of a minute, if the machine is busy.
    send_timeout 15m;
    client_body_timeout 15m;
    proxy_read_timeout 15m;
    proxy_send_timeout 15m;
    client_max_body_size 64m;
    client_body_temp_path "$nginx_dir/tmp/body";
    proxy_temp_path "$nginx_dir/tmp/proxy";
    fastcgi_temp_path "$nginx_dir/tmp/fastcgi";
    uwsgi_temp_path "$nginx_dir/tmp/uwsgi";
    scgi_temp_path "$nginx_dir/tmp/scgi";

    # The variables of a location are decoded. This one is not.
    map \$request_uri \$to_port { "~^/to/(?<port>[0-9]+)/" \$port; }
    map \$request_uri \$to_target { "~^/to/[0-9]+(?<target>/.*)$" \$target; }

    server {
        listen 127.0.0.1:$nginx_port;
        listen "unix:$nginx_dir/socket";
END
    [ -z "$nginx_http2" ] || echo "        listen 127.0.0.1:$nginx_http2_port http2;"
    if [ -e "$nginx_dir/cert.pem" ]; then
        cat <<END
        listen 127.0.0.1:$nginx_tls_port ssl$nginx_http2;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate "$nginx_dir/cert.pem";
        ssl_certificate_key "$nginx_dir/key.pem";
        ssl_client_certificate "$nginx_dir/cert.pem";
        ssl_verify_client optional;
END
    fi
    cat <<'END'
        server_name localhost;
        # Sends Location: /json instead of an absolute URL.
        absolute_redirect off;

        location = /status/200 { return 200 "200\n"; }
        location = /status/204 { return 204; }
        location = /status/301 { return 301 /json; }
        location = /status/304 { return 304; }
        location = /status/400 { return 400 "400\n"; }
        location = /status/401 {
            add_header WWW-Authenticate 'Basic realm="x"' always;
            return 401 "401\n";
        }
        location = /status/404 { return 404 "404\n"; }
        location = /status/500 { return 500 "500\n"; }
        location = /status/503 { return 503 "503\n"; }

        location = /user/1 {
            default_type application/json;
            return 200 '{"id":1,"name":"Ada"}';
        }
        # Forwards requests to a test server on another port, without buffering.
        location ~ ^/to/[0-9]+/ {
            proxy_pass http://127.0.0.1:$to_port$to_target;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
            proxy_request_buffering off;
            proxy_redirect off;
            add_header X-Connection $connection;
        }
        location = /connection { return 200 "$connection"; }
        location = /client { return 200 "$ssl_client_verify $ssl_client_s_dn"; }
        location = /echo/answer {
            return 200 "$request_method $http_x_echo_target\n$http_x_probe\n$content_type $http_x_echo_length\n";
        }
        location = /headers {
            return 200 "$http_accept|$http_accept_language|$http_authorization|$http_user_agent";
        }

END
    cat <<END
        # Proxies to a second location, so that the whole body is read and its length is known before the response.
        location = /echo {
            proxy_pass http://127.0.0.1:$nginx_port/echo/answer;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header X-Echo-Target \$request_uri;
            proxy_set_header X-Echo-Length \$content_length;
        }
        location = /json {
            default_type application/json;
            alias "$nginx_dir/files/json";
        }
        # A header field with a new value in each response.
        location = /gzip {
            default_type application/json;
            add_header Content-Encoding gzip;
            alias "$nginx_dir/files/json.gz";
        }
        location = /unique {
            default_type application/json;
            add_header X-Request-Id \$request_id;
            alias "$nginx_dir/files/json";
        }
        location = /bytes/1m {
            default_type application/octet-stream;
            alias "$nginx_dir/files/1m";
        }
        location = /bytes/16m {
            default_type application/octet-stream;
            alias "$nginx_dir/files/16m";
        }
        location = /bytes/1g {
            default_type application/octet-stream;
            alias "$nginx_dir/files/1g";
        }
        # Takes 200 ms, which is the delay for wrong credentials.
        location = /slow {
            auth_basic slow;
            auth_basic_user_file "$nginx_dir/nobody";
            auth_delay 200ms;
            error_page 401 =200 /json;
        }
        location = /empty {
            alias "$nginx_dir/files/empty";
        }
        location / { return 404 "no such route\\n"; }
    }
}
END
}
