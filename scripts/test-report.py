"""Prints the output of swift test without the lines of test cases, then lists the failed tests again.

    swift test 2>&1 | python3 scripts/test-report.py LOG

Writes the full output to LOG. Fails if the arguments of a test make a line too long.
"""

import re
import signal
import sys

# Lines of Swift Testing. A display name is quoted, the name of a function isn't.
STARTED = re.compile(r"◇ Test (?!run |case )(.+) started\.$")
# The symbol of a test with known issues is a bar.
ENDED = re.compile(r"[✔✘➜━] Test (?!run |case )(.+?)(?: with \d+ test cases?)? (passed after|failed after|skipped)\b")
ISSUE = re.compile(r"✘ Test (?!run )(.+?) recorded an issue(?: with \d+ arguments? (.*))? at (\S+?):(\d+):\d+: (.*)$")
CLOSING = re.compile(r"[✔✘━] Test run with (\d+) tests? .*(passed|failed) after")
SYMBOLS = tuple("◇✔✘➜━↳")

MAXIMUM_LENGTH = 300


class Report:
    def __init__(self):
        self.running = {}
        self.failed = {}
        self.skipped = 0
        self.closing = None
        self.long_lines = []
        self.is_inside_case = False
        # The list that ends with the issue of the previous line.
        self.last_issues = None

    def read(self, line):
        """Records a line and returns whether to print it."""
        if line.startswith("◇ Test case ") and len(line) > MAXIMUM_LENGTH:
            self.long_lines.append(line)
        # The comment of an issue follows it on the next line. The text of an error can have several lines.
        if self.last_issues and line.startswith("↳ ") and not line.startswith("↳ //"):
            self.last_issues[-1] += f": {line[2:]}"
        elif self.last_issues and line.startswith("  "):
            self.last_issues[-1] += f"\n    {line}"
            return True
        self.last_issues = None
        if match := STARTED.match(line):
            self.running[match[1]] = None
        elif match := ISSUE.match(line):
            name, arguments, file, number, issue = match.groups()
            place = f"{file}:{number}" + (f" with {arguments}" if arguments else "")
            self.last_issues = self.failed.setdefault(name, [])
            self.last_issues.append(f"{place}: {issue}")
        elif match := ENDED.match(line):
            name, end = match.groups()
            self.running.pop(name, None)
            if end == "failed after":
                self.failed.setdefault(name, [])
            if end == "skipped":
                self.skipped += 1
        elif match := CLOSING.match(line):
            self.closing = match
        # An argument with a line break continues on the next line.
        if line.startswith(SYMBOLS):
            self.is_inside_case = line.startswith("◇ Test case ")
        is_hidden = self.is_inside_case or line.startswith("◇ ")
        if line.endswith(" started."):
            self.is_inside_case = False
        return not is_hidden

    def lines(self):
        if self.failed:
            yield f"failed tests ({len(self.failed)}):"
            for name, issues in self.failed.items():
                yield f"  {name}"
                yield from (f"    {issue}" for issue in issues)
        elif self.closing and self.closing[2] == "passed":
            skipped = f", {self.skipped} of them skipped" if self.skipped else ""
            yield f"all {self.closing[1]} tests passed{skipped}"
        if self.running and not self.closing:
            yield f"tests that started and didn't end ({len(self.running)}):"
            yield from (f"  {name}" for name in self.running)
        if self.long_lines:
            yield f"error: test arguments that make a line of the log longer than {MAXIMUM_LENGTH} characters:"
            yield from (f"  {line[:MAXIMUM_LENGTH]}…" for line in self.long_lines)


def main():
    # Ctrl-C ends swift test, and the report then reads the rest of its output.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    report = Report()
    with open(sys.argv[1], "w", encoding="utf-8") as log:
        for data in sys.stdin.buffer:
            line = data.decode("utf-8", "replace")
            log.write(line)
            log.flush()
            if report.read(line.rstrip("\n")):
                sys.stdout.write(line)
                sys.stdout.flush()
    for line in report.lines():
        print(line)
    return 1 if report.long_lines else 0


sys.exit(main())
