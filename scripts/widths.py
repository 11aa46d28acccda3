"""Looks for arithmetic that fails where Int has 32 bits, as on an Apple Watch.

    swiftc -frontend -dump-ast -dump-ast-format json ... | python3 scripts/widths.py

Reads the syntax trees of files, in which the compiler has written the type of each expression. Prints the literals,
shifts and products that are too large, and the conversions that trap if the value has more than 32 bits.
"""

import json
import pathlib
import sys

# The mangled names of Int and UInt, and of the types with more bits. The last one is a time, too.
LIMITS = {"$sSiD": 2**31 - 1, "$sSuD": 2**32 - 1}
NAMES = {"$sSiD": "Int", "$sSuD": "UInt"}
WIDE = {"$ss5Int64VD": "Int64", "$ss6UInt64VD": "UInt64", "$sSdD": "Double"}
WIDE_RANGES = {"$sSnys5Int64VGD": "Range<Int64>", "$sSNys5Int64VGD": "ClosedRange<Int64>"}


def callee(node):
    """The declaration that a call refers to, in any nesting of references and conversions."""
    while isinstance(node, dict):
        if isinstance(node.get("decl"), dict):
            return node["decl"]
        node = node.get("fn") or node.get("sub_expr")
    return {}


def arguments(node):
    return [argument["expr"] for argument in node.get("args", {}).get("args", [])]


def value(node):
    """The value of an expression of literals. None for any other."""
    if not isinstance(node, dict):
        return None
    kind = node.get("_kind")
    if kind == "integer_literal_expr":
        return int(node["value"], 0) * (-1 if node.get("negative") else 1)
    if kind == "paren_expr":
        return value(node.get("sub_expr"))
    if kind != "binary_expr":
        return None
    operands = [value(operand) for operand in arguments(node)]
    name = callee(node.get("fn")).get("base_name")
    if len(operands) != 2 or None in operands:
        return None
    left, right = operands
    operations = {"+": left + right, "-": left - right, "*": left * right}
    return left << right if name == "<<" and 0 <= right < 1000 else operations.get(name)


def fault(node):
    kind, of = node.get("_kind"), node.get("type")
    if kind in ("integer_literal_expr", "binary_expr") and of in LIMITS:
        number = value(node)
        if number is not None and not -LIMITS[of] <= number <= LIMITS[of]:
            return f"{number} doesn't fit into {NAMES[of]}; use Int64"
    if kind == "call_expr" and of in LIMITS and callee(node.get("fn")).get("base_name") == "init":
        operands = node.get("args", {}).get("args", [])
        if len(operands) == 1 and not operands[0].get("label"):
            source = operands[0]["expr"].get("type")
            if source in WIDE:
                return f"{NAMES[of]} of {WIDE[source]} traps; keep the type, or use {NAMES[of]}(clamping:)"
    if kind == "member_ref_expr" and of in LIMITS and node.get("decl", {}).get("base_name") == "count":
        source = node.get("base", {}).get("type")
        if source in WIDE_RANGES:
            return f"count of {WIDE_RANGES[source]} traps; subtract the bounds"
    return None


def walk(root):
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if isinstance(node, list):
            nodes.extend(node)
        elif isinstance(node, dict):
            found = fault(node)
            if found:
                yield node["range"]["start"], found
            nodes.extend(node.values())


faults = set()
output, position = sys.stdin.read(), 0
while (position := output.find("{", position)) >= 0:
    tree, position = json.JSONDecoder().raw_decode(output, position)
    text = pathlib.Path(tree["filename"]).read_bytes()
    name = tree["filename"].split("/Sources/")[-1]
    for start, found in walk(tree.get("items", [])):
        faults.add((name, text.count(b"\n", 0, start) + 1, found))
for name, number, found in sorted(faults):
    print(f"Sources/{name}:{number}: {found}")
