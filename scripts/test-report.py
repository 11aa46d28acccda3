"""Shows the progress of swift test, and the failed tests at the end.

    swift test 2>&1 | python3 scripts/test-report.py LOG

On a terminal, one line shows the progress by suite. Otherwise a line follows from time to time, at most about 40 in an
hour. Writes the full output to LOG. Fails if no test ran, or if the arguments of a test make a line too long.
"""

import collections
import os
import re
import select
import shutil
import signal
import sys
import time

# Lines of Swift Testing. A display name is quoted, the name of a function isn't.
STARTED = re.compile(r"◇ Test (?!run |case )(.+) started\.$")
# A name in quotation marks can contain the words that follow it.
NAME = r"(\".*\"|[^\" ]\S*)"
OUTCOME = r" (passed after|failed after|skipped)\b"
# The symbol of a test with known issues is a bar.
ENDED = re.compile(rf"[✔✘➜━] Test (?!run |case ){NAME}(?: with \d+ test cases?)?{OUTCOME}")
REASON = re.compile(r"➜ Test .+ skipped: \"(.*)\"$")
ISSUE = re.compile(r"✘ Test (?!run )(.+?) recorded an issue(?: with \d+ arguments? (.*))? at (\S+?):(\d+):\d+: (.*)$")
CLOSING = re.compile(r"[✔✘━] Test run with (\d+) tests? .*(passed|failed) after")
KNOWN = re.compile(r"(\d+) known issues?")
SUITE_STARTED = re.compile(r"◇ Suite (.+) started\.$")
SUITE_ENDED = re.compile(rf"[✔✘➜━] Suite {NAME}{OUTCOME}")
BUILT = re.compile(r"\[(\d+)/(\d+)\] ")
PROBLEM = re.compile(r"(?:^|: )(?:error|warning|fatal error|Fatal error):")
SYMBOLS = tuple("◇✔✘➜━↳")

MAXIMUM_LENGTH = 300
# If the build or the process fails, the end of its output says why.
LAST_LINES = 40


class Report:
    def __init__(self):
        self.running = {}
        self.suites = {}
        self.failed = {}
        self.passed = 0
        # The number of skipped tests for each reason.
        self.skipped = collections.Counter()
        self.ended_suites = 0
        self.known_issues = 0
        self.built = None
        self.closing = None
        self.long_lines = []
        self.is_inside_case = False
        # Lines that aren't about tests: of the build, of the tests themselves, and of a crash.
        self.others = collections.deque(maxlen=LAST_LINES)
        # A compiler repeats a problem for each module that sees it.
        self.problems = set()
        # The list that ends with the issue of the previous line.
        self.last_issues = None

    def read(self, line):
        """Records a line. Returns a line to show at once, or None."""
        if line.startswith("◇ Test case ") and len(line) > MAXIMUM_LENGTH:
            self.long_lines.append(line)
        # The comment of an issue follows it on the next line. The text of an error can have several lines.
        if self.last_issues and line.startswith("↳ ") and not line.startswith("↳ //"):
            self.last_issues[-1] += f": {line[2:]}"
        elif self.last_issues and line.startswith("  "):
            self.last_issues[-1] += f"\n    {line}"
            return None
        self.last_issues = None
        shown = None
        if match := STARTED.match(line):
            self.running[match[1]] = None
        elif match := ISSUE.match(line):
            name, arguments, file, number, issue = match.groups()
            place = f"{file}:{number}" + (f" with {arguments}" if arguments else "")
            shown = None if name in self.failed else f"failed: {name}"
            self.last_issues = self.failed.setdefault(name, [])
            self.last_issues.append(f"{place}: {issue}")
        elif match := ENDED.match(line):
            self.end(*match.groups(), REASON.match(line))
        elif match := CLOSING.match(line):
            self.closing = match
            if known := KNOWN.search(line):
                self.known_issues = int(known[1])
        elif match := SUITE_STARTED.match(line):
            self.suites[match[1]] = None
        elif match := SUITE_ENDED.match(line):
            self.suites.pop(match[1], None)
            self.ended_suites += 1
        elif match := BUILT.match(line):
            self.built = match.groups()
        elif PROBLEM.search(line) and not line.startswith(SYMBOLS) and not self.is_inside_case:
            shown = None if line in self.problems else line
            self.problems.add(line)
        # An argument with a line break continues on the next line.
        if line.startswith(SYMBOLS):
            self.is_inside_case = line.startswith("◇ Test case ")
        elif not self.is_inside_case and not BUILT.match(line):
            self.others.append(line)
        if line.endswith(" started."):
            self.is_inside_case = False
        return shown

    def end(self, name, how, reason):
        self.running.pop(name, None)
        if how == "failed after":
            self.failed.setdefault(name, [])
        elif how == "skipped":
            self.skipped[reason[1] if reason else "no reason is given"] += 1
        else:
            self.passed += 1

    def progress(self, seconds):
        """Returns one line about what has happened so far."""
        if not self.running and not self.passed:
            step = f" {self.built[0]} of {self.built[1]}" if self.built else ""
            return f"building{step}, {seconds:.0f} s"
        count = f"{self.passed} passed"
        if self.failed:
            count += f", {len(self.failed)} failed"
        running = f", running: {', '.join(name.strip('“”').strip(chr(34)) for name in self.suites)}" if self.suites else ""
        return f"tests: {count}, {self.ended_suites} suites ended, {seconds:.0f} s{running}"

    @property
    def ran_none(self):
        return self.closing is not None and not self.failed and int(self.closing[1]) == 0

    def lines(self, seconds, log):
        if self.ran_none:
            yield "error: no test has this name"
        elif self.failed:
            yield f"failed tests ({len(self.failed)}):"
            for name, issues in self.failed.items():
                yield f"  {name}"
                yield from (f"    {issue}" for issue in issues)
        elif self.closing and self.closing[2] == "passed":
            skipped = self.skipped.total()
            counts = [f"{int(self.closing[1]) - skipped} tests passed"]
            if skipped:
                counts.append(f"{skipped} skipped")
            if self.known_issues:
                counts.append(f"{self.known_issues} known issue{'s' if self.known_issues > 1 else ''}")
            yield f"{', '.join(counts)} in {seconds:.0f} s"
            yield from (f"  {count} skipped: {reason}" for reason, count in self.skipped.most_common())
        if not self.closing:
            yield from self.others
        if self.running and not self.closing:
            yield f"tests that started and didn't end ({len(self.running)}):"
            yield from (f"  {name}" for name in self.running)
        if self.long_lines:
            yield f"error: test arguments that make a line of the log longer than {MAXIMUM_LENGTH} characters:"
            yield from (f"  {line[:MAXIMUM_LENGTH]}…" for line in self.long_lines)
        yield f"The full output is in {log}."


class Screen:
    """Shows lines, and the progress: on a terminal in place, in a log at times that become rarer."""

    def __init__(self, output):
        self.output = output
        self.is_terminal = output.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.start = self.last = time.monotonic()
        self.shown = ""
        self.count = 0

    @property
    def seconds(self):
        return time.monotonic() - self.start

    def show(self, line):
        self.clear()
        print(line, file=self.output, flush=True)

    def clear(self):
        if self.shown:
            print("\r\x1b[K", end="", file=self.output, flush=True)
            self.shown = ""

    def progress(self, report):
        now = time.monotonic()
        # 15 seconds, and twice as long after each ten lines.
        if now - self.last < (0.1 if self.is_terminal else 15 * 2 ** (self.count // 10)):
            return
        self.last = now
        self.count += 1
        text = report.progress(self.seconds)
        width = shutil.get_terminal_size().columns if self.is_terminal else 120
        text = text if len(text) < width else f"{text[:width - 2]}…"
        if not self.is_terminal:
            print(text, file=self.output, flush=True)
        elif text != self.shown:
            print(f"\r{text}\x1b[K", end="", file=self.output, flush=True)
            self.shown = text


def lines(descriptor):
    """Yields the lines of a file as they arrive, and None after each second without any."""
    rest = b""
    while True:
        if not select.select([descriptor], [], [], 1)[0]:
            yield None
            continue
        data = os.read(descriptor, 1 << 16)
        if not data:
            break
        *complete, rest = (rest + data).split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in complete)
    if rest:
        yield rest.decode("utf-8", "replace")


def main():
    # Ctrl-C ends swift test, and the report then reads the rest of its output.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    report, screen = Report(), Screen(sys.stdout)
    with open(sys.argv[1], "w", encoding="utf-8") as log:
        for line in lines(sys.stdin.fileno()):
            if line is not None:
                log.write(f"{line}\n")
                log.flush()
                if (shown := report.read(line)) is not None:
                    screen.show(shown)
            screen.progress(report)
    screen.clear()
    for line in report.lines(screen.seconds, sys.argv[1]):
        print(line)
    return 1 if report.long_lines or report.ran_none else 0


sys.exit(main())
