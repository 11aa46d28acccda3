"""Checks comments and documents: the length of their lines and their code, their own length, and phrases to rewrite.

    git ls-files -z '*.swift' '*.md' '*.h' | python3 scripts/prose.py
"""

import re
import sys

PHRASES = re.compile(
    r"\b(?:anew|nobody|somebody|of (?:its|their|one.s) own|for good|beside|as (?:it|they) comes?|the ways"
    r"|where (?:there|it|they|none|nothing|no) )\b",
    re.IGNORECASE,
)
LONGEST_LINE = 120
# A page of the site cuts longer lines of code on a laptop.
LONGEST_CODE = 78
# A longer comment inside code says that the code should change.
LONGEST_COMMENT = 2

DOCUMENTATION = re.compile(r"\s*///")
COMMENT = re.compile(r"\s*//(?!/)")
LIST = re.compile(r"\s*/// *- (?:Parameters?|Returns|Throws)\b")
PUBLIC = re.compile(r"\s*(?:@\w+(?:\([^)]*\))? )*(?:public|open)\b")
TYPE = re.compile(r"\s*(?:public )?(?:indirect )?(?:protocol|enum|struct|extension|final class|class)\b")
TEXT = re.compile(r'"(?:\\.|[^"\\])*"|//.*')


def prose(path, lines):
    """Yields the lines that are too long, and phrases."""
    for number, line in enumerate(lines, 1):
        if not path.endswith(".md") and not line.lstrip().startswith("//"):
            continue
        if len(line) > LONGEST_LINE and not line.startswith("|") and "http" not in line:
            yield number, f"the line has {len(line)} columns, more than {LONGEST_LINE}"
        if match := PHRASES.search(line):
            yield number, f"rewrite “{match[0]}” in plain words"


def code(path, lines):
    """Yields lines of Swift in guides and symbol documentation that are too long."""
    is_code = False
    for number, line in enumerate(lines, 1):
        text = line if path.endswith(".md") else re.sub(r"^ */// ?", "", line)
        if text.lstrip().startswith("```"):
            is_code = not is_code and text.lstrip().startswith("```swift")
        elif is_code and len(text) > LONGEST_CODE:
            yield number, f"the code has {len(text)} columns, more than {LONGEST_CODE}"


def comments(lines):
    """Yields comments inside code that are too long. The comment at the start of a file is exempt."""
    length = 0
    for number, line in enumerate(lines, 1):
        length = length + 1 if COMMENT.match(line) else 0
        if length > LONGEST_COMMENT and number > length:
            yield number, f"the comment has more than {LONGEST_COMMENT} lines"


def declaration_length(lines, index):
    """Returns the number of lines of the declaration that starts at an index, with its body."""
    depth = 0
    for number, line in enumerate(lines[index:], 1):
        code = TEXT.sub("", line)
        depth += sum(code.count(mark) for mark in "([{") - sum(code.count(mark) for mark in ")]}")
        if depth <= 0 and not line.lstrip().startswith("@"):
            return number
    return len(lines) - index


def documentation(lines):
    """Yields documentation that is longer than its internal declaration, without the list of parameters."""
    is_in_public_type = False
    index = 0
    while index < len(lines):
        if TYPE.match(lines[index]):
            is_in_public_type = bool(PUBLIC.match(lines[index]))
        start = index
        while index < len(lines) and DOCUMENTATION.match(lines[index]):
            index += 1
        if index == start:
            index += 1
            continue
        text = []
        for line in lines[start:index]:
            if LIST.match(line):
                break
            text.append(line.strip())
        length = len(text) - text.count("///")
        if index == len(lines) or length <= LONGEST_COMMENT or is_in_public_type or PUBLIC.match(lines[index]):
            continue
        if length > declaration_length(lines, index):
            yield start + 1, f"the documentation has {length} lines, more than what it documents"


def main():
    status = 0
    for path in filter(None, sys.stdin.read().split("\0")):
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            continue
        findings = list(prose(path, lines))
        if path.startswith(("docs/", "Sources/")):
            findings += code(path, lines)
        if path.endswith(".swift"):
            findings += [*comments(lines), *documentation(lines)]
        for number, finding in sorted(findings):
            print(f"{path}:{number}: error: {finding}")
            status = 1
    return status


sys.exit(main())
