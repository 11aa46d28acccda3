"""Runs the program `exchange` with each library in interleaved rounds, and prints the results. See `compare`."""

import json
import os
import platform
import socketserver
import statistics
import subprocess
import sys
import threading

PROGRAM, RESULTS, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
PLAIN = os.environ["REQUESTS_NGINX_URL"]
SECURE = os.environ.get("REQUESTS_NGINX_TLS_URL")
HTTP3 = os.environ.get("REQUESTS_HTTP3_URL")
AUTHORITY = os.environ.get("REQUESTS_NGINX_CERTIFICATES", "") + "/cert.pem"

WAYS = {
    "raw": "C on libcurl",
    "tuned": "tuned C",
    "threaded": "C, a thread for libcurl",
    "curl": "CurlTransport",
    "executor": "CurlTransport, tasks on its thread",
    "client": "Client over CurlTransport",
    "ahc": "AsyncHTTPClient",
    "urlsession": "URLSession",
}
# Foundation on Linux crashes with more than a few concurrent exchanges over HTTP/2.
CRASHES = {("urlsession", "HTTP/2, 64 in flight"), ("urlsession", "HTTP/2, 1000 in flight")}

# Its ratio is above 10, and each of its rounds takes as long as those of all other libraries together.
MOST_ROUNDS = {"urlsession": 2}


class Sink(socketserver.StreamRequestHandler):
    """Reads the whole request body before it responds, which nginx doesn't do."""

    def handle(self):
        length = 0
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        buffer = memoryview(bytearray(1 << 20))
        while length > 0 and (count := self.rfile.readinto(buffer[:min(len(buffer), length)])):
            length -= count
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def start_sink():
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Sink)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def scenario(name, *arguments, count=1, secure=False, ways=tuple(WAYS)):
    tls = ["--authority", AUTHORITY] if secure else []
    return name, [*arguments, "--count", str(count), *tls], ways


def scenarios():
    if HTTP3:
        ways = [way for way in WAYS if way not in ("ahc", "urlsession")]
        for in_flight in (1, 64):
            name = f"{in_flight} in flight" if in_flight > 1 else "one by one"
            for url, version in [(SECURE + "/json", "2"), (HTTP3 + "/files/json", "3")]:
                yield scenario(f"HTTP/{version}, {name}", "--url", url, "--http", version, "--in-flight", str(in_flight),
                               count=20000 if in_flight > 1 else 5000, secure=True, ways=ways)
        return
    yield scenario("HTTP/1.1, one by one", "--url", PLAIN + "/json", count=5000)
    yield scenario("HTTP/1.1, 64 in flight", "--url", PLAIN + "/json", "--in-flight", "64", count=20000)
    yield scenario("HTTP/1.1, 64 in flight, unique heads", "--url", PLAIN + "/unique", "--in-flight", "64", count=20000)
    yield scenario("HTTP/1.1, 1000 in flight, after 200 ms", "--url", PLAIN + "/slow", "--in-flight", "1000",
                   count=20000)
    if SECURE:
        yield scenario("HTTP/1.1 over TLS, 64 in flight", "--url", SECURE + "/json", "--in-flight", "64",
                       count=20000, secure=True)
        yield scenario("HTTP/2, 64 in flight", "--url", SECURE + "/json", "--in-flight", "64", "--http", "2",
                       count=20000, secure=True)
        yield scenario("HTTP/2, 1000 in flight", "--url", SECURE + "/json", "--in-flight", "1000", "--http", "2",
                       count=20000, secure=True)
        yield scenario("a new connection over TLS", "--url", SECURE + "/json", "--fresh-connections",
                       count=200, secure=True, ways=("raw", "threaded", "curl", "ahc", "urlsession"))
    large = ("raw", "threaded", "curl", "ahc")
    yield scenario("1 GiB down", "--url", PLAIN + "/bytes/1g", ways=(*large, "urlsession"))
    yield scenario("1 GiB up", "--url", start_sink() + "/", "--upload", str(1 << 30), ways=large)
    if SECURE:
        yield scenario("1 GiB down over TLS", "--url", SECURE + "/bytes/1g", secure=True, ways=large)


def measure(way, arguments):
    environment = dict(os.environ, URLSessionCertificateAuthorityInfoFile=AUTHORITY)
    result = subprocess.run([PROGRAM, way, *arguments], capture_output=True, text=True, env=environment)
    if result.returncode:
        return None
    time, memory, _ = result.stdout.split()
    return float(time), int(memory)


def run(name, arguments, ways):
    """Returns the median of the processor time in microseconds and of the memory in KiB for each library."""
    samples = {way: [] for way in ways if (way, name) not in CRASHES}
    for index in range(ROUNDS):
        for way in samples:
            if index >= MOST_ROUNDS.get(way, ROUNDS):
                continue
            sample = measure(way, arguments)
            if sample:
                samples[way].append(sample)
    return {
        way: (statistics.median(t for t, _ in values), statistics.median(m for _, m in values))
        for way, values in samples.items()
        if values
    }


def table(title, results, cell):
    print(f"\n| {title} | {' | '.join(WAYS.values())} |\n{'|---' * (len(WAYS) + 1)}|")
    for name, medians in results.items():
        cells = [cell(medians, *medians[way]) if way in medians else "–" for way in WAYS]
        print(f"| {name} | {' | '.join(cells)} |")


results = {}
for name, arguments, ways in scenarios():
    print(f"  {name}", file=sys.stderr)
    results[name] = run(name, arguments, ways)
print(f"{platform.platform()}, {os.cpu_count()} cores, libcurl {os.environ['REQUESTS_LIBCURL']}, {ROUNDS} rounds")
table("processor time in µs for each exchange (ratio to C)", results,
      lambda medians, time, _: f"{time:,.1f} ({time / medians['raw'][0]:.2f})" if "raw" in medians else "–")
table("peak memory in KiB above idle", results, lambda _, time, memory: f"{memory:,.0f}")
if HTTP3:
    sys.exit()
with open(RESULTS, "w", encoding="utf-8") as file:
    json.dump(results, file, indent=1)
    file.write("\n")
