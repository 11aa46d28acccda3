"""Counts the instructions of an exchange by library. See `instructions`."""

import json
import os
import re
import subprocess
import sys

PROGRAM, WORK, LAST, WAYS = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
WRITES = "--write" in WAYS
SERVER, SECURE = os.environ["REQUESTS_NGINX_URL"], os.environ["REQUESTS_NGINX_TLS_URL"]
AUTHORITY = os.environ["REQUESTS_NGINX_CERTIFICATES"] + "/cert.pem"
FEW, MANY = 1280, 3840
# A smaller change of a column is noise.
NOISE = 500

NAMES = {
    "raw": "C on libcurl",
    "tuned": "tuned C",
    "floor": "tasks over tuned C",
    "curl": "CurlTransport",
    "executor": "tasks on its thread",
    "client": "Client",
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


TABLES = {
    "equal heads": [SERVER + "/json"],
    "a unique field in each head": [SERVER + "/unique"],
    "a body in gzip": [SERVER + "/gzip", "--gzip"],
    "HTTP/2": [SECURE + "/json", "--http", "2", "--authority", AUTHORITY],
}


def profile(way, options, count):
    """The instructions of a whole run by object."""
    output = f"{WORK}/callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", PROGRAM, way, "--url", *options,
               "--count", str(count), "--in-flight", "64", "--no-samples"]
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


def exchange(way, options):
    """The instructions of one exchange by group."""
    few, many = profile(way, options, FEW), profile(way, options, MANY)
    groups = dict.fromkeys(GROUPS, 0)
    for name, cost in many.items():
        group = next(group for group, pattern in GROUPS.items() if re.search(pattern, name or ""))
        groups[group] += (cost - few.get(name, 0)) / (MANY * 1.1 - FEW * 1.1)
    return {group: round(cost) for group, cost in groups.items()}


def moved(groups, last):
    """What has moved since the last figures of the repository."""
    if not last:
        return "new"
    total = sum(groups.values()) - sum(last.values())
    parts = [f"{group} {groups[group] - last[group]:+,}" for group in GROUPS if abs(groups[group] - last[group]) > NOISE]
    return f"{total:+,}" + (f" ({', '.join(parts)})" if parts else "")


def main():
    ways = [way for way in WAYS if way != "--write"] or list(NAMES)
    with open(LAST, encoding="utf-8") as file:
        figures = json.load(file)
    for title, options in TABLES.items():
        print(f"| instructions, {title} | {' | '.join(GROUPS)} | total | to C | to tuned C | moved |")
        print("|---" * (len(GROUPS) + 5) + "|", flush=True)
        totals = {}
        for way in ways:
            # These don't decode bodies.
            if "--gzip" in options and way in ("ahc", "floor"):
                continue
            groups = exchange(way, options)
            total = totals[way] = sum(groups.values())
            cells = [f"{cost:,}" for cost in [*groups.values(), total]]
            cells += [f"{total / totals[base]:.2f}" if base in totals else "–" for base in ("raw", "tuned")]
            rows = figures.setdefault(title, {})
            print(f"| {NAMES[way]} | {' | '.join(cells)} | {moved(groups, rows.get(way))} |", flush=True)
            rows[way] = groups
        print()
    if WRITES:
        with open(LAST, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)
            file.write("\n")


main()
