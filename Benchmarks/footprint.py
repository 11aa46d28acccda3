"""Runs the programs of Benchmarks/footprint in turn, and prints a table.

    python3 Benchmarks/footprint.py DIRECTORY URL
"""

import pathlib
import re
import statistics
import subprocess
import sys
import time

ROUNDS = 40
directory, url = pathlib.Path(sys.argv[1]), sys.argv[2]
commands = {
    "Requests over libcurl": [str(directory / "get"), url],
    "AsyncHTTPClient": [str(directory / "asyncget"), url],
    "URLSession": [str(directory / "session"), url],
    "C on libcurl": [str(directory / "cget"), url],
    "the curl tool": ["curl", "--silent", "--output", "/dev/null", url],
}
times = {name: [] for name in commands}
memory = {name: [] for name in commands}
for _ in range(ROUNDS):
    for name, command in commands.items():
        start = time.perf_counter()
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        times[name].append(time.perf_counter() - start)
        found = re.search(r"RssAnon:\s+(\d+) kB", output)
        if found:
            memory[name].append(int(found[1]) / 1024)
print("| program | size, MB | anonymous memory, MiB | start to end, ms | to the curl tool |")
print("|---|---|---|---|---|")
base = statistics.median(times["the curl tool"])
for name, command in commands.items():
    path = pathlib.Path(command[0])
    size = f"{path.stat().st_size / 1e6:.1f}" if path.exists() else "–"
    anonymous = f"{statistics.median(memory[name]):.1f}" if memory[name] else "–"
    median = statistics.median(times[name])
    print(f"| {name} | {size} | {anonymous} | {median * 1000:.1f} | {median / base:.2f} |")
