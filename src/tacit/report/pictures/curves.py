"""Learning curves: shares that change from fit to fit."""

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
    points,
    stroked,
    text,
    words_only,
)
from tacit.report.pictures.lettering import readable, width_of
from tacit.report.pictures.numbers import finite, percent_shown
from tacit.report.pictures.scales import Scale, apart, round_span, ticks
from tacit.report.pictures.stages import HEIGHT, Stages, name_of
from tacit.report.record import Snapshot

TOP, PLOT = 12.0, 170.0
LEFT = 42.0
MOST_LINES = 7
WIDEST_NAME = 130.0


@dataclass(frozen=True, slots=True)
class Line:
    """A series: a share at each snapshot, None where it is not known."""

    name: str
    values: tuple[float | None, ...]


def learning_curves(snapshots: Sequence[Snapshot]) -> Markup:
    """Accuracy where gold is known, agreement, coverage and what is remembered, fit by fit."""
    return curves("Learning curves", snapshots, learning_lines(snapshots))


def learning_lines(snapshots: Sequence[Snapshot]) -> list[Line]:
    """The series that show whether a program grows well, those of accuracy first."""
    scored = [one.accuracy or {} for one in snapshots]
    functions = list(dict.fromkeys(name for own in scored for name in own))
    called = {name: f"{name} accuracy" if len(functions) > 1 else "accuracy" for name in functions}
    lines = [Line(called[name], tuple(own.get(name) for own in scored)) for name in functions]
    for key, name in (
        ("agreement", "agreement"),
        ("coverage", "coverage"),
        ("remembered", "remembered"),
    ):
        lines.append(Line(name, tuple(one.health.get(key) for one in snapshots)))
    return lines


def curves(title: str, snapshots: Sequence[Snapshot], lines: Sequence[Line]) -> Markup:
    """Any shares over snapshots, each line with its name at its end."""
    known = [_cleaned(own) for own in lines]
    drawn = [own for own in known if any(value is not None for value in own.values)][:MOST_LINES]
    if not snapshots or not drawn:
        return words_only(title, "There is nothing to show yet.")
    values = [value for own in drawn for value in own.values if value is not None]
    low, high = round_span(min(values), max(values))
    y = Scale(low, high, TOP + PLOT, TOP)
    room = min(WIDEST_NAME, max(width_of(_ending(own), SMALL) for own in drawn))
    right = WIDTH - room - 12
    stages = Stages(tuple(snapshots), LEFT + 8, right)
    parts = [*_grid(y, LEFT, right), *stages.axis(TOP + PLOT)]
    places = apart([y(_last(own)) for own in drawn], 14.0, TOP, TOP + PLOT)
    for hue, own in enumerate(drawn):
        parts += _line(own, hue, stages, y)
        parts.append(
            text(right + 10, places[hue] + 4, _ending(own), filled(hue), size=SMALL, room=room + 2)
        )
    return picture(title, _described(title, snapshots, drawn), WIDTH, TOP + PLOT + HEIGHT, *parts)


def _cleaned(given: Line) -> Line:
    return Line(readable(given.name), tuple(map(finite, given.values)))


def _grid(y: Scale, left: float, right: float) -> Iterator[Markup]:
    """Lines at round shares."""
    for value in ticks(y.low, y.high, 5):
        yield line(left, y(value), right, y(value), "grid")
        said = f"{100 * value:.3g} %"
        yield text(left - 6, y(value) + 4, said, "muted", anchor="end", size=SMALL)


def _line(given: Line, hue: int, stages: Stages, y: Scale) -> Iterator[Markup]:
    """A line through what is known, broken where nothing is, with a mark for each fit."""
    stretch: list[tuple[float, float]] = []
    for at, value in enumerate((*given.values, None)):
        if value is not None:
            stretch.append((stages.x(at), y(value)))
            continue
        if len(stretch) > 1:
            yield element("polyline", points=points(*stretch), class_=f"open {stroked(hue)}")
        stretch = []
    for at, value in enumerate(given.values):
        if value is not None and stages.has_room(at):
            said = f"{given.name} {percent_shown(value)}"
            yield stages.marker(at, y(value), hue, said)


def _last(given: Line) -> float:
    return next(value for value in reversed(given.values) if value is not None)


def _ending(given: Line) -> str:
    """What stands at the end of a line; the number first, so that cutting spares it."""
    return f"{percent_shown(_last(given))} {given.name}"


def _described(title: str, snapshots: Sequence[Snapshot], lines: Sequence[Line]) -> str:
    """The picture in words."""
    span = f"from {name_of(snapshots[0])} to {name_of(snapshots[-1])}"
    each = []
    for own in lines:
        told = [value for value in own.values if value is not None]
        each.append(f"{own.name} {percent_shown(told[0])} to {percent_shown(told[-1])}")
    return f"{title}, {span}: {'; '.join(each)}."
