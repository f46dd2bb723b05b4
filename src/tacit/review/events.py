"""What a ledger holds: events, each with who, when and what the program and the data were."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

EventKind = Literal[
    "started",
    "proposed",
    "asked",
    "answered",
    "opinion",
    "added",
    "rolled_back",
    "undone",
    "health",
    "finished",
]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who did something and when, and the fingerprints of the data and the program then."""

    who: str
    when: float  # seconds since 1970, UTC
    data: str = ""
    program: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a ledger. Lines are never changed and never removed."""

    sequence: int
    kind: EventKind
    stamp: Stamp
    question: str | None = None  # the id of the question that it is about
    turn: int = 0  # of that question: counts what was taken back before, or for "asked" the leases
    name: str | None = None  # the evidence that it is about
    payload: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The event as JSON holds it."""
        stamp = self.stamp
        return {
            "sequence": self.sequence,
            "kind": self.kind,
            "when": stamp.when,
            "who": stamp.who,
            "question": self.question,
            "turn": self.turn,
            "name": self.name,
            "data": stamp.data,
            "program": stamp.program,
            "payload": self.payload,
        }
