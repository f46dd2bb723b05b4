"""How labels flow from fit to fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    OTHER,
    SMALL,
    element,
    filled,
    path,
    picture,
    rectangle,
    text,
    told,
    words_only,
)
from tacit.report.pictures.lettering import cut_to, readable, width_of
from tacit.report.pictures.numbers import percent_shown
from tacit.report.pictures.scales import apart
from tacit.report.pictures.stages import name_of, shown_of
from tacit.report.record import FunctionRecord, Matrix, Snapshot

PLOT, TOP, FOOT = 200.0, 8.0, 26.0
NODE, GAP = 9.0, 5.0  # how wide a column is, and what is between its bands
LEAST_STEP, USUAL_WIDTH = 46.0, 520.0
MOST_LABELS, MOST_STEPS = 7, 24
WIDEST_NAME = 120.0


@dataclass(frozen=True, slots=True)
class _Bands:
    """The labels that have bands of their own, and the numbers of their colours."""

    names: tuple[str, ...]
    hues: tuple[int, ...]
    band_of_label: tuple[int, ...]

    @staticmethod
    def of(labels: Sequence[str], snapshots: Sequence[Snapshot], function: str) -> _Bands:
        """The largest labels in their order, and one band for the others."""
        n = len(labels)
        counts = [one.counts[function] for one in snapshots]
        size = [max(own[at] if at < len(own) else 0 for own in counts) for at in range(n)]
        kept = sorted(sorted(range(n), key=lambda at: (-size[at], at))[:MOST_LABELS])
        others = [at for at in range(n) if at not in kept]
        if len(others) == 1 and n == MOST_LABELS + 1:
            kept, others = list(range(n)), []
        names = [readable(labels[at]) for at in kept]
        hues = [at % OTHER if n > MOST_LABELS + 1 else at for at in kept]
        if others:
            names, hues = [*names, f"{len(others)} others"], [*hues, OTHER]
        band = {at: place for place, at in enumerate(kept)}
        return _Bands(tuple(names), tuple(hues), tuple(band.get(at, len(kept)) for at in range(n)))

    def counts(self, given: Sequence[int]) -> list[int]:
        """Instances by band."""
        found = [0] * len(self.names)
        for label, count in enumerate(given[: len(self.band_of_label)]):
            found[self.band_of_label[label]] += count
        return found

    def flow(self, given: Matrix) -> list[list[int]]:
        """Instances by band before and band now."""
        found = [[0] * len(self.names) for _ in self.names]
        for before, row in enumerate(given[: len(self.band_of_label)]):
            for now, count in enumerate(self.counts(row)):
                found[self.band_of_label[before]][now] += count
        return found


@dataclass(frozen=True, slots=True)
class _Column:
    """One fit: where each band begins, and how large it is."""

    x: float
    tops: tuple[float, ...]
    sizes: tuple[float, ...]
    counts: tuple[int, ...]


def label_flow(snapshots: Sequence[Snapshot], function: FunctionRecord) -> Markup:
    """The instances by label after each fit, and which label they had before.

    Of many labels the largest seven have bands of their own, the others share one.
    """
    title = f"How labels of {function.name} flow from fit to fit"
    every = [one for one in snapshots if sum(one.counts.get(function.name, ())) > 0]
    if not every:
        return words_only(title, "There is nothing to show yet.")
    shown = shown_of(every, MOST_STEPS)
    bands = _Bands.of(function.labels, shown, function.name)
    columns, width = _columns(shown, bands, function.name)
    parts: list[Markup] = []
    for at in range(1, len(shown)):
        flow = (shown[at].flow or {}).get(function.name)
        if flow is not None:
            before, now = name_of(shown[at - 1]), name_of(shown[at])
            said = f"{before} to {now}"
            parts += _ribbons(columns[at - 1], columns[at], bands, bands.flow(flow), said)
    for one, column in zip(shown, columns, strict=True):
        parts += _bars(column, bands, name_of(one))
    parts += _names(columns, bands)
    parts += _feet(shown, columns)
    said = _described(title, shown, bands, columns, len(every) - len(shown))
    return picture(title, said, width, TOP + PLOT + FOOT, *parts)


def _columns(
    shown: Sequence[Snapshot], bands: _Bands, function: str
) -> tuple[list[_Column], float]:
    """Where everything stands, and how wide the picture is."""
    counts = [bands.counts(one.counts[function]) for one in shown]
    side = min(WIDEST_NAME, max(width_of(_said(bands, own, at), SMALL)
               for own in (counts[0], counts[-1]) for at in range(len(own))))  # fmt: skip
    side += 8
    left = side if len(shown) > 1 else 0.0
    room = USUAL_WIDTH - left - side - NODE
    step = max(LEAST_STEP, room / max(len(shown) - 1, 1)) if len(shown) > 1 else 0.0
    most = max(map(sum, counts))
    n_gaps = max(sum(count > 0 for count in own) for own in counts) - 1
    unit = (PLOT - GAP * n_gaps) / most
    columns = []
    for at, own in enumerate(counts):
        tops, sizes, y = [], [], TOP
        for count in own:
            tops.append(y)
            sizes.append(count * unit)
            y += count * unit + (GAP if count else 0.0)
        columns.append(_Column(left + at * step, tuple(tops), tuple(sizes), tuple(own)))
    width = max(columns[-1].x + NODE + side, 240.0)
    return columns, width


def _ribbons(
    before: _Column, now: _Column, bands: _Bands, flow: Sequence[Sequence[int]], said: str
) -> list[Markup]:
    """Bands between two columns, in the colour of the label before."""
    leaves, enters = list(before.tops), list(now.tops)
    parts = []
    middle = (before.x + NODE + now.x) / 2
    for one in range(len(bands.names)):
        out = sum(flow[one])
        for other in range(len(bands.names)):
            count = flow[one][other]
            into = sum(row[other] for row in flow)
            if not count:
                continue
            # By its share of either end: a ribbon never leaves its bands, whatever was counted.
            high, low = before.sizes[one] * count / out, now.sizes[other] * count / into
            y1, y2 = leaves[one], enters[other]
            d = path(
                "M", before.x + NODE, y1, "C", middle, y1, middle, y2, now.x, y2,
                "l", 0.0, low, "C", middle, y2 + low, middle, y1 + high, before.x + NODE, y1 + high,
                "Z",
            )  # fmt: skip
            leaves[one], enters[other] = y1 + high, y2 + low
            full = f"{bands.names[one]} → {bands.names[other]}, {said}: {count:,}"
            faint = 0.22 if one == other else 0.5
            hue = filled(bands.hues[one])
            parts.append(element("path", told(full), d=d, class_=hue, fill_opacity=faint))
    return parts


def _bars(column: _Column, bands: _Bands, said: str) -> list[Markup]:
    """The bands of one fit."""
    whole = sum(column.counts)
    parts = []
    for at, count in enumerate(column.counts):
        if count:
            full = f"{said}: {bands.names[at]} {count:,} ({percent_shown(count / whole)})"
            hue = f"band {filled(bands.hues[at])}"
            parts.append(
                rectangle(column.x, column.tops[at], NODE, column.sizes[at], hue, told(full))
            )
    return parts


def _names(columns: Sequence[_Column], bands: _Bands) -> list[Markup]:
    """Labels with their shares beside the first and the last column."""
    parts = []
    ends: list[tuple[_Column, float, str | None]] = [(columns[-1], columns[-1].x + NODE + 6, None)]
    if len(columns) > 1:
        ends.append((columns[0], columns[0].x - 6, "end"))
    for column, x, anchor in ends:
        there = [at for at, count in enumerate(column.counts) if count]
        middles = [column.tops[at] + column.sizes[at] / 2 for at in there]
        for at, y in zip(there, apart(middles, 13.0, TOP + 6, TOP + PLOT - 2), strict=True):
            said = cut_to(_said(bands, column.counts, at), WIDEST_NAME, SMALL)
            full = f"{bands.names[at]}: {column.counts[at]:,}"
            parts.append(
                text(x, y + 4, said, filled(bands.hues[at]), anchor=anchor, size=SMALL, full=full)
            )
    return parts


def _said(bands: _Bands, counts: Sequence[int], at: int) -> str:
    return f"{percent_shown(counts[at] / sum(counts))} {bands.names[at]}"


def _feet(shown: Sequence[Snapshot], columns: Sequence[_Column]) -> list[Markup]:
    """What each column is, where there is room to say it."""
    parts, taken = [], -1e6
    wide = len(columns) > 1 and columns[1].x - columns[0].x >= 64
    for at, (one, column) in enumerate(zip(shown, columns, strict=True)):
        long = wide or at in (0, len(columns) - 1)
        said = name_of(one) if long or one.stage == "seeds" else str(one.number)
        half = width_of(said, SMALL) / 2
        middle = max(column.x + NODE / 2, half)
        if middle - half > taken + 4:
            y = TOP + PLOT + 18
            parts.append(text(middle, y, said, "muted", anchor="middle", size=SMALL))
            taken = middle + half
    return parts


def _described(
    title: str, shown: Sequence[Snapshot], bands: _Bands, columns: Sequence[_Column], left: int
) -> str:
    """The picture in words."""

    def shares(column: _Column) -> str:
        whole = sum(column.counts)
        pairs = zip(bands.names, column.counts, strict=True)
        return ", ".join(f"{name} {percent_shown(count / whole)}" for name, count in pairs)

    said = f"{title}. After {name_of(shown[-1])}: {shares(columns[-1])}."
    if len(shown) > 1:
        said += f" After {name_of(shown[0])}: {shares(columns[0])}."
    return said + (f" {left} earlier fits are not drawn." if left else "")
