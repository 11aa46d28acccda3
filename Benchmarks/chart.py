"""Draws the chart of docs/benchmarks.md from the results that `compare` stores.

    python3 Benchmarks/chart.py Benchmarks/comparison.json Benchmarks/comparison.svg
"""

import json
import sys

ROWS = ["HTTP/1.1, one by one", "HTTP/1.1, 64 in flight", "HTTP/1.1 over TLS, 64 in flight", "HTTP/2, 64 in flight",
        "1 GiB down"]
LIBRARIES = {"curl": "CurlTransport", "executor": "tasks on its thread", "ahc": "AsyncHTTPClient",
             "urlsession": "URLSession"}
LEFT, WIDTH, BAR, GAP = 190, 560, 13, 4
MOST = 5.0

STYLE = """
text{font:12px sans-serif;fill:#24292f}.row{font-weight:bold}.library{text-anchor:end}.title{font:bold 15px sans-serif}
.note{fill:#57606a}.line{stroke:#57606a;stroke-dasharray:3 3}.back{fill:#fff}
.curl{fill:#0969da}.executor{fill:#54aeff}.ahc{fill:#bf8700}.urlsession{fill:#cf222e}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#9198a1}.line{stroke:#9198a1}.back{fill:#0d1117}
.curl{fill:#4493f8}.executor{fill:#79c0ff}.ahc{fill:#d29922}.urlsession{fill:#f85149}}
"""


def bar(library, ratio, y):
    """Returns a bar. One that doesn't fit is cut, with a gap before its end."""
    length = min(ratio, MOST) / MOST * WIDTH
    yield f'<text x="{LEFT - 8}" y="{y + 11}" class="library">{LIBRARIES[library]}</text>'
    yield f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" class="{library}"/>'
    if ratio > MOST:
        x = LEFT + length - 24
        yield f'<polygon points="{x},{y + BAR} {x + 6},{y} {x + 12},{y} {x + 6},{y + BAR}" class="back"/>'
    yield f'<text x="{LEFT + length + 6:.1f}" y="{y + 11}">{ratio:.1f}</text>'


def chart(results):
    body, y = [], 62
    for row in ROWS:
        times = {way: values[0] for way, values in results[row].items()}
        body.append(f'<text x="10" y="{y}" class="row">{row}</text>')
        y += 6
        for library in LIBRARIES:
            if library in times:
                body += bar(library, times[library] / times["raw"], y)
                y += BAR + GAP
        y += 20
    one = LEFT + WIDTH / MOST
    width = LEFT + WIDTH + 60
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" class="back"/>',
        '<text x="10" y="22" class="title">Processor time of a request: lower is better</text>',
        f'<text x="10" y="40" class="note">Relative to a C program on libcurl, the dashed line at 1.0</text>',
        f'<line x1="{one}" y1="48" x2="{one}" y2="{y - 20}" class="line"/>',
        *body,
        "</svg>",
        "",
    ])


with open(sys.argv[1], encoding="utf-8") as file:
    drawing = chart(json.load(file))
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write(drawing)
