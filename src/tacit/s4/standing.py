"""Where a run stands: pure functions of its ledger's events, the oldest event first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from tacit.review.events import Event
from tacit.review.questions import REJECT, SKIP, UNDO
from tacit.s4.health import Health

Events = Iterable[Event]
_NO = (REJECT, SKIP, UNDO)


@dataclass(frozen=True, slots=True)
class Round:
    """A round of self-training: what it added, and whether that still holds."""

    number: int  # from 1
    names: tuple[str, ...]  # of the evidence
    borne_out: float
    rolled_back: bool


def rounds(history: Events) -> tuple[Round, ...]:
    """The rounds of self-training so far."""
    names: dict[int, list[str]] = {}
    share: dict[int, float] = {}
    gone: set[int] = set()
    for event in history:
        number = _round_of(event)
        if event.kind == "added" and number:
            names.setdefault(number, []).append(str(event.name))
            share[number] = float(event.payload["health"]["borne_out"])
        elif event.kind == "rolled_back":
            gone.add(int(event.payload["round"]))
    return tuple(Round(n, tuple(own), share[n], n in gone) for n, own in names.items())


def answered(history: Events) -> dict[str, Event]:
    """The answers in force by question, in their order."""
    found: dict[str, Event] = {}
    for event in history:
        if event.kind == "answered":
            found[str(event.question)] = event
        elif event.kind == "undone" and event.question is not None:
            found.pop(event.question, None)
    return found


def n_asked(history: Events) -> int:
    """How many questions were answered; what was skipped cost no answer."""
    return sum(event.payload["choice"] != SKIP for event in answered(history).values())


def unanswered(history: Iterable[Event]) -> tuple[Event, ...]:
    """The questions that were put and wait for their answers."""
    history = tuple(history)
    known = answered(history)
    return tuple(e for e in history if e.kind == "proposed" and e.question not in known)


def not_taken_up(history: Events) -> tuple[Event, ...]:
    """Answers that chose a label and whose evidence was never added: they came by the queue."""
    found: dict[str | None, Event] = {}
    for event in history:
        if event.kind == "answered" and is_yes(event.payload["choice"]):
            found[event.question] = event
        elif event.kind in ("added", "undone"):
            found.pop(event.question, None)
    return tuple(found.values())


def latest_answers(history: Events, at_once: int) -> list[str | None]:
    """The questions answered since questions were last chosen anew, which is every few answers.

    Self-training goes on from all answers, so they are counted from its end.
    """
    found: list[str | None] = []
    for event in history:
        if _ends(event):
            found = []
        elif event.kind == "answered" and event.payload["choice"] != SKIP:
            found.append(event.question)
        elif event.kind == "undone" and event.question in found:
            found.remove(event.question)
    return found[len(found) // at_once * at_once :]


def is_settled(history: Events) -> bool:
    """Whether self-training has ended, and nothing has changed the program since."""
    settled = False
    for event in history:
        if _ends(event):
            settled = True
        elif event.kind in ("added", "undone"):
            settled = False
    return settled


def is_asking(history: Events) -> bool:
    """Whether self-training has ended, and only answers have changed the program since."""
    ended = False
    for event in history:
        if _ends(event):
            ended = True
        elif event.kind in ("added", "undone") and event.question is None:
            ended = False
    return ended


def without_last_step(added: Events) -> list[Event]:
    """Additions less the last step: a round of self-training, or answers that came in a row."""
    steps = [list(own) for _, own in groupby(added, key=_round_of)]
    return [event for step in steps[:-1] for event in step]


def health(history: Events) -> tuple[Health, ...]:
    """The health of the program before each round, and when self-training ended."""
    found = []
    for event in history:
        told = event.payload.get("before") if event.kind == "health" else None
        if told is not None:
            found.append(Health.from_dict(told))
    return tuple(found)


def reason(history: Events) -> str:
    """Why self-training ended."""
    ends = [event.payload["settled"] for event in history if _ends(event)]
    return str(ends[-1]) if ends else ""


def is_yes(choice: str) -> bool:
    """Whether an answer chooses a label."""
    return choice not in _NO


def _round_of(added: Event) -> int:
    """The round of self-training that has added something; 0: a person has."""
    return int(added.payload.get("health", {}).get("round", 0))


def _ends(event: Event) -> bool:
    """Whether an event says that self-training has ended."""
    return event.kind == "health" and "settled" in event.payload
