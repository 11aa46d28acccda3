"""Lists the public API of each module, or compares it with the stored list.

    api.py GRAPHS BASELINE [--accept]

GRAPHS is a folder of symbol graphs. The lists are BASELINE/MODULE.txt: a line for each public declaration, and one for
each conformance. --accept stores them. Otherwise, the changes are printed, and the exit status is 1 if there are any.
"""

import difflib
import json
import pathlib
import sys

# Conformances of every type that aren't written in the source.
IMPLICIT = {"Copyable", "Escapable", "SendableMetatype"}


def lines(graph: dict) -> set[str]:
    """Returns the lines of a symbol graph."""
    # Inherited members change only with another module.
    symbols = [symbol for symbol in graph["symbols"] if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]]
    names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in symbols}
    found = set()
    for symbol in symbols:
        owner = ".".join(symbol["pathComponents"][:-1])
        text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
        found.add(f"{owner}: {' '.join(text.split())}" if owner else " ".join(text.split()))
    for relation in graph["relationships"]:
        target = names.get(relation["target"]) or relation.get("targetFallback", "").split(".", 1)[-1]
        if relation["kind"] == "conformsTo" and relation["source"] in names and target not in IMPLICIT:
            found.add(f"{names[relation['source']]}: {target}")
    return found


def apis(graphs: pathlib.Path) -> dict[str, list[str]]:
    """Returns the sorted lines of each module, with its extensions of other modules."""
    modules: dict[str, set[str]] = {}
    for path in graphs.glob("*.symbols.json"):
        module = path.name.split(".")[0].split("@")[0]
        modules.setdefault(module, set()).update(lines(json.loads(path.read_text())))
    return {module: sorted(found) for module, found in sorted(modules.items())}


def main() -> int:
    graphs, baseline = map(pathlib.Path, sys.argv[1:3])
    changed = False
    for module, found in apis(graphs).items():
        stored = baseline / f"{module}.txt"
        if sys.argv[3:] == ["--accept"]:
            baseline.mkdir(exist_ok=True)
            stored.write_text("".join(f"{line}\n" for line in found))
            continue
        known = stored.read_text().splitlines() if stored.exists() else []
        for line in difflib.unified_diff(known, found, str(stored), module, n=0, lineterm=""):
            changed = True
            print(line)
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
