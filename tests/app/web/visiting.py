"""Sites to visit, and browsers to visit them with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from tacit.app.web.application import make_app
from tacit.app.web.site import Site
from tacit.review import Example, Ledger, Offer, Question, Stamp

ORIGIN = "http://127.0.0.1:8642"
TOKEN = "secret-token"
STAMP = Stamp("tacit", 1.0)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Learner:
    """Says what a worker would say."""

    def __init__(self, **said: Any) -> None:
        usual = {"state": "working", "phase": "fitting", "line": "fitting the network"}
        self.said = {**usual, "remedy": None, "problems": [], "is_finishing": False, **said}
        self.told: list[str] = []

    def status(self) -> dict[str, Any]:
        return self.said

    def finish(self) -> None:
        self.told.append("finish")

    def wake(self) -> None:
        self.told.append("wake")


def feature(word: str, labels: tuple[str, ...] = ("neg", "pos"), text: str = "") -> Question:
    text = text or f"What a {word} film."
    at = text.find(word)
    share = round(1 / len(labels), 4)
    return Question(
        kind="feature",
        function="sentiment",
        feature=word,
        score=0.69,
        rule="likely",
        touched=1200,
        offers=tuple(
            Offer(y, f"{word} => {y}", f'token(r, "{word}") => sentiment(r) = {y}') for y in labels
        ),
        examples=(Example("r1", text, ((at, at + len(word)),), tuple((y, share) for y in labels)),),
    )


def of_kind(kind: Any, *texts: str, labels: tuple[str, ...] = ("yes",)) -> Question:
    return Question(
        kind=kind,
        function="sentiment",
        feature="" if kind == "pair" else "a thing",
        offers=tuple(Offer(label, f"words for {label}", "") for label in labels),
        examples=tuple(Example(f"e{n}", text) for n, text in enumerate(texts)),
    )


def site_of(folder: Path, *questions: Question, **more: Any) -> Site:
    ledger = Ledger(folder / "ledger.sqlite")
    for question in questions:
        ledger.propose(question, STAMP)
    more = {"clock": Clock(), "budget": 20, "first_reviewer": "ann", **more}
    return Site(name="reviews", ledger=ledger, token=TOKEN, origin=ORIGIN, **more)


class Browser(TestClient):
    """A browser with cookies of its own, which fills in forms as a page has them."""

    def __init__(self, site: Site | Any, **settings: Any) -> None:
        app = make_app(site) if isinstance(site, Site) else site
        super().__init__(app, base_url=ORIGIN, **settings)

    def enter(self) -> Browser:
        assert self.get(f"/?token={TOKEN}").status_code == 200
        return self

    def csrf(self) -> str:
        found = re.search(r'name="csrf" value="(\w+)"', self.get("/").text)
        return found[1] if found else ""

    def fill(self, path: str, **form: str) -> Any:
        return self.post(path, data={"csrf": self.csrf(), **form})

    def question(self) -> dict[str, Any]:
        return self.get("/question.json").json()
