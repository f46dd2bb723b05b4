"""`tacit demo`: the whole way from rules to labels on the sample reviews."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from tacit.app.console import NAME, NUMBER, Column, counted, print_json, print_table
from tacit.app.grow.demo import BUDGET, Grown, grow_seeds, print_learned
from tacit.app.progress import progress_bar
from tacit.data import Sample, Task, sample
from tacit.grounding import Touch, touches
from tacit.learning import DPL, LabelModel
from tacit.learning.baselines import covered, majority_vote, votes_on
from tacit.logic import Program, check
from tacit.report import accuracy

SEEDS = ("superb", "delightful", "brilliant", "awful", "dreadful", "boring")

N_STEPS = 3  # that the progress bar tells of


@dataclass(frozen=True, slots=True)
class Score:
    """How one way of labelling did."""

    method: str
    train: float
    test: float
    coverage: float  # of the training instances


@dataclass(frozen=True, slots=True)
class Demo:
    """All that the demo shows."""

    n_reviews: int
    touched: tuple[Touch, ...]  # what the rules say
    model: LabelModel  # on all the rules
    scores: tuple[Score, ...]
    grown: Grown
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The demo as JSON can hold it."""
        return {
            "scores": [asdict(score) for score in self.scores],
            "learned": [asdict(one) for one in self.grown.learned],
            "questions": [asdict(one) for one in self.grown.questions],
            "seconds": self.seconds,
        }


def run_demo(console: Console, *, as_json: bool) -> int:
    """Make the demo and print it."""
    demo = make_demo()
    if as_json:
        print_json({"ok": True, "errors": []} | demo.as_dict())
    else:
        print_demo(console, demo)
    return 0


def make_demo() -> Demo:
    """Parse, check, ground, vote, learn and grow on the sample reviews."""
    begun = time.perf_counter()
    reviews = sample("reviews")
    program = Program.parse(reviews.rules, reviews.rules_place)
    check(program, reviews.task)
    touched = touches(program, reviews.task)
    with progress_bar("learning:") as bar:
        tell = Steps(bar).tell
        grown = grow_seeds(reviews.task, seeds_of(program), tell)
        tell("all rules")
        model, scores = _scores(reviews, program, grown)
    n_reviews = reviews.task.tables["review"].n_rows
    return Demo(n_reviews, touched, model, scores, grown, time.perf_counter() - begun)


class Steps:
    """Tells a progress bar of what begins."""

    def __init__(self, bar: Callable[[int, int, str], None] | None) -> None:
        self.bar, self.n_begun = bar, 0

    def tell(self, name: str) -> None:
        """The next step begins."""
        if self.bar is not None:
            self.bar(self.n_begun, N_STEPS, name)
        self.n_begun += 1


def print_demo(console: Console, demo: Demo) -> None:
    """What the rules say, how well each method labels, and what was learned."""
    _show_evidence(console, demo.touched)
    _show_scores(console, demo.scores)
    print_learned(console, demo.grown)
    _show_weights(console, demo.model)
    done = f"{counted(demo.n_reviews, 'review')}, no label learned from, {demo.seconds:.1f} s."
    console.print(Text(done, style="bold green"))


def seeds_of(program: Program) -> Program:
    """The program with nothing but the six seed words."""
    return Program(program.declarations, tuple(e for e in program.evidence if e.name in SEEDS))


def _scores(
    reviews: Sample, program: Program, grown: Grown
) -> tuple[LabelModel, tuple[Score, ...]]:
    """The label model on all the rules, and every way of labelling with its accuracy."""
    seeds = seeds_of(program)
    local = program.without("agree")  # what can also be said of reviews without a near duplicate
    model = LabelModel().fit(reviews.task, program)
    scores = (
        _vote("majority vote, six seed words", reviews, seeds),
        _vote("majority vote, all rules", reviews, local),
        _learned("label model, six seed words", reviews, LabelModel().fit(reviews.task, seeds)),
        _learned("label model, all rules", reviews, model),
        _trained("DPL, all rules", reviews, DPL().fit(reviews.task, program)),
        _trained("DPL, six seed words", reviews, grown.alone.start_),
        _trained("S4, six seed words", reviews, grown.alone.model_),
        _trained(f"S4, six words, {BUDGET} questions", reviews, grown.asking.model_),
    )
    return model, scores


def _vote(method: str, reviews: Sample, program: Program) -> Score:
    tasks = (reviews.task, _test(reviews))
    train, test = (votes_on(task, program)["sentiment"] for task in tasks)
    return _score(method, reviews, [majority_vote(train), majority_vote(test)], covered(train))


def _trained(method: str, reviews: Sample, model: DPL) -> Score:
    """Evidence and network on what was learned from, the network alone on the rest."""
    found = [np.asarray(model.posterior_), model.predict_proba(_test(reviews).inputs("review"))]
    return _score(method, reviews, found, np.ones(len(found[0]), dtype=bool))


def _learned(method: str, reviews: Sample, model: LabelModel) -> Score:
    posteriors = [np.asarray(model.posterior_), np.asarray(model.predict_proba(_test(reviews)))]
    return _score(method, reviews, posteriors, covered(model.votes_["sentiment"]))


def _test(reviews: Sample) -> Task:
    assert reviews.test is not None
    return reviews.test


def _score(
    method: str,
    reviews: Sample,
    posteriors: list[NDArray[np.float64]],
    reached: NDArray[np.bool_],
) -> Score:
    space = Program.parse(reviews.rules).labels["sentiment"].space
    assert reviews.test_gold is not None
    gold = [space.encode(list(g["sentiment"].values())) for g in (reviews.gold, reviews.test_gold)]
    train, test = (accuracy(p, g) for p, g in zip(posteriors, gold, strict=True))
    return Score(method, train, test, float(reached.mean()))


def _show_evidence(console: Console, touched: tuple[Touch, ...]) -> None:
    columns = (Column("formula", style=NAME), _number("groundings"), _number("reviews touched"))
    rows = [
        (touch.name, f"{touch.groundings:,}", f"{touch.instances['sentiment']:,}")
        for touch in touched
    ]
    print_table(console, "What the rules say", columns, rows)


def _show_scores(console: Console, scores: tuple[Score, ...]) -> None:
    columns = (
        Column("method", style=NAME),
        _number("coverage"),
        _number("train"),
        _number("test"),
    )
    rows = [
        (score.method, _percent(score.coverage), _percent(score.train), _percent(score.test))
        for score in scores
    ]
    print_table(console, "Accuracy, by gold labels, from which no method learns", columns, rows)


def _show_weights(console: Console, model: LabelModel) -> None:
    """The lexicon entries that learning trusts most and least."""
    weights = sorted((w, n) for n, w in model.weights_.items() if n.startswith("lexicon["))
    words = [name.removeprefix("lexicon[").removesuffix("]") for _, name in weights]
    columns = (Column("trusted", style=NAME), Column("word, label"))
    rows = [("most", "; ".join(words[:-7:-1])), ("least", "; ".join(words[:6]))]
    print_table(console, "Lexicon entries, by the weights learned", columns, rows)


def _number(header: str) -> Column:
    return Column(header, right=True, style=NUMBER)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
