"""Writes the documentation catalog of the guides: README.md as the first page, and the pages of docs as articles.

    python3 scripts/guides.py CATALOG

The topics of the first page are the tables of docs/README.md. Its table of modules links to their documentation, and so
does the first mention of a type on each page. Fails if a link names a file or a heading that doesn't exist.
"""

import pathlib
import re
import shutil
import sys

catalog = pathlib.Path(sys.argv[1])
catalog.mkdir(parents=True)
LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# Blocks of code, links, headings and tables keep their text.
PLAIN = re.compile(r"(^```.*?^```$|^[#|].*?$|\[[^]]*\]\([^)]*\))", re.MULTILINE | re.DOTALL)
SYMBOL = re.compile(r"`([A-Z]\w+)`")
WORDS = "## Words\n"


def name_of(path: str) -> str:
    """Returns the name of a page's article, such as `cookbook`."""
    name = pathlib.Path(path).stem.lower()
    return "Guides" if name == "readme" else name


def folder_of(page: str) -> pathlib.Path:
    """Returns the folder of a page, to which its links are relative."""
    return pages[page].parent if page in pages else pathlib.Path("." if page == "Guides" else "docs")


def fragment(page: str, anchor: str) -> str:
    """Returns DocC's anchor for GitHub's anchor of a heading."""
    for heading in HEADING.findall(pages[page].read_text(encoding="utf-8")):
        words = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        if words.lower() == anchor:
            return words
    sys.exit(f"error: {pages[page]} has no heading for #{anchor}")


def converted(match: re.Match[str], page: str) -> str:
    """Returns a link of DocC for a link to a page, and only the text of a link to another file."""
    image, text, target, anchor = match.groups()
    if target.startswith(("http:", "https:", "/documentation/")):
        return match[0]
    if not (folder_of(page) / target).exists():
        sys.exit(f"error: {page}: {target} doesn't exist")
    if image:
        shutil.copy(pathlib.Path("docs") / target, catalog)
        return f"![{text}]({pathlib.Path(target).name})"
    name = name_of(target) if target else page
    if target and not target.endswith(".md") or name not in articles:
        return text
    return f"[{text}](doc:{name}{'#' + fragment(name, anchor) if anchor and name in pages else ''})"


def linked(text: str) -> str:
    """Returns a page whose first mention of each public type links to its documentation."""
    seen: set[str] = set()

    def link(match: re.Match[str]) -> str:
        if match[1] in seen or match[1] not in symbols:
            return match[0]
        seen.add(match[1])
        return f"[{match[0]}]({symbols[match[1]]})"

    return "".join(part if PLAIN.fullmatch(part) else SYMBOL.sub(link, part) for part in PLAIN.split(text))


def article(text: str, name: str) -> str:
    """Returns a page in DocC's dialect. Its first paragraph is its summary, so that it doesn't end with a colon."""
    title, summary, rest = text.split("\n\n", 2)
    # A page's header omits external links together with their text.
    summary = re.sub(r"\[([^]]*)\]\(http[^)]*\)", r"\1", re.sub(r":$", ".", summary))
    page = f"{title}\n\n{summary}\n\n{linked(rest)}".replace("```swift no-compile\n", "```swift\n")
    return LINK.sub(lambda match: converted(match, name), page)


index, words = pathlib.Path("docs/README.md").read_text(encoding="utf-8").split(WORDS)
pages = {name_of(str(path)): path for path in sorted(pathlib.Path("docs").glob("*.md")) if path.name != "README.md"}
pages |= {name.lower(): pathlib.Path(f"{name}.md") for name in ("SECURITY", "CONTRIBUTING", "CHANGELOG")}
articles = {*pages, "Guides"}
symbols = {}
for path in sorted(pathlib.Path(".").glob("*/*/Requests*.docc/Requests*.md")):
    for name in re.findall(r"^- ``(\w+)``$", path.read_text(encoding="utf-8"), re.MULTILINE):
        symbols[name] = f"/documentation/{path.stem.lower()}/{name.lower()}"
for name, path in pages.items():
    (catalog / f"{name}.md").write_text(article(path.read_text(encoding="utf-8"), name), encoding="utf-8")
text = LINK.sub(lambda match: converted(match, "words"), words)
(catalog / "words.md").write_text(f"# Words\n\nThe words that all pages use.\n\n{text}", encoding="utf-8")
LINK.sub(lambda match: converted(match, "words"), index)  # Only checks the links.

topics = ["## Topics"]
for row in index.splitlines():
    if header := re.match(r"\| ([a-z][^|]+) \| \|", row):
        topics.append(f"\n### {header[1][0].upper()}{header[1][1:]}\n")
    topics += [f"- <doc:{name_of(target)}>" for _, _, target, _ in LINK.findall(row) if name_of(target) in articles]
# The words end the first topic, "Using Requests", and the changelog the last.
second = [index for index, topic in enumerate(topics) if topic.startswith("\n###")][1]
topics[second:second] = ["- <doc:words>"]
topics.append("- <doc:changelog>")
_, rest = article(pathlib.Path("README.md").read_text(encoding="utf-8"), "Guides").split("\n\n", 1)
module = re.compile(r"^\| `(Requests\w*)`", re.MULTILINE)
rest = module.sub(lambda match: f"| [`{match[1]}`](/documentation/{match[1].lower()})", rest)
title = "# Guide to Requests\n\n@Metadata {\n    @TechnologyRoot\n}"
(catalog / "Guides.md").write_text("\n\n".join([title, rest, "\n".join(topics)]), encoding="utf-8")
