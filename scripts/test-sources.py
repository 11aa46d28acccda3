"""Checks the sources of tests: each suite has a time limit, and no test sleeps or measures time.

    git ls-files -z 'Tests/*.swift' | python3 scripts/test-sources.py

Ignores files outside of folders whose names end in Tests, and the conformance suite, which is a library.
"""

import os
import re
import sys

# The files that may wait for time to pass or read a clock, because a slow machine can't make them fail.
EXCEPTIONS = {
    # Polls until a process has released its resources.
    "LifetimeTests.swift",
    # Their servers delay responses. The tests check that at least this time was measured.
    "ObservationTests.swift", "ShutWindowTests.swift",
    # Its server sends the end of a stream late. If the machine is later, there is nothing to find.
    "LateEndTests.swift",
    # Its server waits until a stopped process's timeout has passed.
    "StoppedProcessTests.swift",
    # Measures the CPU time that a pause costs.
    "PausedBodyTests.swift",
    # Fails after ten minutes instead of hanging.
    "RequestBody+ReaderTests.swift",
}
CLOCK = re.compile(r"\b(?:Task\.sleep|Thread\.sleep|usleep)\(|\bContinuousClock\.now\b|\btimeout: \.now\b")
# A type that is declared or extended at the start of a line.
TYPE = re.compile(r"(?:(?:private|final|public) )*(?:struct|class|actor|enum|extension) (\w+)")
ATTRIBUTE = re.compile(r"@(?:Suite|Test)\b")


def times(path, lines):
    """Yields the lines that sleep or read a clock."""
    if path.rsplit("/", 1)[-1] in EXCEPTIONS:
        return
    for number, line in enumerate(lines, 1):
        if CLOCK.search(line):
            yield path, number, "a test must not depend on time; use TestClock, or wait for an event"


def limits(files):
    """Yields the tests without a time limit, their own or that of the type that contains them."""
    limited, tests = set(), []
    for path, lines in files.items():
        container, attributes = None, None
        for number, line in enumerate(lines, 1):
            if ATTRIBUTE.match(line):
                attributes = ""
            if attributes is not None:
                attributes += line
            if match := TYPE.match(line):
                container = match[1]
                if ".timeLimit(" in (attributes or ""):
                    limited.add(container)
                attributes = None
            elif line.startswith("func ") and attributes is not None:
                if ".timeLimit(" not in attributes:
                    yield path, number, "the test has no .timeLimit"
                attributes = None
            elif re.match(r" +@Test\b", line):
                tests.append((path, number, container))
    for path, number, container in tests:
        if container not in limited:
            yield path, number, f"the suite {container} has no .timeLimit"
    if not tests:
        yield "scripts/test-sources.py", 1, "there are no tests"


# A file that was deleted stays in Git's index until the next commit.
paths = [path for path in sys.stdin.read().split("\0")
         if "Tests/" in path and not path.startswith("Tests/RequestsConformance/") and os.path.exists(path)]
files = {path: open(path, encoding="utf-8").read().split("\n") for path in paths}
problems = [*(problem for path, lines in files.items() for problem in times(path, lines)), *limits(files)]
for path, number, problem in problems:
    print(f"{path}:{number}: {problem}")
sys.exit(1 if problems else 0)
