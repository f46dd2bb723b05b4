"""Which labels are taken for which: a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    SMALL,
    WIDTH,
    picture,
    rectangle,
    text,
    told,
    words_only,
)
from tacit.report.pictures.lettering import cut_to, readable, width_of
from tacit.report.pictures.numbers import count_shown, percent_shown
from tacit.report.record import GoldScores

MOST = 24  # labels with a row of their own
LARGEST_CELL, SMALLEST_CELL = 74.0, 24.0
WIDEST_NAME = 110.0
FEW = 5  # labels whose names can stand straight above their columns
FAINTEST = 0.06
DARK = 0.68  # shades on which letters have the colour of paper: reads best in light and in dark


@dataclass(frozen=True, slots=True)
class _Folded:
    """The matrix of the most common labels, the others as one."""

    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def confusion(gold: GoldScores, labels: Sequence[str]) -> Markup:
    """Gold labels by row, given labels by column: counts, and shares of each row as shades.

    What is right, on the diagonal, has one colour; what is wrong another.
    """
    title = "Confusion of labels"
    folded = _folded(gold, labels)
    if not any(map(any, folded.counts)):
        return words_only(title, "There are no gold labels to compare with.")
    n = len(folded.names)
    side = min(WIDEST_NAME, max(width_of(name, SMALL) for name in folded.names)) + 8
    cell = max(SMALLEST_CELL, min(LARGEST_CELL, (WIDTH - side - 16) / n))
    left, top = side + 16, (34.0 if n <= FEW else side + 18)
    parts = [
        text(left + n * cell / 2, 11, "label given", "muted", anchor="middle", size=SMALL),
        text(11, top + n * cell / 2, "gold label", "muted", anchor="middle", size=SMALL, turn=-90),
    ]
    for at, name in enumerate(folded.names):
        parts += _heads(name, left, top, at, cell, side, n)
        row = folded.counts[at]
        for other in range(n):
            x, y = left + other * cell, top + at * cell
            parts += _cell(folded.names, row, at, other, x, y, cell)
    width, height = left + n * cell + 2, top + n * cell + 2
    said = _described(folded, gold)
    return picture(title, said, width, height, *parts)


def _folded(gold: GoldScores, labels: Sequence[str]) -> _Folded:
    n, names = len(labels), tuple(map(readable, labels))
    if n <= MOST:
        return _Folded(names, gold.confusion)
    seen = [
        sum(row) + sum(own[at] for own in gold.confusion) for at, row in enumerate(gold.confusion)
    ]
    kept = sorted(sorted(range(n), key=lambda at: (-seen[at], at))[: MOST - 1])
    place = {at: new for new, at in enumerate(kept)}
    counts = [[0] * MOST for _ in range(MOST)]
    for at, row in enumerate(gold.confusion):
        for other, count in enumerate(row):
            counts[place.get(at, MOST - 1)][place.get(other, MOST - 1)] += count
    kept_names = [names[at] for at in kept]
    return _Folded((*kept_names, f"{n - MOST + 1} others"), tuple(map(tuple, counts)))


def _heads(
    name: str, left: float, top: float, at: int, cell: float, side: float, n: int
) -> list[Markup]:
    """A label's name beside its row and above its column."""
    x = left + (at + 0.5) * cell
    beside = text(
        left - 6, top + (at + 0.5) * cell + 4, name, anchor="end", size=SMALL, room=side - 6
    )
    if n <= FEW:
        above = text(x, top - 8, name, anchor="middle", size=SMALL, room=cell - 2)
    else:
        above = text(x + 4, top - 6, name, size=SMALL, room=side - 6, turn=-90)
    return [beside, above]


def _cell(
    names: Sequence[str], row: Sequence[int], at: int, other: int, x: float, y: float, cell: float
) -> list[Markup]:
    """One pair of labels: a shade, the count, and the share of its row where there is room."""
    count, whole = row[other], sum(row)
    share = count / whole if whole else 0.0
    hue = "f0" if at == other else "f1"
    full = f"gold {names[at]}, given {names[other]}: {count:,} ({percent_shown(share)} of its row)"
    shade = FAINTEST + (1 - FAINTEST) * share if count else None
    hue = hue if count else "back"
    parts = [
        rectangle(x, y, cell - 1.5, cell - 1.5, f"cell {hue}", told(full), opacity=shade, round_=2)
    ]
    if not count:
        return parts
    class_ = "on" if share > DARK else None
    middle = x + (cell - 1.5) / 2
    both = cell >= 40
    size = SMALL if cell >= 34 else 9.0
    said = count_shown(count)
    if width_of(said, size) > cell - 2:
        said = cut_to(percent_shown(share).replace(" ", ""), cell - 2, size)
    down = y + cell / 2 + (-1.5 if both else 3.5)
    parts.append(text(middle, down, said, class_, anchor="middle", size=size, full=full))
    if both:
        shown = percent_shown(share)
        parts.append(text(middle, y + cell / 2 + 12, shown, class_, anchor="middle", size=9.5))
    return parts


def _described(folded: _Folded, gold: GoldScores) -> str:
    """The picture in words."""
    right = sum(row[at] for at, row in enumerate(folded.counts))
    pairs = [
        (count, folded.names[at], folded.names[other])
        for at, row in enumerate(folded.counts)
        for other, count in enumerate(row)
        if at != other and count
    ]
    pairs.sort(key=lambda pair: -pair[0])
    worst = "; ".join(f"{gold_one} taken for {given}: {n:,}" for n, gold_one, given in pairs[:5])
    said = f"{gold.n:,} gold labels, of which {percent_shown(gold.accuracy)} are met"
    said += f" ({right:,} on the diagonal)."
    return f"{said} Most often {worst}." if worst else said
