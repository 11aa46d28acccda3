"""Writes the documentation catalog of the guides: README.md as the first page, and the pages of docs as articles.

    python3 scripts/guides.py CATALOG

The topics of the first page are the tables of docs/README.md. Its table of modules links to their documentation.
"""

import pathlib
import re
import shutil
import sys

catalog = pathlib.Path(sys.argv[1])
catalog.mkdir(parents=True)
LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)#]*)(?:#[^)]*)?\)")
WORDS = "## Words\n"


def name_of(path: str) -> str:
    """Returns the name of a page's article, such as `cookbook`."""
    name = pathlib.Path(path).stem.lower()
    return "Guides" if name == "readme" else name


def converted(match: re.Match[str]) -> str:
    """Returns a link of DocC for a link to another page, and only the text of a link to another file."""
    image, text, target = match.groups()
    if target.startswith(("http:", "https:")):
        return match[0]
    if image:
        shutil.copy(pathlib.Path("docs") / target, catalog)
        return f"![{text}]({pathlib.Path(target).name})"
    return f"[{text}](doc:{name_of(target)})" if target.endswith(".md") and name_of(target) in articles else text


def article(text: str) -> str:
    """Returns a page in DocC's dialect. Its first paragraph is its summary, so that it doesn't end with a colon."""
    title, summary, rest = text.split("\n\n", 2)
    summary = re.sub(r":$", ".", summary)
    return LINK.sub(converted, f"{title}\n\n{summary}\n\n{rest}".replace("```swift no-compile\n", "```swift\n"))


index, words = pathlib.Path("docs/README.md").read_text(encoding="utf-8").split(WORDS)
pages = {name_of(str(path)): path for path in sorted(pathlib.Path("docs").glob("*.md")) if path.name != "README.md"}
pages |= {name.lower(): pathlib.Path(f"{name}.md") for name in ("SECURITY", "CONTRIBUTING", "CHANGELOG")}
articles = {*pages, "Guides"}
for name, path in pages.items():
    (catalog / f"{name}.md").write_text(article(path.read_text(encoding="utf-8")), encoding="utf-8")
(catalog / "words.md").write_text(f"# Words\n\nThe words of all pages.\n\n{LINK.sub(converted, words)}", encoding="utf-8")

topics = ["## Topics"]
for row in index.splitlines():
    if header := re.match(r"\| ([a-z][^|]+) \| \|", row):
        topics.append(f"\n### {header[1][0].upper()}{header[1][1:]}\n")
    topics += [f"- <doc:{name_of(target)}>" for _, _, target in LINK.findall(row) if name_of(target) in articles]
topics += ["- <doc:words>", "- <doc:changelog>"]
_, rest = article(pathlib.Path("README.md").read_text(encoding="utf-8")).split("\n\n", 1)
rest = re.sub(r"(?<=[|,] )`(Requests\w*)`", lambda match: f"[{match[0]}](/documentation/{match[1].lower()})", rest)
root = "@Metadata {\n    @TechnologyRoot\n}"
(catalog / "Guides.md").write_text("\n\n".join(["# Guide to Requests", root, rest, "\n".join(topics)]), encoding="utf-8")
