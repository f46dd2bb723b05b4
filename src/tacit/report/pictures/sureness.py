"""How sure the labels are: a histogram."""

from __future__ import annotations

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    SMALL,
    WIDTH,
    line,
    picture,
    rectangle,
    text,
    told,
    words_only,
)
from tacit.report.pictures.numbers import count_shown, percent_shown
from tacit.report.record import FunctionRecord

TOP, PLOT, FOOT = 22.0, 130.0, 34.0
SURE = 0.9  # a label that is at least as probable is told apart


def sureness(function: FunctionRecord) -> Markup:
    """Instances by the probability of their label; those above 90 % have the stronger colour."""
    title = f"How sure the labels of {function.name} are"
    counts, whole = function.sureness, sum(function.sureness)
    if whole <= 0:
        return words_only(title, "There are no instances.")
    n = len(counts)
    first = _first(function)
    most, shown = max(counts), n - first
    each = WIDTH / shown
    parts = []
    for at in range(first, n):
        x, tall = (at - first) * each, PLOT * counts[at] / most
        share = counts[at] / whole
        full = f"{100 * at / n:.0f} to {100 * (at + 1) / n:.0f} % probable: {counts[at]:,}"
        full += f" ({percent_shown(share)})"
        sure = at / n >= SURE - 1e-9
        parts.append(
            rectangle(
                x + 1, TOP + PLOT - tall, each - 2, tall, "bar f0", told(full),
                opacity=None if sure else 0.45, round_=1.5,
            )
        )  # fmt: skip
    at = counts.index(most) - first
    middle = min(max((at + 0.5) * each, 24), WIDTH - 24)
    parts.append(text(middle, TOP - 5, count_shown(most), anchor="middle", size=SMALL))
    sure_share = sum(counts[round(SURE * n) :]) / whole
    parts += _axis(first, n, each)
    said = f"{percent_shown(sure_share)} are at least {100 * SURE:.0f} % probable"
    parts.append(text(WIDTH, TOP + PLOT + 29, said, "f0", anchor="end", size=SMALL))
    return picture(title, f"{whole:,} labels; {said}.", WIDTH, TOP + PLOT + FOOT, *parts)


def _first(function: FunctionRecord) -> int:
    """The first bin that can hold anything: the best of n labels has at least 1/n."""
    n = len(function.sureness)
    least = int(n / max(len(function.labels), 1) + 1e-9)
    filled = next(at for at, count in enumerate(function.sureness) if count)
    return min(least, filled, n - 1)


def _axis(first: int, n: int, each: float) -> list[Markup]:
    """The probabilities below the bars."""
    base = TOP + PLOT
    parts = [line(0, base, WIDTH, base, "axis")]
    step = next(step for step in (1, 2, 4, 5, 10, n) if step * each >= 48)
    for at in range(n, first - 1, -step):
        x = (at - first) * each
        anchor = "end" if at == n else None if x < 10 else "middle"
        parts.append(
            text(x, base + 14, f"{100 * at / n:.0f} %", "muted", anchor=anchor, size=SMALL)
        )
    parts.append(text(0, base + 29, "probability of the label", "muted", size=SMALL))
    return parts
