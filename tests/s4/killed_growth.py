"""Programs that grow, and processes in which they do and are killed on the way.

python -m tests.s4.killed_growth LEDGER WHERE
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import tacit
from tacit.errors import TacitWarning
from tacit.review import Answer, Question
from tacit.review.ledger_file import LedgerFile
from tests.s4.corpora import Asked, GoesBy, Problem, grown, reviews, sides, texts

# Every kind of answer, and one that is taken back and given otherwise.
CHOICES = ("yes", "reject", "skip", "yes", "undo", "reject")
TWO = """
label    sentiment(review) = neg | pos
label    topic(review) = art | war
observed kind(review, sort)
observed near(review, review)
praise:  2.2  token(r, "superb") => sentiment(r) = pos
blame:   2.2  token(r, "awful") => sentiment(r) = neg
art:     2.2  kind(r, "oil") => topic(r) = art
war:     2.2  kind(r, "tank") => topic(r) = war
agree:   0.5  near(r, s) => sentiment(r) = sentiment(s)
"""
SORTS = {"neg": ("tank", "gun", "drum"), "pos": ("oil", "ink", "clay")}


@cache
def two_functions() -> Problem:
    """Two labels of each review, neighbours that agree, and two relations that grow."""
    ids = [f"r{i}" for i in range(60)]
    sorts = [SORTS[side][i % 3] for i, side in enumerate(sides())]
    same = [(i, i + 1) for i in range(0, 58, 4) if sides()[i] == sides()[i + 1]]
    tables = {
        "review": {"id": ids, "text": list(texts())},
        "kind": {"a": ids, "b": sorts},
        "near": {"a": [ids[i] for i, _ in same], "b": [ids[j] for _, j in same]},
    }
    program = TWO.replace("praise:", "observed token(review, word)\npraise:")
    return tacit.Task(tables, text="review.text"), tacit.Program.parse(program)


def grow(path: Path, kind: str = "reviews", words: list[str] | None = None) -> tacit.S4:
    """A run with rounds before and after its questions; the words asked about go to `words`."""
    asked = Asked(GoesBy(path, *(("yes", "undo") if kind == "two" else CHOICES)))
    asked.words = [] if words is None else words
    if kind == "two":
        return grown(two_functions(), path, budget=2, borne_out=0.0, reviewer=asked)
    settings = {"rounds": 3, "settled": 0.3, "budget": 4, "at_once": 2}
    reviewer = LastFirst(asked) if kind == "ahead" else asked
    return grown(reviews(), path, reviewer=reviewer, **settings)


class LastFirst:
    """One who sees three questions at a time, and answers the last of them."""

    ahead = 3

    def __init__(self, other: Asked) -> None:
        self.ask = other.ask

    def ask_any(self, questions: Sequence[Question]) -> Answer:
        return self.ask(questions[-1])


class Crashed(Exception):
    """Instead of a crash."""


@contextmanager
def after_commit(instead: Callable[[], Any], number: int = 1) -> Iterator[None]:
    """Have something happen after so many turns of writing."""
    whole, done = LedgerFile.writing, list[None]()

    @contextmanager
    def counted(self: LedgerFile) -> Iterator[None]:
        within = self._connection.in_transaction
        with whole(self):
            yield
        if not within:
            done.append(None)
            if len(done) == number:
                instead()

    LedgerFile.writing = counted  # type: ignore[method-assign]
    try:
        yield
    finally:
        LedgerFile.writing = whole  # type: ignore[method-assign]


@contextmanager
def within_turn(instead: Callable[[], Any], at: set[int]) -> Iterator[None]:
    """Have something happen before an event is written that is not the first of its turn.

    At the places in `at`, it has happened before; the place is added.
    """
    append, writing = LedgerFile.append, LedgerFile.writing
    first = [0]

    @contextmanager
    def noted(self: LedgerFile) -> Iterator[None]:
        if not self._connection.in_transaction and hasattr(self, "path"):
            first[0] = n_events(self)
        with writing(self):
            yield

    def cut(self: LedgerFile, *given: Any, **more: Any) -> None:
        place = n_events(self)
        if place > first[0] and place not in at:
            at.add(place)
            instead()
        append(self, *given, **more)

    LedgerFile.append, LedgerFile.writing = cut, noted  # type: ignore[method-assign]
    try:
        yield
    finally:
        LedgerFile.append, LedgerFile.writing = append, writing  # type: ignore[method-assign]


def n_events(file: LedgerFile) -> int:
    return 0 if file._is_empty() else file.count("true", ())


def crash() -> None:
    raise Crashed


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    path, where = Path(sys.argv[1]), sys.argv[2]
    warnings.simplefilter("ignore", TacitWarning)
    trap = within_turn(die, set()) if where == "within" else after_commit(die, int(where))
    with trap:
        grow(path)
    sys.exit("nobody was killed")
