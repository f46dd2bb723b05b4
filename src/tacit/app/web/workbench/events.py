"""Events of a ledger in words."""

from __future__ import annotations

from collections.abc import Callable

from tacit.review.events import Event
from tacit.review.questions import REJECT, SKIP, UNDO

KINDS = {
    "started": "start",
    "proposed": "question put",
    "asked": "question shown",
    "answered": "answer",
    "opinion": "second opinion",
    "added": "rule added",
    "rolled_back": "taken back",
    "undone": "undone",
    "health": "health",
    "finished": "end",
}


def kind_words(kind: str) -> str:
    """A kind of event as people call it."""
    return KINDS.get(kind, kind.replace("_", " "))


def told(event: Event, feature: str) -> str:
    """What happened, in a sentence; `feature` is what its question is about."""
    tell = _TELL.get(event.kind)
    return tell(event, f"“{feature}”" if feature else "a question") if tell else event.name or ""


def _started(_event: Event, _feature: str) -> str:
    return "The run began"


def _proposed(event: Event, feature: str) -> str:
    labels = ", ".join(str(offer["label"]) for offer in event.payload.get("offers", ()))
    return f"Asks about {feature}: {labels}?" if labels else f"Asks about {feature}"


def _asked(event: Event, feature: str) -> str:
    return f"{event.stamp.who} looks at {feature}"


def _answered(event: Event, feature: str) -> str:
    who, choice = event.stamp.who, str(event.payload.get("choice", ""))
    said = {REJECT: "rejected", SKIP: "skipped", UNDO: "took out"}.get(choice)
    return f"{who} {said} {feature}" if said else f"{feature} is {choice}, says {who}"


def _added(event: Event, _feature: str) -> str:
    rule, _, _origin = str(event.payload.get("text", event.name)).partition("  @ ")
    return rule  # the details have the origin too


def _rolled_back(event: Event, _feature: str) -> str:
    why = event.payload.get("why")
    return f"The guard took {event.name} out" + (f": {why}" if why else "")


def _undone(event: Event, feature: str) -> str:
    if event.name is not None:
        return f"{event.stamp.who} took {event.name} out"
    return f"{event.stamp.who} took back the answer to {feature}"


def _health(event: Event, _feature: str) -> str:
    if "settled" in event.payload:
        return f"Self-training ended: {event.payload['settled']}"
    before = event.payload.get("before") or {}
    names = [f"{name} {before[name]:.1%}" for name in ("coverage", "agreement") if name in before]
    return ", ".join(names)


def _finished(_event: Event, _feature: str) -> str:
    return "The run ended"


_TELL: dict[str, Callable[[Event, str], str]] = {
    "started": _started,
    "proposed": _proposed,
    "asked": _asked,
    "answered": _answered,
    "opinion": _answered,
    "added": _added,
    "rolled_back": _rolled_back,
    "undone": _undone,
    "health": _health,
    "finished": _finished,
}
