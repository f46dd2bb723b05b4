"""The biomedical benchmark as text: a line for each row, the chapter's line below it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from statistics import mean, stdev

from benchmarks.bio_jobs import Figures, Table
from benchmarks.inference_sides import Record

NARROWEST = 15


def as_text(table: Table, found: Iterable[Record]) -> str:
    """One table; figures are means over seeds, with their standard deviation."""
    by_row: dict[str, list[Record]] = {}
    for one in found:
        by_row.setdefault(one["row"], []).append(one)
    columns = (*table.columns, "seconds")
    names = max([len(row) for row in by_row] + [len("  the chapter")]) + 2
    lines = [table.title, " " * names + _line({name: name for name in columns}, columns)]
    for row, runs in by_row.items():
        done = [run["figures"] | {"seconds": run["seconds"]} for run in runs if "figures" in run]
        cells = {name: _spread([one[name] for one in done if name in one]) for name in columns}
        lines.append(row.ljust(names) + _line(cells, columns))
        if row in table.chapter:
            lines.append("  the chapter".ljust(names) + _line(_told(table.chapter[row]), columns))
        failed = [run for run in runs if "failed" in run]
        lines += [f"  seed {run['seed']} failed: {run['failed']}" for run in failed]
    for name, meaning in table.meanings.items():
        lines += textwrap.wrap(f"{name}: {meaning}", 100, subsequent_indent="    ")
    return "\n".join(lines)


def _line(cells: dict[str, str], columns: tuple[str, ...]) -> str:
    return "".join(cells.get(name, "-").rjust(max(NARROWEST, len(name) + 2)) for name in columns)


def _told(figures: Figures) -> dict[str, str]:
    return {name: _number(value) for name, value in figures.items()}


def _spread(values: list[float]) -> str:
    """The mean, and the standard deviation where there are several."""
    if not values:
        return "-"
    spread = f" ± {_number(stdev(values))}" if len(values) > 1 else ""
    return _number(mean(values)) + spread


def _number(value: float) -> str:
    """Shares with three decimals, other numbers with four digits, from 100 on whole ones."""
    if math.isnan(value):
        return "-"
    if abs(value) <= 1:
        return f"{value:.3f}"
    return f"{value:.4g}" if value < 100 else f"{value:,.0f}"
