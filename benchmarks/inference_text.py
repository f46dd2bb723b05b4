"""The inference benchmark's report as a table."""

from __future__ import annotations

import json
from typing import Any

Record = dict[str, Any]

COLUMNS = (  # heading, side (or "" for the graph itself), key, factor
    ("graph", "", "graph", 1.0),
    ("edges", "", "edges", 1.0),
    ("ms/sweep", "ours", "sweep_seconds", 1e3),
    ("PGMax", "pgmax", "sweep_seconds", 1e3),
    ("faster", "", "sweep_speedup_vs_pgmax", 1.0),
    ("x floor", "", "x_of_floor", 1.0),
    ("build ms", "ours", "build_seconds", 1e3),
    ("PGMax", "pgmax", "build_seconds", 1e3),
    ("faster", "", "build_speedup_vs_pgmax", 1.0),
    ("sweeps", "ours", "sweeps", 1.0),
    ("PGMax", "pgmax", "sweeps", 1.0),
    ("total ms", "ours", "total_seconds", 1e3),
    ("PGMax", "pgmax", "total_seconds", 1e3),
    ("faster", "", "total_speedup_vs_pgmax", 1.0),
    ("compile ms", "pgmax", "compile_seconds", 1e3),
    ("peak MB", "ours", "peak_bytes", 1e-6),
    ("PGMax", "pgmax", "peak_bytes", 1e-6),
    ("B/edge", "", "bytes_per_edge", 1.0),
    ("differ by", "", "max_difference", 1.0),
)
SINGLE = (
    "headline",
    "sweep_speedup_vs_pgmax",
    "build_speedup_vs_pgmax",
    "total_speedup_vs_pgmax",
    "x_of_floor",
    "growth",
    "growth_steps",
    "bytes_per_edge",
    "bytes_per_added_edge",
    "first_call_seconds",
    "chapter_ms",
    "first_calls",
)


def as_text(report: Record) -> str:
    """The report as a table with its legend."""
    lines = [[heading for heading, *_ in COLUMNS]]
    for record in report["graphs"]:
        lines.append([_cell(record, side, key, factor) for _, side, key, factor in COLUMNS])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
             for line in lines]  # fmt: skip
    for record in report["graphs"]:
        if why := record["pgmax"].get("skipped"):
            table.append(f"PGMax left out on {record['graph']}: {why}")
        if why := record["pgmax"].get("stopped"):
            table.append(f"PGMax stopped early on {record['graph']}: {why}")
        if not record["ours"]["converged"]:
            table.append(f"not settled on {record['graph']}: {record['ours']['residual']:.2g}")
    table += [f"left out: {gap['graph']}: {gap['why']}" for gap in report["left_out"]]
    table += ["", *(f"{key}: {json.dumps(rounded(report[key]))}" for key in SINGLE)]
    table += ["", *(f"{key}: {meaning}" for key, meaning in report["meanings"].items())]
    return "\n".join([*table, f"machine: {json.dumps(rounded(report['machine']))}"])


def _cell(record: Record, side: str, key: str, factor: float) -> str:
    value = (record[side] if side else record).get(key)
    if value is None:
        return "-"
    return f"{factor * value:.3g}" if isinstance(value, float) or factor != 1.0 else str(value)


def rounded(value: Any) -> Any:
    """The same with fewer digits."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value
