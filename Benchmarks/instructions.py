"""Counts the instructions of an exchange by library. See `instructions`."""

import os
import re
import subprocess
import sys

PROGRAM, WORK, WAYS = sys.argv[1], sys.argv[2], sys.argv[3:]
SERVER = os.environ["REQUESTS_NGINX_URL"]
FEW, MANY = 1280, 3840

NAMES = {
    "raw": "C on libcurl",
    "tuned": "tuned C",
    "curl": "CurlTransport",
    "executor": "tasks on its thread",
    "workers": "tasks on its work executor",
    "client": "Client",
    "clientWorkers": "Client on the work executor",
    "ahc": "AsyncHTTPClient",
}
# The columns of the table. An object belongs to the first pattern that it matches.
GROUPS = {
    "libcurl": r"libcurl",
    "libc": r"libc\.so|libpthread|vdso|libm\.so|libstdc",
    "program": r"/exchange$",
    "Swift runtime": r"libswiftCore|libswift_|libdispatch|libFoundation|_Foundation|libBlocksRuntime",
    "rest": r"",
}


def profile(way, path, count, options):
    """The instructions of a whole run by object."""
    output = f"{WORK}/callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", PROGRAM, way, "--url", SERVER + path,
               "--count", str(count), "--in-flight", "64", "--no-samples", *options]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{way} failed under callgrind:\n{result.stdout}{result.stderr}")
    return costs(output)


def costs(output):
    objects, totals, current, is_call = {}, {}, None, False
    with open(output, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := re.match(r"ob=\((\d+)\)(?: (.*))?$", line):
                number, name = match.groups()
                current = objects.setdefault(number, name)
            elif match := re.match(r"cob=\((\d+)\) (.*)$", line):
                objects.setdefault(*match.groups())
            elif line.startswith("calls="):
                is_call = True
            elif line[0].isdigit() or line[0] in "+-*":
                # The line after a call has the cost of the called function.
                if not is_call:
                    totals[current] = totals.get(current, 0) + int(line.split()[1])
                is_call = False
    return totals


def exchange(way, path, options):
    """The instructions of one exchange by group."""
    few, many = profile(way, path, FEW, options), profile(way, path, MANY, options)
    groups = dict.fromkeys(GROUPS, 0)
    for name, cost in many.items():
        group = next(group for group, pattern in GROUPS.items() if re.search(pattern, name or ""))
        groups[group] += (cost - few.get(name, 0)) / (MANY * 1.1 - FEW * 1.1)
    return groups


def main():
    ways = WAYS or list(NAMES)
    tables = [("equal heads", "/json"), ("a unique field in each head", "/unique"), ("a body in gzip", "/gzip")]
    for title, path in tables:
        print(f"| instructions, {title} | {' | '.join(GROUPS)} | total | ratio to C | ratio to tuned C |")
        print("|---" * (len(GROUPS) + 4) + "|", flush=True)
        totals = {}
        options = ["--gzip"] if path == "/gzip" else []
        for way in ways:
            # It isn't told to decode bodies.
            if options and way == "ahc":
                continue
            groups = exchange(way, path, options)
            total = totals[way] = sum(groups.values())
            cells = [f"{cost:,.0f}" for cost in [*groups.values(), total]]
            cells += [f"{total / totals[base]:.2f}" if base in totals else "–" for base in ("raw", "tuned")]
            print(f"| {NAMES[way]} | {' | '.join(cells)} |", flush=True)
        print()


main()
