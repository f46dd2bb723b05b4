"""Health from fit to fit: a small curve for each number."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    WIDTH,
    element,
    group,
    line,
    picture,
    points,
    text,
    told,
    words_only,
)
from tacit.report.pictures.numbers import finite, number_shown, percent_shown
from tacit.report.pictures.scales import Scale
from tacit.report.pictures.stages import Stages, name_of
from tacit.report.record import Snapshot

ACROSS, GAP = 2, 28.0
PANEL, HEAD, PLOT = 118.0, 40.0, 52.0  # heights
SHARES = ("coverage", "agreement", "remembered", "imbalance", "changed", "recognised")
# What the numbers of `tacit.s4.health.Health` mean, for those who read nothing else.
MEANINGS = {
    "coverage": "instances with evidence",
    "agreement": "evidence and network agree",
    "remembered": "what seeds say is still said",
    "seed_log_likelihood": "how likely it finds what seeds say",
    "imbalance": "some labels preferred to others",
    "changed": "labels other than a fit before",
    "recognised": "seeds' texts, without seeds' words",
}


def health_over_time(snapshots: Sequence[Snapshot]) -> Markup:
    """A small curve for each number of health."""
    title = "Health over time"
    names = list(dict.fromkeys(name for one in snapshots for name in one.health))
    series = {name: [_value(one, name) for one in snapshots] for name in names}
    known = {name: own for name, own in series.items() if any(v is not None for v in own)}
    if not known:
        return words_only(title, "There is nothing to show yet.")
    across = (WIDTH - GAP * (ACROSS - 1)) / ACROSS
    panels = []
    for at, (name, values) in enumerate(known.items()):
        x, y = (at % ACROSS) * (across + GAP), (at // ACROSS) * PANEL
        panels.append(_panel(name, values, snapshots, x, y, across))
    height = -(-len(known) // ACROSS) * PANEL
    each = "; ".join(f"{_named(name)} {_shown(name, _last(own))}" for name, own in known.items())
    said = f"After {name_of(snapshots[-1])}: {each}."
    return picture(title, said, WIDTH, height, *panels)


def _panel(
    name: str,
    values: Sequence[float | None],
    snapshots: Sequence[Snapshot],
    x: float,
    y: float,
    across: float,
) -> Markup:
    """One number: its name, what it means, what it is now, and how it came to be so."""
    told_values = [value for value in values if value is not None]
    low, high = min(told_values), max(told_values)
    if name in SHARES:
        low, high = min(low, 0.5 if low >= 0.5 else 0.0), max(high, _top(high))
    scale = Scale(low, high, y + HEAD + PLOT, y + HEAD)
    stages = Stages(tuple(snapshots), x + 5, x + across - 5)
    now = _shown(name, told_values[-1])
    parts = [
        text(x, y + 12, _named(name), "strong", room=across - 64),
        text(x + across, y + 12, now, anchor="end"),
        text(x, y + 26, MEANINGS.get(name, ""), "muted", size=10, room=across),
        line(x, y + HEAD + PLOT, x + across, y + HEAD + PLOT, "axis"),
        line(x, y + HEAD, x + across, y + HEAD, "grid"),
        text(x + across, y + HEAD + PLOT + 11, _shown(name, low), "muted", anchor="end", size=9),
        text(x + across, y + HEAD - 3, _shown(name, high), "muted", anchor="end", size=9),
        text(x, y + HEAD + PLOT + 11, name_of(snapshots[0]), "muted", size=9, room=across / 2),
    ]
    places = [(stages.x(at), scale(v)) for at, v in enumerate(values) if v is not None]
    if len(places) > 1:
        parts.append(element("polyline", points=points(*places), class_="open s0"))
    for at, value in enumerate(values):
        if value is not None:
            said = f"{name_of(snapshots[at])}: {_shown(name, value)}"
            dot = {"cx": stages.x(at), "cy": scale(value), "r": 2.6 if len(places) < 30 else 1.5}
            parts.append(element("circle", told(said), **dot, class_="f0"))
    return group(*parts)


def _value(snapshot: Snapshot, name: str) -> float | None:
    """A number of health; only a round of self-training tells what has changed."""
    if name == "changed" and snapshot.stage != "round":
        return None
    return finite(snapshot.health.get(name))


def _top(high: float) -> float:
    """The end of an axis of shares."""
    return next(top for top in (0.1, 0.25, 0.5, 1.0) if high <= top or top == 1.0)


def _last(values: Sequence[float | None]) -> float:
    return next(value for value in reversed(values) if value is not None)


def _named(name: str) -> str:
    return name.replace("_", " ")


def _shown(name: str, value: float) -> str:
    return percent_shown(value) if name in SHARES else number_shown(value)
