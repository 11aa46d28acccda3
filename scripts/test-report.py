"""Runs swift test, shows its progress, and lists the failed tests at the end.

    python3 scripts/test-report.py LOG swift test [OPTION...]

On a terminal, one line shows the progress by suite. Otherwise a line follows from time to time, at most about 40 in an
hour. The full output goes to LOG. Also fails if no test ran, or if the arguments of a test make a line too long.
"""

import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILT = re.compile(r"\[(\d+/\d+)\] ")
PROBLEM = re.compile(r"(?:^|: )(?:error|warning|fatal error):")
# The symbols at the start of Swift Testing's lines.
SYMBOLS = tuple("◇✔✘➜━↳")

MAXIMUM_LENGTH = 300
# If the build or the process fails, the end of its output says why.
LAST_LINES = 40


class Report:
    """What Swift Testing's events and the output of the build say."""

    def __init__(self):
        self.tests = {}
        self.running = {}
        self.suites = {}
        self.failed = {}
        # The number of skipped tests for each reason.
        self.skipped = collections.Counter()
        self.passed = self.known_issues = self.ended_suites = 0
        self.built = ""
        self.has_started = self.has_ended = False
        self.long_lines = []
        # A compiler repeats a problem for each module that sees it.
        self.problems = set()

    def read_output(self, line):
        """Returns a line of the output if it is a problem to show at once."""
        if match := BUILT.match(line):
            self.built = f" {match[1]}"
        elif "Fatal error:" in line or "Another instance of SwiftPM" in line or not self.has_started and PROBLEM.search(line) and line not in self.problems:
            self.problems.add(line)
            return line
        return None

    def read(self, record):
        """Returns the name of a test that fails, at its first issue."""
        payload = record["payload"]
        if record["kind"] == "test":
            self.tests[payload["id"]] = payload
            return None
        kind, messages = payload["kind"], payload["messages"]
        self.has_started = True
        test = self.tests.get(payload.get("testID"), {"name": "the test run", "kind": "function"})
        name, is_suite = test.get("displayName", test["name"]), test["kind"] == "suite"
        running = self.suites if is_suite else self.running
        if kind == "testStarted":
            running[name] = None
        elif kind == "testCaseStarted" and len(messages[0]["text"].split("\n")[0]) > MAXIMUM_LENGTH:
            self.long_lines.append(messages[0]["text"])
        elif kind == "issueRecorded":
            return self.read_issue(name, payload)
        elif kind == "testSkipped" and not is_suite:
            self.skipped[" ".join(payload["_comments"]) or "no reason is given"] += 1
        elif kind == "testEnded":
            running.pop(name, None)
            self.ended_suites += is_suite
            self.passed += not is_suite and name not in self.failed
        elif kind == "runEnded":
            self.has_ended = True
        return None

    def read_issue(self, name, payload):
        issue, (message, *comments) = payload["issue"], payload["messages"]
        if issue["isKnown"] or message["symbol"] != "fail":
            self.known_issues += issue["isKnown"]
            return None
        is_first = name not in self.failed
        location = issue.get("sourceLocation", {"fileID": "?", "line": 0})
        place = f"{location['fileID']}:{location['line']}"
        if arguments := payload.get("_testCase", {}).get("displayName"):
            place += f" with {arguments}"
        # The text of an error can have several lines.
        texts = [message["text"], *(text for comment in comments if not (text := comment["text"]).startswith("//"))]
        self.failed.setdefault(name, []).append(f"{place}: {': '.join(texts)}".replace("\n", "\n      "))
        return f"failed: {name}" if is_first else None

    def progress(self, seconds):
        """Returns one line about what has happened so far."""
        if not self.has_started:
            return f"building{self.built}, {seconds:.0f} s"
        total = sum(test["kind"] == "function" for test in self.tests.values())
        count = f"{self.passed} of {total} passed" + (f", {len(self.failed)} failed" if self.failed else "")
        running = f", running: {', '.join(self.suites)}" if self.suites else ""
        return f"tests: {count}, {self.ended_suites} suites ended, {seconds:.0f} s{running}"

    @property
    def ran_none(self):
        return self.has_ended and not (self.passed or self.failed or self.skipped)

    def lines(self, seconds, log):
        """Yields the lines at the end."""
        if self.ran_none:
            yield "error: no test has this name"
        elif self.failed:
            yield f"failed tests ({len(self.failed)}):"
            for name, issues in self.failed.items():
                yield f"  {name}"
                yield from (f"    {issue}" for issue in issues)
        elif self.has_ended:
            skipped = f", {self.skipped.total()} skipped" if self.skipped else ""
            known = f", {self.known_issues} known issue{'s'[:self.known_issues - 1]}" if self.known_issues else ""
            yield f"{self.passed} tests passed{skipped}{known} in {seconds:.0f} s"
            yield from (f"  {count} skipped: {reason}" for reason, count in self.skipped.most_common())
        if not self.has_ended:
            with open(log, encoding="utf-8", errors="replace") as file:
                yield from [line.rstrip("\n") for line in file if not line.startswith(SYMBOLS)][-LAST_LINES:]
            if self.running:
                yield f"tests that started and didn't end ({len(self.running)}):"
                yield from (f"  {name}" for name in self.running)
        if self.long_lines:
            yield f"error: test arguments that make a line of the log longer than {MAXIMUM_LENGTH} characters:"
            yield from (f"  {line[:MAXIMUM_LENGTH]}…" for line in self.long_lines)
        yield f"The full output is in {log}."


class Screen:
    """Shows lines, and the progress: on a terminal in place, in a log at times that become rarer."""

    def __init__(self):
        self.is_terminal = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.start = self.last = time.monotonic()
        self.count = 0

    @property
    def seconds(self):
        return time.monotonic() - self.start

    def show(self, line):
        print(f"\r\x1b[K{line}" if self.is_terminal else line, flush=True)

    def progress(self, report):
        # 15 seconds, and twice as long after each ten lines.
        if time.monotonic() - self.last < (0.1 if self.is_terminal else 15 * 2 ** (self.count // 10)):
            return
        self.last = time.monotonic()
        self.count += 1
        text, width = report.progress(self.seconds), shutil.get_terminal_size((120, 24)).columns
        text = text if len(text) < width else f"{text[:width - 2]}…"
        print(f"\r{text}\x1b[K" if self.is_terminal else text, end="" if self.is_terminal else "\n", flush=True)


def new_lines(file):
    """Yields the complete lines that were written since the last call."""
    while (line := file.readline()).endswith(b"\n"):
        yield line[:-1].decode("utf-8", "replace")
    file.seek(-len(line), os.SEEK_CUR)


def main(log, *command):
    report, screen = Report(), Screen()
    with tempfile.NamedTemporaryFile() as events, open(log, "wb") as output, open(log, "rb") as lines:
        command = [*command, "--event-stream-output-path", events.name, "--event-stream-version", "0"]
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, process_group=0)
        # A signal ends swift test with all that it has started, and the report then reads the rest of its output.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: os.killpg(process.pid, number))
        is_running = True
        while is_running:
            time.sleep(0.1)
            is_running = process.poll() is None
            shown = [report.read_output(line) for line in new_lines(lines)]
            shown += [report.read(json.loads(line)) for line in new_lines(events)]
            for line in filter(None, shown):
                screen.show(line)
            screen.progress(report)
    for line in report.lines(screen.seconds, log):
        screen.show(line)
    return process.returncode or int(bool(report.long_lines or report.ran_none))


sys.exit(main(*sys.argv[1:]))
