"""`tacit demo`: the whole way from rules to labels on the sample reviews."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as Grid

from tacit.data import Sample, Task, sample
from tacit.grounding import Touch, ground_factors, touches
from tacit.learning import LabelModel
from tacit.logic import Program, check
from tacit.report import accuracy, covered, majority_vote

SEEDS = ("superb", "delightful", "brilliant", "awful", "dreadful", "boring")


@dataclass(frozen=True, slots=True)
class Score:
    """How one way of labelling did."""

    method: str
    train: float
    test: float
    coverage: float  # of the training instances


def run_demo(console: Console, *, as_json: bool) -> int:
    """Parse, check, ground, vote and learn on the sample reviews; print a table of accuracies."""
    begun = time.perf_counter()
    reviews = sample("reviews")
    program = Program.parse(reviews.rules, reviews.rules_place)
    check(program, reviews.task)
    touched = touches(program, reviews.task)
    model, scores = _scores(reviews, program)
    seconds = time.perf_counter() - begun
    if as_json:
        print(json.dumps({"ok": True, "scores": [asdict(s) for s in scores], "seconds": seconds}))
        return 0
    _show_evidence(console, touched)
    _show_scores(console, scores)
    _show_weights(console, model)
    joint = ", ".join(model.unused_)
    console.print(
        f"Grounded, but not used by the label model yet (joint evidence): {joint}.\n"
        f"{reviews.task.tables['review'].n_rows} reviews, no label seen, {seconds:.1f} s."
    )
    return 0


def _scores(reviews: Sample, program: Program) -> tuple[LabelModel, list[Score]]:
    """The label model on all the rules, and every way of labelling with its accuracy."""
    seeds = Program(program.declarations, tuple(e for e in program.evidence if e.name in SEEDS))
    local = program.without("agree")  # what can also be said of reviews without a near duplicate
    model = LabelModel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is not used is said below
        model.fit(reviews.task, program)
    scores = [
        _vote("majority vote, six seed words", reviews, seeds),
        _vote("majority vote, all rules", reviews, local),
        _learned("label model, six seed words", reviews, LabelModel().fit(reviews.task, seeds)),
        _learned("label model, all rules", reviews, model),
    ]
    return model, scores


def _vote(method: str, reviews: Sample, program: Program) -> Score:
    train, test = (ground_factors(program, task) for task in (reviews.task, _test(reviews)))
    votes = [majority_vote(factors)["sentiment"] for factors in (train, test)]
    return _score(method, reviews, votes, covered(train)["sentiment"])


def _learned(method: str, reviews: Sample, model: LabelModel) -> Score:
    posteriors = [np.asarray(model.posterior_), np.asarray(model.predict_proba(_test(reviews)))]
    program = model.program_.without(*model.unused_)
    return _score(
        method, reviews, posteriors, covered(ground_factors(program, reviews.task))["sentiment"]
    )


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
    grid = Grid(title="What the rules say", title_justify="left", box=None, pad_edge=False)
    grid.add_column("formula")
    grid.add_column("groundings", justify="right")
    grid.add_column("reviews touched", justify="right")
    for touch in touched:
        grid.add_row(touch.name, f"{touch.groundings:,}", f"{touch.instances['sentiment']:,}")
    console.print(grid, "")


def _show_scores(console: Console, scores: list[Score]) -> None:
    grid = Grid(title="Accuracy, gold labels used for scoring only", title_justify="left", box=None)
    grid.pad_edge = False
    for name, justify in (
        ("", "left"),
        ("coverage", "right"),
        ("train", "right"),
        ("test", "right"),
    ):
        grid.add_column(name, justify=justify)  # type: ignore[arg-type]
    for score in scores:
        shares: list[Any] = [f"{100 * x:.1f} %" for x in (score.coverage, score.train, score.test)]
        grid.add_row(score.method, *shares)
    console.print(grid, "")


def _show_weights(console: Console, model: LabelModel) -> None:
    """The lexicon entries that learning trusts most and least."""
    weights = sorted((w, n) for n, w in model.weights_.items() if n.startswith("lexicon["))
    words = [name.removeprefix("lexicon[").removesuffix("]") for _, name in weights]
    console.print(f"Lexicon entries trusted most:  {'; '.join(words[:-7:-1])}")
    console.print(f"Lexicon entries trusted least: {'; '.join(words[:6])}\n")
