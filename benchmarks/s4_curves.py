"""Learning curves of S4 as SVG files: test accuracy by words added, and by questions asked.

`python -m benchmarks.s4_curves REPORT FOLDER` draws those of a report that `--json` has written.
"""

from __future__ import annotations

import json
import sys
from html import escape
from itertools import pairwise
from math import ceil, floor
from pathlib import Path

from benchmarks.inference_sides import Record
from benchmarks.s4_rows import GROWN

COLOURS = {
    "sst": "#1f6fb4",
    "sst_attention": "#7b4fa3",
    "sst_entropy": "#2f9e6e",
    "sst_cold": "#8d99ae",
    "sst_no_guard": "#d1495b",
    "fal5": "#e08a1e",
    "fal10": "#e08a1e",
    "fal20": "#e08a1e",
    "fal20_entropy": "#8c6d46",
    "s4": "#12355b",
    "sst_pairs": "#5b8c2a",
    "s4_pairs": "#5b8c2a",
    "sst_even": "#c05299",
    "sst_told_pairs": "#00798c",
}
PANELS = (  # heading, key of the x axis, rows
    (
        "words added",
        "words",
        tuple(row for row in GROWN if row.startswith("sst")),
    ),
    ("questions asked", "asked", ("fal5", "fal10", "fal20", "fal20_entropy", "s4", "s4_pairs")),
)
BEGUN_BY = {"fal5": ("fal10", "fal20"), "fal10": ("fal20",)}  # curves that others begin with
WIDTH, HEIGHT = 300, 220  # of a panel
LEFT, TOP, BETWEEN, LEGEND = 52, 46, 48, 56
FONT = 'font-family="Helvetica, Arial, sans-serif"'
GREY, PALE = "#666", "#e4e4e4"


def write_curves(report: Record, folder: Path) -> list[Path]:
    """One picture for each set and number of seeds, and one of random seeds."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for record in report["sets"]:
        for problem in record["problems"]:
            runs = {row: own.get("runs", []) for row, own in problem["rows"].items()}
            title = f"{record['set']}, {problem['n_tokens']} seed tokens, {record['predictor']}"
            written += _write(picture(title, runs), folder / f"{problem['problem']}.svg")
        random = record.get("random") or {}
        title = f"{record['set']}, random tokens, {record['predictor']}"
        found = picture(title, {"sst": random.get("draws", [])})
        written += _write(found, folder / f"{record['set']}_random.svg")
    return written


def _write(found: str | None, path: Path) -> list[Path]:
    if found is None:
        return []
    path.write_text(found, encoding="utf-8")
    return [path]


def picture(title: str, runs: dict[str, list[Record]]) -> str | None:
    """The curves of one problem, a colour for each row; None if nothing has grown."""
    panels = []
    for heading, key, rows in PANELS:
        shown = [
            row
            for row in rows
            if runs.get(row) and not any(runs.get(one) for one in BEGUN_BY.get(row, ()))
        ]
        if shown:
            panels.append((heading, {row: [curve(run, key) for run in runs[row]] for row in shown}))
    heights = [y for _, own in panels for curves in own.values() for c in curves for _, y, _ in c]
    if not heights:
        return None
    low, high, step = scale(min(heights), max(heights), 0.01)
    parts = [f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">{escape(title)}</text>']
    for at, (heading, own) in enumerate(panels):
        left = LEFT + at * (WIDTH + BETWEEN)
        parts += _panel(left, heading, own, (low, high, step))
    end = LEFT + len(panels) * (WIDTH + BETWEEN) - BETWEEN
    if gold := runs.get("supervised"):
        level = sum(run["accuracy"] for run in gold) / len(gold)
        parts.append(_text(end, 20, f"supervised: {100 * level:.1f}", "end"))
    width = end + 20
    height = TOP + HEIGHT + 44 + LEGEND
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
    back = f'<rect width="{width}" height="{height}" fill="white"/>'
    return "\n".join([f"{head} {FONT}>", back, *parts, "</svg>", ""])


def curve(run: Record, key: str) -> list[tuple[float, float, bool]]:
    """Points of a run: where, how high, and whether what was added there was taken back.

    By questions, it begins behind the self-training that came before the first of them.
    """
    points = run["points"]
    if key == "asked":
        first = [at for at, point in enumerate(points) if point["asked"] == 0]
        points = points[first[-1] if first else 0 :]
    found = []
    for at, point in enumerate(points):
        gone = any(later["words"] < point["words"] for later in points[at + 1 :])
        found.append((float(point[key]), float(point["accuracy"]), gone))
    return found


def scale(low: float, high: float, least: float) -> tuple[float, float, float]:
    """The ends of an axis and the distance of its marks: 1, 2 or 5 times a power of ten."""
    spread = max(high - low, least)
    for step in (10.0**power * times for power in range(-3, 6) for times in (1, 2, 5)):
        if spread / step <= 5:
            break
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return step * first, step * max(last, first + 1), step


def _panel(
    left: float,
    heading: str,
    curves: dict[str, list[list[tuple[float, float, bool]]]],
    heights: tuple[float, float, float],
) -> list[str]:
    """Axes, and a line for each run."""
    low, high, step = heights
    widest = max((x for own in curves.values() for c in own for x, *_ in c), default=1.0)
    _, right, across = scale(0.0, widest, 1.0)
    bottom = TOP + HEIGHT

    def place(x: float, y: float) -> tuple[float, float]:
        return left + WIDTH * x / right, bottom - HEIGHT * (y - low) / (high - low)

    parts = []
    for n in range(round((high - low) / step) + 1):
        _, y = place(0, low + n * step)
        parts.append(f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="{PALE}"/>')
        parts.append(_text(left - 8, y + 4, f"{100 * (low + n * step):.4g}", "end"))
    for n in range(round(right / across) + 1):
        x, _ = place(n * across, low)
        parts.append(f'<path d="M{x:.1f} {bottom}v4" stroke="{GREY}"/>')
        parts.append(_text(x, bottom + 18, f"{n * across:g}", "middle"))
    parts.append(f'<path d="M{left} {bottom}h{WIDTH}" stroke="{GREY}"/>')
    if any(gone for own in curves.values() for c in own for *_, gone in c):
        heading += " (ring: taken back)"
    parts.append(_text(left + WIDTH / 2, bottom + 36, heading, "middle"))
    parts.append(_text(left - 40, TOP - 10, "test accuracy, %", "start"))
    for row, runs in reversed(curves.items()):  # the first on top
        for n, points in enumerate(runs):
            parts += _line([(*place(x, y), gone) for x, y, gone in points], COLOURS[row], n)
    for at, row in enumerate(curves):
        parts += _legend(left + 150 * (at % 2), bottom + 54 + 16 * (at // 2), row)
    return parts


def _line(points: list[tuple[float, float, bool]], colour: str, n: int) -> list[str]:
    """One run: what holds is joined, what was taken back is a ring; later seeds are pale."""
    tried = "".join(
        f'<path d="M{x:.1f} {y:.1f}L{to:.1f} {up:.1f}" stroke-dasharray="2 3"/>'
        for (x, y, _), (to, up, gone) in pairwise(points)
        if gone
    )
    holds = " ".join(f"{x:.1f},{y:.1f}" for x, y, gone in points if not gone)
    strength = 1 if n == 0 else 0.45
    parts = [
        f'<g stroke="{colour}" opacity="{strength}" stroke-width="1.8">',
        f'<polyline points="{holds}" fill="none" stroke-linejoin="round"/>',
        tried,
    ]
    parts += [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{"white" if gone else colour}"/>'
        for x, y, gone in points
    ]
    return [*parts, "</g>"]


def _legend(x: float, y: float, row: str) -> list[str]:
    line = f'<path d="M{x} {y - 4}h18" stroke="{COLOURS[row]}" stroke-width="2.4"/>'
    return [line, _text(x + 24, y, row, "start")]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {where} font-size="11" fill="{GREY}">{escape(text)}</text>'


if __name__ == "__main__":
    report, folder = map(Path, sys.argv[1:3])
    write_curves(json.loads(report.read_text()), folder)
