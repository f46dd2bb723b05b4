"""The instances that a label is tied to: a joint decision as a graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    SMALL,
    element,
    filled,
    picture,
    rectangle,
    stroked,
    text,
    told,
    words_only,
)
from tacit.report.pictures.lettering import cut_to, readable, width_of
from tacit.report.pictures.numbers import finite, percent_shown, signed
from tacit.report.record import FunctionRecord, Json

ROW, MARGIN = 34.0, 16.0
WIDEST = 130.0  # room beside a neighbour
EDGE_ROOM, CENTRE_ROOM = 74.0, 110.0
AT = 0.6  # where on a line its name stands
REACH = 118.0  # how far the widest neighbours are from the middle, sideways
CENTRE, DOT = 13.0, 7.0  # radii
LEAST_HEIGHT = 150.0

Colours = Mapping[tuple[str, str], int]  # of a label function and a label
_Key = tuple[str, str]


class _Spot(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


@dataclass(slots=True)
class _Node:
    """A neighbour, and what ties it."""

    function: str
    instance: str
    label: str
    share: float | None
    names: dict[str, float | None] = field(default_factory=dict)  # formulas: what each adds


def has_neighbours(explanation: Json) -> bool:
    """Whether an explanation ties its instance to others."""
    return any(part.get("neighbours") for part in explanation.get("parts") or ())


def neighbourhood(
    explanation: Json, functions: Sequence[FunctionRecord] = (), *, most: int = 24
) -> Markup:
    """An instance, and around it those that formulas tie it to, coloured by label.

    `functions` tell the order of labels, and so the colours. Beyond `most` neighbours, the others
    are only counted.
    """
    title = f"What {explanation['instance']} is tied to"
    every = _nodes(explanation)
    if not every:
        return words_only(title, "No other instance is tied to it.")
    shown, left = every[:most], len(every) - most
    half = (len(shown) + 1) // 2
    sides = ((1, shown[:half]), (-1, shown[half:]))
    several = len({node.function for node in every} | {str(explanation["function"])}) > 1
    room = min(WIDEST, max(_width(node, several) for node in shown))
    beside = REACH + DOT + 8 + room
    left_side = beside if len(shown) > 1 else CENTRE_ROOM / 2 + 4
    middle = _Spot(left_side, max(LEAST_HEIGHT, ROW * half + 2 * MARGIN) / 2)
    hues = _hues(explanation, functions, every)
    most_worth = max((abs(w) for node in shown for w in node.names.values() if w), default=1.0)
    edges: list[Markup] = []
    dots: list[Markup] = []
    for side, nodes in sides:
        for node, spot in zip(nodes, _spots(len(nodes), side, middle), strict=True):
            edges += _edge(node, spot, middle, most_worth)
            dots += _neighbour(node, spot, side, hues, several)
    parts = [*edges, *dots, *_centre(explanation, middle, hues)]
    height = 2 * middle.y
    if left > 0:
        height += 22
        said = f"and {left:,} more"
        parts.append(text(middle.x, height - 8, said, "muted", anchor="middle"))
    width = left_side + beside
    return picture(title, _described(title, shown, left), width, height, *parts)


def _nodes(explanation: Json) -> list[_Node]:
    """The neighbours by formula, those that matter most first; each once."""
    found: dict[_Key, _Node] = {}
    for part in explanation.get("parts") or ():
        name, worth = readable(part["name"]), finite(part["contribution"])
        for one in part.get("neighbours") or ():
            key = (str(one["function"]), str(one["instance"]))
            node = found.setdefault(
                key,
                _Node(
                    key[0],
                    readable(key[1]),
                    readable(one["label"]),
                    finite(one["probability"]),
                ),
            )
            node.names.setdefault(name, worth)
    return list(found.values())


def _hues(
    explanation: Json, functions: Sequence[FunctionRecord], nodes: Sequence[_Node]
) -> Colours:
    """The colours of labels: by the order in their function, else as they come."""
    order: dict[str, list[str]] = {own.name: [*map(readable, own.labels)] for own in functions}
    own = order.setdefault(str(explanation["function"]), [])
    own += [one for one in map(readable, explanation["probabilities"]) if one not in own]
    for node in nodes:
        labels = order.setdefault(node.function, [])
        if node.label not in labels:
            labels.append(node.label)
    return {(name, label): at for name, labels in order.items() for at, label in enumerate(labels)}


def _spots(n: int, side: int, middle: _Spot) -> list[_Spot]:
    """Places on half an ellipse, evenly apart from top to bottom, so that no two texts meet."""
    tall = max(n * ROW / 2, ROW)
    found = []
    for at in range(n):
        y = (at - (n - 1) / 2) * ROW
        wide = 0.45 + 0.55 * math.sqrt(max(0.0, 1 - (y / tall) ** 2))
        found.append(_Spot(middle.x + side * REACH * wide, middle.y + y))
    return found


def _edge(node: _Node, spot: _Spot, middle: _Spot, most_worth: float) -> list[Markup]:
    """A line to a neighbour, the wider the more it says, with the names of what ties it."""
    worth = max((abs(own) for own in node.names.values() if own is not None), default=most_worth)
    x = middle.x + AT * (spot.x - middle.x)
    y = middle.y + AT * (spot.y - middle.y)
    full = "; ".join(
        name if own is None else f"{name} {signed(own)}" for name, own in node.names.items()
    )
    names = cut_to(", ".join(node.names), EDGE_ROOM, 10)
    ends = {"x1": middle.x, "y1": middle.y, "x2": spot.x, "y2": spot.y}
    wide = 0.75 + 1.5 * (worth / most_worth if most_worth else 1.0)
    return [
        element("line", told(full), **ends, class_="tie", stroke_width=wide),
        text(x, y + 3.5, names, "muted halo", anchor="middle", size=10, full=full),
    ]


def _name(node: _Node, several: bool) -> str:
    return f"{node.function}({node.instance})" if several else node.instance


def _said(label: str, share: float | None) -> str:
    """A label with its share first, so that cutting spares it."""
    return label if share is None else f"{percent_shown(share)} {label}"


def _width(node: _Node, several: bool) -> float:
    return max(
        width_of(_name(node, several), SMALL), width_of(_said(node.label, node.share), SMALL)
    )


def _neighbour(node: _Node, spot: _Spot, side: int, hues: Colours, several: bool) -> list[Markup]:
    """A neighbour: a dot in the colour of its label, its id, its label and how sure that is."""
    hue, said = hues[node.function, node.label], _said(node.label, node.share)
    full = f"{node.function}({node.instance}): {said}"
    beside = spot.x + side * (DOT + 6)
    anchor = None if side > 0 else "end"
    place = {"cx": spot.x, "cy": spot.y, "r": DOT}
    sure = 1.0 if node.share is None else max(0.0, min(1.0, node.share))
    colour = f"dot {filled(hue)} {stroked(hue)}"
    name, room = _name(node, several), WIDEST
    return [
        element("circle", **place, class_="blank"),
        element("circle", told(full), **place, class_=colour, fill_opacity=sure),
        text(beside, spot.y - 1.5, name, anchor=anchor, room=room, full=full, size=SMALL),
        text(beside, spot.y + 11.5, said, filled(hue), anchor=anchor, size=SMALL, room=room),
    ]


def _centre(explanation: Json, middle: _Spot, hues: Colours) -> list[Markup]:
    """The explained instance."""
    function, label = str(explanation["function"]), readable(explanation["label"])
    hue = hues.get((function, label), 0)
    share = finite(explanation["probabilities"].get(explanation["label"]))
    said = _said(label, share)
    full = f"{function}({explanation['instance']}): {said}"
    name = cut_to(readable(explanation["instance"]), CENTRE_ROOM)
    said = cut_to(said, CENTRE_ROOM, SMALL)
    half = max(width_of(name), width_of(said, SMALL)) / 2 + 4
    x, y = middle.x, middle.y
    below = y + CENTRE + 3
    return [
        element("circle", cx=x, cy=y, r=CENTRE + 3, class_="blank"),
        element("circle", told(full), cx=x, cy=y, r=CENTRE, class_=f"dot {filled(hue)}"),
        rectangle(x - half, below, 2 * half, 31, "blank", opacity=0.85, round_=4),
        text(x, below + 12, name, "strong", anchor="middle", full=full),
        text(x, below + 26, said, filled(hue), anchor="middle", size=SMALL, full=full),
    ]


def _described(title: str, nodes: Sequence[_Node], left: int) -> str:
    """The picture in words."""
    each = "; ".join(
        f"{node.instance} ({node.label}{'' if node.share is None else f' {node.share:.2f}'}) "
        f"by {', '.join(node.names)}"
        for node in nodes
    )
    return f"{title}: {each}" + (f"; and {left} more." if left > 0 else ".")
