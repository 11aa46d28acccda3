"""Checks that a program of Benchmarks/footprint decodes a body in each content encoding that it accepts.

    python3 Benchmarks/codings.py PROGRAM
"""

import gzip
import http.server
import subprocess
import sys
import threading
import zlib

BODY = b"decoded " * 1000
ENCODERS = {"gzip": gzip.compress, "deflate": zlib.compress}


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        coding = self.path[1:]
        accepted = [name.strip() for name in self.headers.get("Accept-Encoding", "").split(",")]
        body = ENCODERS[coding](BODY) if coding in accepted else b""
        self.send_response(200)
        self.send_header("Content-Encoding", coding)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
for coding in ENCODERS:
    url = f"http://127.0.0.1:{server.server_port}/{coding}"
    output = subprocess.run([sys.argv[1], url], check=True, capture_output=True, text=True, timeout=30).stdout
    if output.split()[0] != str(len(BODY)):
        sys.exit(f"error: {coding} isn't decoded: {output}")
print(f"footprint: get decodes {' and '.join(ENCODERS)}")
