"""The page of the ledger: all that ever happened, the newest first, and what is in force of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from starlette.requests import Request

from tacit.app.grow.additions import Addition, additions
from tacit.app.web.pages import Data, Page
from tacit.app.web.site import Site
from tacit.app.web.workbench.events import kind_words, told
from tacit.app.web.workbench.listing import Asked, one_page, origin_words
from tacit.review.events import Event
from tacit.review.ledger import Ledger

PATH = "/ledger"
EVENTS = 50  # on one page


def ledger_data(site: Site, request: Request) -> Data:
    """The events that the address asks for, and the additions that are in force."""
    asked = Asked.of(request, PATH, ("kind", "find", "page"))
    history = site.ledger.history()
    features = _features(history)
    every = [_event(event, features) for event in reversed(history)]
    events, pages = one_page([one for one in every if _is_found(one, asked)], asked, EVENTS)
    added = _additions(site.ledger)
    return {
        "kind": asked.get("kind"),
        "kinds": _kinds(history),
        "find": asked.get("find"),
        "n_events": len(history),
        "events": events,
        "pages": pages,
        "in_force": [one for one in added if one["state"] == "in force"],
        "taken_out": [one for one in added if one["state"] != "in force"],
        "file": str(site.ledger.path),
    }


def _features(history: tuple[Event, ...]) -> dict[str, str]:
    """What each question is about, by its id."""
    put = (event for event in history if event.kind == "proposed")
    return {str(event.question): str(event.payload.get("feature", "")) for event in put}


def _event(event: Event, features: dict[str, str]) -> Data:
    return {
        **event.as_dict(),
        "kind_words": kind_words(event.kind),
        "words": told(event, features.get(str(event.question), "")),
    }


def _is_found(event: Data, asked: Asked) -> bool:
    """Whether an event is of the kind, and has all the words, that are looked for."""
    if asked.get("kind") not in ("", event["kind"]):
        return False
    rule = event["payload"].get("text", "")  # with its origin
    told = (event["words"], rule, event["name"] or "", event["who"], event["question"] or "")
    text = " ".join(map(str, told)).casefold()
    return all(word in text for word in asked.get("find").casefold().split())


def _kinds(history: tuple[Event, ...]) -> list[Data]:
    counts = Counter(event.kind for event in history)
    return [
        {"name": name, "words": kind_words(name), "count": count}
        for name, count in counts.most_common()
    ]


def _additions(ledger: Ledger) -> list[Data]:
    """All that was added, the newest first."""
    return [_addition(one) for one in reversed(additions(ledger))]


def _addition(one: Addition) -> Data:
    return {
        **asdict(one),
        "origin_words": origin_words(one.origin),
        "undo": f"tacit grow --undo {one.name}",
    }


PAGE = Page(PATH, "workbench/ledger.html", "Ledger", ledger_data)
