"""How common each label is."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    N_COLOURS,
    WIDTH,
    filled,
    picture,
    rectangle,
    text,
    told,
    words_only,
)
from tacit.report.pictures.lettering import readable, width_of
from tacit.report.pictures.numbers import count_shown, finite, percent_shown
from tacit.report.record import FunctionRecord

ROW, BAR = 24.0, 12.0
WIDEST_NAME = 150.0
SUMMED = -1  # in place of a colour: what is summed up would dwarf all bars, and has none


_Row = tuple[str, float, int]  # a name, its size, its colour


def label_shares(function: FunctionRecord, *, most: int = 15) -> Markup:
    """A bar for each label: instances of which it is the most probable one.

    Of many labels the most common have bars of their own.
    """
    title = f"Labels of {function.name}"
    whole = sum(function.counts)
    if whole <= 0:
        return words_only(title, "There are no instances.")
    rows = _rows(function.labels, function.counts, most)
    said = [f"{count_shown(count)} · {percent_shown(count / whole)}" for _, count, _ in rows]
    each = "; ".join(f"{name} {percent_shown(count / whole)}" for name, count, _ in rows)
    return _bars(title, f"{whole:,} instances: {each}.", rows, said)


def label_probabilities(
    labels: Sequence[str], probabilities: Sequence[float], *, most: int = 6
) -> Markup:
    """A bar for each label of one instance: how probable it is."""
    title = "Probabilities of the labels"
    known = [max(0.0, finite(one) or 0.0) for one in probabilities]
    if not known:
        return words_only(title, "There are no labels.")
    rows = _rows(labels, known, most)
    said = [percent_shown(share) for _, share, _ in rows]
    each = "; ".join(f"{row[0]} {words}" for row, words in zip(rows, said, strict=True))
    return _bars(title, f"{each}.", rows, said, whole=1.0)


def _bars(
    title: str, description: str, rows: Sequence[_Row], said: Sequence[str], whole: float = 0.0
) -> Markup:
    """Names, bars and words; the bars are shares of a whole, else of the largest."""
    names = min(WIDEST_NAME, max(width_of(name) for name, _, _ in rows)) + 8
    room = WIDTH - names - max(map(width_of, said)) - 8
    largest = whole or max(size for _, size, hue in rows if hue != SUMMED) or 1.0
    parts = []
    for at, ((name, size, hue), words) in enumerate(zip(rows, said, strict=True)):
        y, wide = at * ROW, 0.0 if hue == SUMMED else min(1.0, size / largest) * room
        full = f"{name}: {words}"
        parts.append(text(names - 8, y + 16, name, anchor="end", room=names - 8, full=full))
        if hue != SUMMED:
            bar = f"bar {filled(hue)}"
            parts.append(rectangle(names, y + 6, wide, BAR, bar, told(full), round_=2))
        parts.append(text(names + wide + 8, y + 16, words, "muted"))
    return picture(title, description, WIDTH, len(rows) * ROW + 4, *parts)


def _rows(labels: Sequence[str], sizes: Sequence[float], most: int) -> list[_Row]:
    """Names, sizes and colours of labels, in their order; beyond the largest, one for all."""
    hue = {at: at if len(labels) <= N_COLOURS else 0 for at in range(len(labels))}
    pairs = zip(map(readable, labels), sizes, strict=True)
    every = [(name, size, hue[at]) for at, (name, size) in enumerate(pairs)]
    if len(every) <= most:
        return every
    ranked = sorted(every, key=lambda row: -row[1])
    rest = ranked[most - 1 :]
    summed = (f"{len(rest)} others", sum(size for _, size, _ in rest), SUMMED)
    return [*ranked[: most - 1], summed]
