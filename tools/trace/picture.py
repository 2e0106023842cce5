#!/usr/bin/env python3
"""Draws a trace that PRISM_TRACE wrote as an SVG picture, for documents: one row for each thread of the host and each queue of a device.

usage: picture.py TRACE.json PICTURE.svg [FROM_MS [TO_MS]]
example: PRISM_TRACE=t.json ./app && tools/trace/picture.py t.json app.svg 0 20
"""
import html
import json
import sys

WIDTH, LEFT, ROW, TOP = 960, 250, 26, 34
COLOURS = {"submit": "#7b9acc", "wait": "#d9d9d9", "build": "#e0a458", "host": "#8cb369", "device": "#c06c84", "copy": "#6c8ead"}


def rows_of(events):
    """[(title, spans)] in the order of processes and threads."""
    names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    rows = {}
    for e in events:
        if e["ph"] == "X":
            rows.setdefault((e["pid"], e["tid"]), []).append(e)
    titled = []
    for number, (key, spans) in enumerate(sorted(rows.items())):
        what = f"thread {number + 1}" if names[key[0]] == "host" else f"queue {key[1]}"
        titled.append((f"{names[key[0]]}, {what}", sorted(spans, key=lambda e: e["ts"])))
    return titled


def colour_of(span):
    if span["cat"] == "device" and span["name"].startswith("copy "):
        return COLOURS["copy"]
    return COLOURS.get(span["cat"], "#999999")


def drawn(rows, begin, end):
    scale = (WIDTH - LEFT - 10) / (end - begin)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{TOP + ROW * len(rows) + 30}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>']
    for tick in range(11):
        x = LEFT + (WIDTH - LEFT - 10) * tick / 10
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{TOP + ROW * len(rows)}" stroke="#eeeeee"/>')
        out.append(f'<text x="{x:.1f}" y="{TOP - 14}" text-anchor="middle" fill="#666666">{(end - begin) * tick / 1e4:.2f} ms</text>')
    for number, (title, spans) in enumerate(rows):
        y = TOP + ROW * number
        out.append(f'<text x="4" y="{y + 15}">{html.escape(title if len(title) < 42 else title[:40] + "…")}</text>')
        for span in spans:
            first, last = max(span["ts"], begin), min(span["ts"] + span["dur"], end)
            if last < first:
                continue
            x, width = LEFT + (first - begin) * scale, max((last - first) * scale, 0.6)
            name = html.escape(span["name"])
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 6}" fill="{colour_of(span)}"><title>{name}: {span["dur"]:.1f} us</title></rect>')
            letters = int(width / 6.5)
            if letters > 3:
                short = span["name"] if len(span["name"]) <= letters else span["name"][:letters - 1] + "…"
                out.append(f'<text x="{x + 3:.1f}" y="{y + 14}" fill="#222222">{html.escape(short)}</text>')
    x = LEFT
    for kind, colour in COLOURS.items():
        y = TOP + ROW * len(rows) + 8
        out.append(f'<rect x="{x}" y="{y}" width="12" height="12" fill="{colour}"/><text x="{x + 16}" y="{y + 10}">{kind}</text>')
        x += 90
    return "\n".join(out + ["</svg>", ""])


def main(words):
    if len(words) < 3 or words[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(words) > 1 and words[1] in ("-h", "--help") else 2
    with open(words[1]) as file:
        events = json.load(file)["traceEvents"]
    spans = [e for e in events if e["ph"] == "X"]
    if not spans:
        sys.exit(f"picture.py: {words[1]} has no spans")
    start = min(e["ts"] for e in spans)
    begin = start + (float(words[3]) * 1e3 if len(words) > 3 else 0)
    end = start + float(words[4]) * 1e3 if len(words) > 4 else max(e["ts"] + e["dur"] for e in spans)
    with open(words[2], "w") as file:
        file.write(drawn(rows_of(events), begin, end))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
