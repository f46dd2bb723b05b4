"""Why an instance has its label: what each piece of evidence adds to the log-odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from markupsafe import Markup

from tacit.report.pictures.drawing import (
    SMALL,
    WIDTH,
    filled,
    line,
    picture,
    rectangle,
    text,
    told,
    words_only,
)
from tacit.report.pictures.lettering import readable, width_of
from tacit.report.pictures.numbers import (
    finite,
    percent_shown,
    signed,
    times_shown,
    total,
    weight_shown,
)
from tacit.report.pictures.scales import Scale
from tacit.report.record import Json

HEAD, ROW, BAR = 30.0, 36.0, 9.0  # heights
MARGIN = 6.0
ROOM_FOR_NUMBERS = 66.0
HARD = "hard"


@dataclass(frozen=True, slots=True)
class _Bar:
    """One row: a part of the sum, or what the smaller ones come to together."""

    name: str
    worth: float | None  # None where it is infinite
    weight: str = ""
    formula: str = ""

    @property
    def told(self) -> str:
        """All that is known of it."""
        amount = HARD if self.worth is None else signed(self.worth)
        parts = (self.name, amount, self.weight and f"weight {self.weight}", self.formula)
        return " · ".join(part for part in parts if part)


def contributions(explanation: Json, *, most: int = 12) -> Markup:
    """The parts of an explanation (`Explanation.as_dict`) as bars that add up to the log-odds.

    What is infinite is a bar over the whole width, marked "hard". Beyond `most` parts, the smaller
    ones are one bar.
    """
    label, against = str(explanation["label"]), str(explanation["against"])
    title = f"Why {explanation['instance']} is {label} and not {against}"
    bars = _bars(explanation.get("parts") or (), most)
    if not bars:
        return words_only(title, "Nothing is said of it.")
    whole = finite(explanation.get("log_odds"))
    ends = list(accumulate((bar.worth or 0.0 for bar in bars), initial=0.0))
    reached = [*ends, whole or 0.0]
    scale = Scale(min(reached), max(reached), MARGIN, WIDTH - MARGIN)
    hues = _Hues.of(explanation)
    body = [line(scale(0), HEAD - 6, scale(0), HEAD + ROW * len(bars) + ROW, "grid")]
    for at, bar in enumerate(bars):
        body += _row(bar, ends[at], HEAD + at * ROW, scale, hues)
        if at + 1 < len(bars):
            below = HEAD + (at + 1) * ROW
            body.append(
                line(scale(ends[at + 1]), below - 5, scale(ends[at + 1]), below + 19, "grid")
            )
    foot = HEAD + len(bars) * ROW
    body += _sum(explanation, whole, foot, scale, hues)
    height = foot + ROW + 6
    return picture(title, _described(explanation, bars, whole), WIDTH, height, *_head(hues), *body)


@dataclass(frozen=True, slots=True)
class _Hues:
    """The two labels with the numbers of their colours, and which of the two is ruled out."""

    label: str
    against: str
    for_it: int
    against_it: int
    ruled: int | None  # the colour of what hard evidence speaks for, where that is clear

    @staticmethod
    def of(explanation: Json) -> _Hues:
        label, against = str(explanation["label"]), str(explanation["against"])
        shares = {str(name): finite(share) for name, share in explanation["probabilities"].items()}
        order = {name: at for at, name in enumerate(shares)}
        hue, other = order.get(label, 0), order.get(against, 1)
        if filled(hue) == filled(other):  # of many labels, some share a colour
            other = hue + 1
        out, kept = not shares.get(label), not shares.get(against)
        ruled = None if out == kept else other if out else hue
        return _Hues(label, against, hue, other, ruled)

    def of_worth(self, worth: float) -> int:
        """The colour of the label that a contribution speaks for."""
        return self.for_it if worth >= 0 else self.against_it


def _bars(parts: Sequence[Json], most: int) -> list[_Bar]:
    """The largest parts, and one for the others."""
    every = [
        _Bar(
            readable(part["name"]),
            finite(part["contribution"]),
            weight_shown(part.get("weight"), part.get("error")) + times_shown(part.get("count")),
            readable(part.get("formula", "")),
        )
        for part in parts
    ]
    every.sort(key=lambda bar: (bar.worth is not None, -abs(bar.worth or 0.0)))
    if len(every) <= most:
        return every
    shown, rest = every[: most - 1], every[most - 1 :]
    if any(bar.worth is None for bar in rest):
        return [*shown, _Bar(f"{len(rest)} others", None)]
    return [*shown, _Bar(f"{len(rest)} smaller parts", total([bar.worth or 0.0 for bar in rest]))]


def _head(hues: _Hues) -> list[Markup]:
    """Which side speaks for which label."""
    room = WIDTH / 2 - 10
    return [
        text(0, 14, f"← {hues.against}", filled(hues.against_it), size=SMALL, room=room),
        text(
            WIDTH, 14, f"{hues.label} →", filled(hues.for_it), size=SMALL, room=room, anchor="end"
        ),
    ]


def _row(bar: _Bar, begin: float, top: float, scale: Scale, hues: _Hues) -> list[Markup]:
    """A part's name and numbers, and its bar below them, which begins where the one before ends."""
    behind = width_of(bar.weight, SMALL) + 8 if bar.weight else 0.0
    room = WIDTH - ROOM_FOR_NUMBERS - behind
    name = text(0, top + 12, bar.name, "halo", room=room, full=bar.told)
    after = min(width_of(bar.name), room) + 8
    parts = [name]
    if bar.weight:
        parts.append(text(after, top + 12, bar.weight, "muted halo", size=SMALL))
    amount = HARD if bar.worth is None else signed(bar.worth)
    parts.append(text(WIDTH, top + 12, amount, "strong halo", anchor="end"))
    if bar.worth is None:
        hue = "f7" if hues.ruled is None else filled(hues.ruled)
        parts.append(
            rectangle(0, top + 19, WIDTH, BAR, f"bar hard {hue}", told(bar.told), round_=2)
        )
    else:
        x, end = sorted((scale(begin), scale(begin + bar.worth)))
        hue = filled(hues.of_worth(bar.worth))
        parts.append(rectangle(x, top + 19, end - x, BAR, f"bar {hue}", told(bar.told), round_=1.5))
    return parts


def _sum(
    explanation: Json, whole: float | None, top: float, scale: Scale, hues: _Hues
) -> list[Markup]:
    """The log-odds, which is what all bars come to."""
    share = finite(explanation["probabilities"].get(explanation["label"]))
    said = "log-odds" if share is None else f"log-odds, so {hues.label} {percent_shown(share)}"
    amount = HARD if whole is None else signed(whole)
    parts = [
        line(0, top, WIDTH, top, "axis"),
        text(0, top + 16, said, "strong", room=WIDTH - ROOM_FOR_NUMBERS),
        text(WIDTH, top + 16, amount, "strong", anchor="end"),
    ]
    if whole is not None:
        x, end = sorted((scale(0), scale(whole)))
        hue = filled(hues.of_worth(whole))
        parts.append(rectangle(x, top + 23, end - x, BAR, f"total {hue}", round_=1.5))
    return parts


def _described(explanation: Json, bars: Sequence[_Bar], whole: float | None) -> str:
    """The picture in words."""
    amount = "infinite" if whole is None else signed(whole)
    named = "; ".join(
        f"{bar.name} {HARD if bar.worth is None else signed(bar.worth)}" for bar in bars
    )
    said = (
        f"Log-odds of {explanation['label']} against {explanation['against']}: {amount}. {named}."
    )
    note = explanation.get("note")
    return f"{said} {note}" if note else said
