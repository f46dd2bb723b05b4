"""Tiny corpora on which programs grow in no time, and what is looked at afterwards."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import tacit
from tacit.proposals.frequency import Frequency
from tacit.review import Answer, Ledger, Question, ReviewerLeft
from tacit.s4 import S4

POS = ("superb", "lovely", "warm", "bright", "clever", "gentle")
NEG = ("awful", "dreary", "cold", "slow", "weak", "stupid")
PLAIN = ("film", "plot", "it", "was", "and", "the")
LURES = ("ocean", "island", "beach", "palm", "sand")  # as good as the seed `superb`, or so it seems
DULL = ("mud", "fog", "rain", "ice", "soot")
SIDES = {"neg": NEG, "pos": POS}
NOON = 1e9
OFTEN = Frequency(ceiling=0.6)

Problem = tuple[tacit.Task, tacit.Program]


def noon() -> float:
    """A clock that stands still."""
    return NOON


def some(rng: np.random.Generator, words: tuple[str, ...], n: int) -> list[str]:
    return [str(word) for word in rng.choice(words, n)]


@cache
def sides(n: int = 60) -> tuple[str, ...]:
    return tuple(str(side) for side in np.random.default_rng(0).choice(["neg", "pos"], n))


@cache
def texts(n: int = 60) -> tuple[str, ...]:
    rng = np.random.default_rng(1)
    return tuple(" ".join(some(rng, SIDES[s], 3) + some(rng, PLAIN, 2)) for s in sides(n))


@cache
def reviews(n: int = 60) -> Problem:
    """Reviews of two kinds, which differ in their words, and one seed of each kind."""
    seeds = {"pos": [POS[0]], "neg": [NEG[0]]}
    return tacit.text_classification(texts(n), labels=["neg", "pos"], keywords=seeds)


@cache
def drifting(n: int = 120) -> Problem:
    """Texts with words that seem to speak for `superb`, but stand in half the `awful` texts too."""
    rng = np.random.default_rng(0)

    def words(kind: int) -> list[str]:
        lure = [str(word) for word in rng.choice(LURES, 3, replace=False)]
        dull = [str(word) for word in rng.choice(DULL, 3, replace=False)]
        if kind == 1:
            return ["awful", *(lure if rng.random() < 0.5 else dull)]
        return {0: ["superb", *lure], 2: lure, 3: lure}.get(kind, dull)

    found = [" ".join([*words(i % 6), *some(rng, PLAIN, 3)]) for i in range(n)]
    seeds = {"pos": ["superb"], "neg": ["awful"]}
    return tacit.text_classification(found, labels=["neg", "pos"], keywords=seeds)


@cache
def leaning(n: int = 120) -> Problem:
    """Texts of two sides, of which only one has words that are frequent enough to be proposed."""
    rng = np.random.default_rng(0)
    rare = tuple(f"rare{k}" for k in range(12))

    def words(kind: int) -> list[str]:
        lure = [str(word) for word in rng.choice(LURES, 2, replace=False)]
        own = [str(word) for word in rng.choice(rare, 2, replace=False)]
        mixed = [lure[0], *own]
        return {0: ["superb", *lure], 1: ["awful", *own], 2: mixed, 3: mixed}.get(kind, lure)

    found = [" ".join([*words(i % 6), *some(rng, PLAIN, 2)]) for i in range(n)]
    seeds = {"pos": ["superb"], "neg": ["awful"]}
    return tacit.text_classification(found, labels=["neg", "pos"], keywords=seeds)


@cache
def by_chance(n: int = 300) -> Problem:
    """Long texts of words in any order, and seeds that tell nothing."""
    rng = np.random.default_rng(0)
    seeds = {side: [f"{side}{k}" for k in range(4)] for side in ("neg", "pos")}
    every = (*seeds["neg"], *seeds["pos"], *(f"w{k}" for k in range(60)))
    found = [" ".join(some(rng, every, int(rng.integers(10, 80)))) for _ in range(n)]
    return tacit.text_classification(found, labels=["neg", "pos"], keywords=seeds)


def quick(**settings: Any) -> tacit.DPL:
    """One round of learning, which is enough to grow."""
    own: dict[str, Any] = {"rounds": 1, "label_model": tacit.LabelModel(max_steps=8)}
    return tacit.DPL(**(own | settings))


# What the tests count on, whatever the defaults are.
SETTINGS: dict[str, Any] = {
    "rounds": 2,
    "batch": 1,
    "score": "lift",
    "weight": 1.7,
    "asked_weight": 2.2,
    "borne_out": 0.5,
    "company": 0.0,
    "settled": 0.01,
    "ask": "likely",
    "at_once": 1,
    "guard": True,
    "most_forgotten": 0.03,
    "most_unlearned": float("inf"),
    "most_shifted": 0.1,
}


def s4(**settings: Any) -> S4:
    """Rounds of one word for each label, two at most."""
    return S4(**({"dpl": quick()} | SETTINGS | settings))


def grown(problem: Problem, ledger: Path | Ledger | None = None, **settings: Any) -> S4:
    """A program that has grown while a clock stood still."""
    return s4(**settings).fit(*problem, ledger=ledger, clock=noon)


@cache
def one_round() -> S4:
    """One round on the reviews, and nobody asked."""
    return grown(reviews(), rounds=1)


class Asked:
    """A reviewer who answers as another one does, and remembers what was asked."""

    def __init__(self, other: Any) -> None:
        self.other, self.questions, self.words = other, list[Question](), list[str]()

    def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        self.words.append(question.feature)
        return self.other.ask(question)


class Leaves:
    """A reviewer who answers some questions, and then goes."""

    def __init__(self, other: Any, n_answers: int, how: type[Exception] = ReviewerLeft) -> None:
        self.other, self.n_left, self.how = other, n_answers, how

    def ask(self, question: Question) -> Answer:
        if not self.n_left:
            raise self.how("not now")
        self.n_left -= 1
        return self.other.ask(question)


class Knows:
    """An expert who knows the words of both sides, and rejects all others."""

    def ask(self, question: Question) -> Answer:
        return Answer(question.id, self.says(question), "ann", NOON)

    def says(self, question: Question) -> str:
        known = {word: side for side, own in SIDES.items() for word in own}
        said = known.get(question.feature, "reject")
        return said if said in question.labels else "reject"


class GoesBy(Knows):
    """One whose next answer follows from the ledger alone, and so is the same in a later run.

    "yes" is what the expert says; when all choices are made, it is said to all.
    """

    def __init__(self, path: Path, *choices: str) -> None:
        self.path, self.choices = path, choices

    def says(self, question: Question) -> str:
        n_made = sum(kind in ("answered", "undone") for kind in kinds(self.path))
        choice = (*self.choices, "yes")[min(n_made, len(self.choices))]
        return super().says(question) if choice == "yes" else choice


def script(*choices: str) -> tacit.ScriptedReviewer:
    return tacit.ScriptedReviewer(choices, who="ann", clock=noon)


def told(path: Path) -> list[tuple[Any, ...]]:
    """All that a ledger holds."""
    with Ledger(path, create=False) as ledger:
        return [tuple(event.as_dict().items()) for event in ledger.history()]


def kinds(path: Path) -> list[str]:
    with Ledger(path, create=False) as ledger:
        return [event.kind for event in ledger.history()]


def words_spoken_of(path: Path) -> list[str]:
    """The words of all that was ever added by self-training or asked about, in this order."""
    found = []
    with Ledger(path, create=False) as ledger:
        for event in ledger.history():
            if event.kind == "added" and event.question is None:
                found.append(event.payload["text"].split('"')[1])
            elif event.kind == "proposed":
                found.append(event.payload["feature"])
    return found


def same_model(one: S4, other: S4) -> bool:
    """Whether two runs ended alike, bit by bit."""
    new = ["a superb and gentle film", "slow", ""]
    return (
        one.program_ == other.program_
        and one.program_.show() == other.program_.show()
        and np.array_equal(one.posterior_, other.posterior_)
        and np.array_equal(one.predict_proba(new), other.predict_proba(new))
        and one.weights_ == other.weights_
        and one.rounds_ == other.rounds_
        and one.health_ == other.health_
        and one.reason_ == other.reason_
    )
