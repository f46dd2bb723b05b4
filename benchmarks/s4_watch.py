"""A run of S4 that is watched: every program that it grows is scored on test texts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dpl_predictors import Remembering
from benchmarks.dpl_problems import Problem
from benchmarks.inference import note
from benchmarks.inference_sides import Record
from tacit.learning.dpl import DPL
from tacit.logic.evidence import Evidence
from tacit.logic.formula import SameLabel
from tacit.report.metrics import accuracy, macro_f1
from tacit.review import SKIP, OracleReviewer
from tacit.review.ledger import Ledger
from tacit.s4 import S4, Health
from tacit.s4.standing import is_yes


class Watched:
    """A run that can go on with a larger budget. Gold labels score it; it never sees them."""

    def __init__(self, problem: Problem, path: Path) -> None:
        self.problem, self.path = problem, path
        self.points: list[Record] = []  # of each program: its size, the questions, its accuracy
        self.seconds = 0.0  # of growing, without those of scoring
        self.started_in: float | None = None  # seconds to the fit of the seeds
        self._since = 0.0
        self._scored: DPL | None = None  # the last

    def grow(
        self, predictor: Remembering, reviewer: OracleReviewer, seed: int, settings: Record
    ) -> Record:
        """Begin, or go on where the ledger ends; the figures of what has grown."""
        grown = S4(predictor=predictor, reviewer=reviewer, random_state=seed, **settings)
        with Ledger(self.path) as ledger:
            self._since = time.perf_counter()
            grown.fit(
                self.problem.task,
                self.problem.program,
                ledger=ledger,
                progress=lambda n, health, model: self._look(ledger, model, health),
            )
            self._look(ledger, grown.model_, None)
            yes = sum(is_yes(answer.choice) for answer in ledger.answers().values())
        return self._figures(grown, seed) | {"yes": yes}

    @property
    def start(self) -> Record:
        """The figures of the seeds alone, which are those of DPL."""
        first = self.points[0]
        return {"accuracy": first["accuracy"], "f1": first["f1"], "seconds": self.started_in}

    def _look(self, ledger: Ledger, model: DPL, health: Health | None) -> None:
        """Score a model, unless it was scored just now; meanwhile the clock stands still.

        The network that scores may learn only when it is asked for: that counts.
        """
        predictor = model.predictor_
        self.seconds += time.perf_counter() - self._since
        if self.started_in is None:
            self.started_in = self.seconds
        answers = ledger.answers().values()
        asked = sum(answer.choice != SKIP for answer in answers)
        seeds = len(self.problem.program.evidence)
        words = len(words_of(model.program_.evidence[seeds:]))
        if model is not self._scored:
            self._scored = model
            test = self.problem.corpus.test
            said = np.exp(predictor.log_probs(test.texts))
            right = accuracy(said, test.gold)
            point = {"words": words, "asked": asked, "accuracy": right}
            told = {} if health is None else health.as_dict()
            self.points.append(point | {"f1": macro_f1(said, test.gold)} | told)
            note(f"  {words} words, {asked} answers: {right:.1%} ({self.seconds:.0f} s)")
        self._since = time.perf_counter()

    def _figures(self, grown: S4, seed: int) -> Record:
        """What was added, how right that is by gold, and why it ended."""
        posterior = grown.posterior_
        assert not isinstance(posterior, dict)
        train = self.problem.corpus.train
        return {
            "seed": seed,
            "accuracy": self.points[-1]["accuracy"],
            "start": self.points[0]["accuracy"],
            "f1": self.points[-1]["f1"],
            "start_f1": self.points[0]["f1"],
            "labels_accuracy": accuracy(posterior, train.gold),
            "words": len(words_of(grown.added_)),
            "precision": precision(grown, words_of(grown.added_), train.gold),
            "pairs": len(pairs_of(grown.added_)),
            "alike": precision(grown, pairs_of(grown.added_), train.gold),
            "rounds": len(grown.rounds_),
            "borne_out": [own.borne_out for own in grown.rounds_],
            "taken_back": sum(own.rolled_back for own in grown.rounds_),
            "reason": grown.reason_,
            "asked": grown.n_asked_,
            "seconds": self.seconds,
            "points": list(self.points),
            "added": [one.name for one in grown.added_],
        }


def pairs_of(added: Sequence[Evidence]) -> list[Evidence]:
    """What was added of pairs of instances."""
    return [one for one in added if isinstance(one.formula, SameLabel)]


def words_of(added: Sequence[Evidence]) -> list[Evidence]:
    """What was added of words."""
    return [one for one in added if not isinstance(one.formula, SameLabel)]


def precision(grown: S4, added: Sequence[Evidence], gold: Any) -> float | None:
    """How often added evidence is right where it speaks, a mean over all of it."""
    names = {one.name for one in added}
    rows = grown.analysis(gold).rows if names else ()
    shares = [row.empirical_accuracy for row in rows if row.name in names and row.n_gold]
    return float(np.mean(shares)) if shares else None
