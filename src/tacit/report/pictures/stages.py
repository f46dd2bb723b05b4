"""The axis of fits on the way: the seeds, rounds of self-training, answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from tacit.report.pictures.drawing import SMALL, element, filled, line, points, stroked, text, told
from tacit.report.pictures.lettering import width_of
from tacit.report.pictures.scales import Scale
from tacit.report.record import Snapshot

GROUPS = {"seeds": "seeds", "round": "rounds of self-training", "answers": "answers"}
SHORT = {"seeds": "seeds", "round": "rounds", "answers": "answers"}
HEIGHT = 34.0  # of two lines: the numbers, and what they number


@dataclass(frozen=True, slots=True)
class Stages:
    """Where each snapshot stands, from left to right."""

    snapshots: tuple[Snapshot, ...]
    begin: float
    end: float

    def x(self, at: int) -> float:
        """The place of a snapshot."""
        return Scale(0, len(self.snapshots) - 1, self.begin, self.end)(at)

    def has_room(self, at: int) -> bool:
        """Whether there is room for a mark; there is always for the first and the last."""
        n = len(self.snapshots)
        return at in (0, n - 1) or at % -int(-9.0 * (n - 1) // (self.end - self.begin)) == 0

    def axis(self, y: float) -> list[Markup]:
        """Numbers below a line, and below them what is numbered."""
        parts = [line(self.begin, y, self.end, y)]
        step = self._step()
        for at, one in enumerate(self.snapshots):
            if at % step == 0 or at == len(self.snapshots) - 1:
                said = "" if one.stage == "seeds" else str(one.number)
                last = at == len(self.snapshots) - 1
                if last or len(self.snapshots) - 1 - at >= step:
                    parts.append(
                        text(self.x(at), y + 14, said, "muted", anchor="middle", size=SMALL)
                    )
        return [*parts, *self._groups(y + 29)]

    def _step(self) -> int:
        """Every how many snapshots a number fits."""
        widest = max(width_of(str(one.number), SMALL) for one in self.snapshots) + 8
        each = (self.end - self.begin) / max(len(self.snapshots) - 1, 1)
        return max(1, -int(-widest // each)) if each > 0 else 1

    def _groups(self, y: float) -> list[Markup]:
        """What the numbers count, below each stretch of one kind."""
        parts, taken = [], self.begin - 40.0
        for stage, own in groupby(range(len(self.snapshots)), lambda at: self.snapshots[at].stage):
            ats = list(own)
            middle = (self.x(ats[0]) + self.x(ats[-1])) / 2
            here = self.x(ats[-1]) - self.x(ats[0])
            name = GROUPS[stage] if width_of(GROUPS[stage], SMALL) <= here else SHORT[stage]
            half = width_of(name, SMALL) / 2
            middle = max(middle, taken + half + 6)
            if middle + half > self.end + 40:
                continue  # a stretch too short for its name, behind one that has the room
            taken = middle + half
            parts.append(text(middle, y, name, "muted", anchor="middle", size=SMALL))
        return parts

    def marker(self, at: int, y: float, hue: int, said: str) -> Markup:
        """A mark by stage: a square for the seeds, dots for rounds, diamonds for answers.

        A round that was taken back has a hollow one.
        """
        x, stage = self.x(at), self.snapshots[at].stage
        hollow = f"blank thin {stroked(hue)}"
        class_ = hollow if self.snapshots[at].taken_back else f"{filled(hue)} ring"
        full = told(f"{name_of(self.snapshots[at])}: {said}")
        if stage == "seeds":
            return element("rect", full, x=x - 3, y=y - 3, width=6, height=6, class_=class_)
        if stage == "round":
            return element("circle", full, cx=x, cy=y, r=3.2, class_=class_)
        corners = points((x, y - 4.5), (x + 4.5, y), (x, y + 4.5), (x - 4.5, y))
        return element("polygon", full, points=corners, class_=class_)


def name_of(snapshot: Snapshot) -> str:
    """A fit on the way, in words."""
    if snapshot.stage == "seeds":
        return "seeds"
    if snapshot.stage == "round":
        return f"round {snapshot.number}" + (" (taken back)" if snapshot.taken_back else "")
    return f"{snapshot.number} answer{'' if snapshot.number == 1 else 's'}"


def shown_of(snapshots: Sequence[Snapshot], most: int) -> tuple[Snapshot, ...]:
    """The last so many."""
    return tuple(snapshots)[-most:]
