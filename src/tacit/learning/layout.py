"""Plain text tables: columns in line, long cells cut."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence


def aligned(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """Rows of equally many cells as lines with their columns in line; some stand on the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
            if width
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines


def cut(text: str, width: int) -> str:
    """A text on one line that is no wider than this."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 1]}…"


def signed(number: float) -> str:
    """A number with its sign, also where it is not finite."""
    if math.isnan(number):
        return "undefined"
    return "0.00" if abs(number) < 0.005 else f"{number:+.2f}"
