"""Checks that each Swift block of a page is an excerpt of a Swift file, apart from its indentation.

    excerpts.py PAGE FILE...

The page can show code of packages that scripts/snippets doesn't build. Manifests are skipped.
"""

import pathlib
import re
import sys
import textwrap

page, *files = (pathlib.Path(argument) for argument in sys.argv[1:])
BLOCK = re.compile(r"^```swift[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def normalized(lines):
    """Returns lines without their common indentation."""
    return textwrap.dedent("\n".join(lines)).rstrip()


sources = [path.read_text(encoding="utf-8").splitlines() for path in files]
status = 0
text = page.read_text(encoding="utf-8")
for match in BLOCK.finditer(text):
    block = match[1].rstrip().splitlines()
    if any(".package(" in line for line in block):
        continue
    wanted = normalized(block)
    if not any(
        normalized(lines[start:start + len(block)]) == wanted
        for lines in sources
        for start in range(len(lines) - len(block) + 1)
    ):
        line = text.count("\n", 0, match.start()) + 2
        print(f"{page}:{line}: error: this code isn't part of its examples", file=sys.stderr)
        status = 1
sys.exit(status)
