"""All the evidence at a glance: how far it reaches, and what it weighs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    SMALL,
    WIDTH,
    element,
    filled,
    line,
    picture,
    stroked,
    text,
    told,
    words_only,
)
from tacit.report.pictures.lettering import cut_to, readable, width_of
from tacit.report.pictures.numbers import finite, number_shown, percent_shown, weight_shown
from tacit.report.pictures.scales import LogScale, Scale, round_span, ticks
from tacit.report.record import Json

TOP, PLOT, LEFT, FOOT = 28.0, 220.0, 40.0, 36.0
STRIP = 22.0  # above the plot, for what is hard
FAINT = 200  # dots from which on they are drawn without errors
SMALLEST = 1e-6
HARD_WEIGHT = 10.0  # what a hard rule counts where rules are ranked; the chapter's own stand-in
NAMES = {"expert": "written", "fal": "answers", "sst": "self-training"}  # in colours 0, 1, 2


@dataclass(frozen=True, slots=True)
class _Dot:
    """One weight."""

    name: str
    origin: str
    coverage: float
    weight: float | None  # None where it is hard
    error: float
    influence: float
    told: str


def influence(row: Json, n_instances: int = 0) -> float:
    """How much a row of the evidence table moves: its weight times the share it speaks of."""
    weight = finite(row.get("weight"))
    size = HARD_WEIGHT if row.get("state") == "hard" else abs(weight or 0.0)
    reach = finite(row.get("coverage"))
    if reach is None:
        ties = finite(row.get("n_groundings")) or 0.0
        reach = min(1.0, ties / n_instances) if n_instances else 0.0
    return size * reach


def evidence_overview(rows: Sequence[Json], *, named: int = 10) -> Markup:
    """How far evidence reaches against what it weighs, with errors, coloured by origin.

    The most influential ones carry their names. Evidence that ties labels to each other has no
    place here: it speaks of pairs and groups.
    """
    title = "Evidence by reach and weight"
    dots = sorted(filter(None, map(_dot, rows)), key=lambda dot: -dot.influence)
    if not dots:
        return words_only(title, "No evidence speaks of single labels.")
    hard = any(dot.weight is None for dot in dots)
    top = TOP + (STRIP if hard else 0.0)
    soft = [dot for dot in dots if dot.weight is not None]
    spread = [edge for dot in soft for edge in (_low(dot), _high(dot))]
    low, high = round_span(min(0.0, *spread, 0.0), max(1.0, *spread, 0.0))
    least = max(SMALLEST, min(0.01, *(dot.coverage for dot in dots), 0.01))
    x, y = LogScale(least, 1.0, LEFT + 10, WIDTH - 14), Scale(low, high, top + PLOT, top)
    origins = list(dict.fromkeys([*NAMES, *(dot.origin for dot in dots)]))
    hue = {origin: at for at, origin in enumerate(origins)}
    parts = [*_axes(x, y, top, hard), *_legend(origins, dots)]
    for dot in reversed(dots):
        parts += _drawn(dot, x, y, hue[dot.origin], errors=len(dots) <= FAINT)
    parts += _labels(dots[:named], dots, x, y)
    left = sum(1 for row in rows if _dot(row) is None)
    said = _described(dots, left)
    return picture(title, said, WIDTH, top + PLOT + FOOT, *parts)


def _dot(row: Json) -> _Dot | None:
    """A row as a dot; None for what ties labels, or reaches nothing."""
    coverage, weight = finite(row.get("coverage")), finite(row.get("weight"))
    hard = row.get("state") == "hard"
    if not coverage or coverage < 0 or (weight is None and not hard):
        return None
    shown = "hard" if hard else weight_shown(weight, row.get("error"))
    origin = str(row.get("origin") or "expert")
    name = readable(row["name"])
    return _Dot(
        name,
        origin,
        min(coverage, 1.0),
        None if hard else weight,
        abs(finite(row.get("error")) or 0.0),
        influence(row),
        f"{name}: {shown}, speaks of {percent_shown(coverage)}, {NAMES.get(origin, origin)}",
    )


def _low(dot: _Dot) -> float:
    return (dot.weight or 0.0) - dot.error


def _high(dot: _Dot) -> float:
    return (dot.weight or 0.0) + dot.error


def _axes(x: LogScale, y: Scale, top: float, hard: bool) -> Iterator[Markup]:
    """Weights upwards, shares of instances to the right, each step ten times the one before."""
    for value in ticks(y.low, y.high, 5):
        yield line(LEFT, y(value), WIDTH, y(value), "axis" if value == 0 else "grid")
        said = number_shown(value)
        yield text(LEFT - 6, y(value) + 4, said, "muted", anchor="end", size=SMALL)
    yield text(0, top - 10 - (STRIP if hard else 0), "weight", "muted", size=SMALL)
    if hard:
        yield text(LEFT - 6, TOP + 8, "hard", "muted", anchor="end", size=SMALL)
        yield line(LEFT, TOP + 4, WIDTH, TOP + 4, "grid")
    base = top + PLOT
    share = 1.0
    while share >= x.low * 0.999:
        yield line(x(share), base, x(share), base + 4, "axis")
        said = f"{100 * share:g} %"
        anchor = "end" if share == 1.0 else "middle"
        at = x(share) + (14 if share == 1.0 else 0)
        yield text(at, base + 16, said, "muted", anchor=anchor, size=SMALL)
        share = round(share / 10, 9)
    yield text(WIDTH - 2, base + 31, "instances it speaks of", "muted", anchor="end", size=SMALL)


def _legend(origins: Sequence[str], dots: Sequence[_Dot]) -> Iterator[Markup]:
    """Origins by colour, above the plot, where there are several."""
    there = {dot.origin for dot in dots}
    at = WIDTH
    for hue in range(len(origins) - 1, -1, -1):
        if origins[hue] not in there or len(there) < 2:
            continue
        said = cut_to(readable(NAMES.get(origins[hue], origins[hue])), 90, SMALL)
        at -= width_of(said, SMALL)
        if at < 60:
            return
        yield text(at, 12, said, filled(hue), size=SMALL)
        yield element("circle", cx=at - 7, cy=8, r=3.5, class_=filled(hue))
        at -= 24


def _drawn(dot: _Dot, x: LogScale, y: Scale, hue: int, *, errors: bool) -> Iterator[Markup]:
    """A dot with a line for its error."""
    cx = x(dot.coverage)
    cy = TOP + 4 if dot.weight is None else y(dot.weight)
    if errors and dot.weight is not None and dot.error:
        yield line(cx, y(_low(dot)), cx, y(_high(dot)), f"thin {stroked(hue)}")
    full = told(dot.told)
    yield element(
        "circle", full, cx=cx, cy=cy, r=4, class_=f"dot {filled(hue)} ring", fill_opacity=0.85
    )


def _labels(
    named: Sequence[_Dot], every: Sequence[_Dot], x: LogScale, y: Scale
) -> Iterator[Markup]:
    """Names beside dots, where they meet neither each other nor the edge."""
    taken = [_box(x(dot.coverage) - 4, _y(dot, y) - 4, 8, 8) for dot in every[:FAINT]]
    for dot in named:
        cx, cy = x(dot.coverage), _y(dot, y)
        said = cut_to(dot.name, 110, 10)
        wide = width_of(said, 10)
        for begin in (cx + 8, cx - 8 - wide):
            box = _box(begin, cy - 6, wide, 12)
            if (
                begin >= LEFT
                and begin + wide <= WIDTH
                and not any(_meet(box, own) for own in taken)
            ):
                taken.append(box)
                yield text(begin, cy + 3.5, said, "halo", size=10, full=dot.told)
                break


def _y(dot: _Dot, y: Scale) -> float:
    return TOP + 4 if dot.weight is None else y(dot.weight)


def _box(x: float, y: float, wide: float, tall: float) -> tuple[float, float, float, float]:
    return (x, y, x + wide, y + tall)


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _described(dots: Sequence[_Dot], left: int) -> str:
    """The picture in words."""
    first = "; ".join(dot.told for dot in dots[:5])
    said = f"{len(dots)} pieces of evidence. The most influential: {first}."
    return said + (f" {left} more tie labels to each other or reach nothing." if left else "")
