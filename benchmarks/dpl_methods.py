"""The methods that the benchmark of deep probabilistic logic compares, all with one predictor.

Each but DPL and the supervised ones labels the train texts once, and trains the predictor on these
labels: soft ones, of texts of which anything is said, all labels weighing the same.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import tacit
from benchmarks.dpl_predictors import Remembering, bag_of_words
from benchmarks.dpl_problems import Problem
from benchmarks.dpl_sets import Corpus
from benchmarks.dpl_snorkel import Labels
from benchmarks.inference_sides import LeftOut, Record
from benchmarks.label_model_sets import Floats
from tacit.learning.predictor_step import balance
from tacit.learning.votes import Truths
from tacit.predictors.protocol import Predictor
from tacit.report.metrics import accuracy

TAUGHT = ("majority", "label_model", "snorkel", "snorkel_all", "dpl")
SUPERVISED = ("supervised", "bag_of_words")
METHODS = (*TAUGHT, *SUPERVISED)


Runs = dict[str, tuple[int, Callable[[int], Record]]]  # by method: how many seeds, and how to run


@dataclass(frozen=True, slots=True)
class Bench:
    """What every run shares: the predictor, how many seeds it has, and Snorkel's labels."""

    predictor: Remembering
    at_once: Remembering  # the same, for methods that train it once
    by_chance: bool  # whether the predictor's training has any chance in it
    seeds: int
    snorkel: Labels
    methods: tuple[str, ...] = METHODS
    hide_words: bool = True

    def taught(self, problem: Problem) -> dict[str, Record]:
        """Every method that learns without gold labels, on one problem."""
        return self._wanted(self.taught_runs(problem))

    def supervised(self, corpus: Corpus) -> dict[str, Record]:
        """What gold labels of the train texts are worth."""
        return self._wanted(self.supervised_runs(corpus))

    def taught_runs(self, problem: Problem) -> Runs:
        """How each method runs that learns without gold labels."""
        own = self.seeds if self.by_chance else 1
        some = problem.has_evidence

        def by_snorkel(seed: int, taught: Truths) -> Record:
            return self._taught_by(problem, self.snorkel(problem, seed), seed, taught)

        return {
            "majority": (own, lambda s: self._taught_by(problem, problem.majority(), s, some)),
            "label_model": (own, lambda s: self._taught_by(problem, _weighed(problem), s, some)),
            "snorkel": (self.seeds, lambda s: by_snorkel(s, some)),
            "snorkel_all": (self.seeds, lambda s: by_snorkel(s, np.ones_like(some))),
            "dpl": (own, lambda s: self.by_dpl(problem, s)),
        }

    def supervised_runs(self, corpus: Corpus) -> Runs:
        """How each method runs that learns from gold labels."""
        own = self.seeds if self.by_chance else 1
        words = bag_of_words()
        return {
            "supervised": (own, lambda seed: _told(corpus, self.at_once, seed)),
            "bag_of_words": (1, lambda seed: _told(corpus, words, seed)),
        }

    def _wanted(self, runs: Runs) -> dict[str, Record]:
        return {
            method: _over_seeds(run, n_seeds)
            for method, (n_seeds, run) in runs.items()
            if method in self.methods
        }

    def _taught_by(self, problem: Problem, labels: Floats, seed: int, taught: Truths) -> Record:
        """Train the predictor once on the labels of some texts."""
        rows = np.flatnonzero(taught)
        weight = balance(labels[rows], np.ones(len(rows)))
        predictor = self.at_once.fresh(seed)
        prepared = predictor.prepare(problem.corpus.train.texts)
        predictor.fit_soft(prepared.take(rows), labels[rows], weight)
        return scores(problem.corpus, predictor, labels)

    def dpl(self, seed: int) -> tacit.DPL:
        """DPL as it comes, unless words are to be shown."""
        predictor = self.predictor.fresh(seed)
        return tacit.DPL(predictor, hide_words=self.hide_words, random_state=seed)

    def by_dpl(self, problem: Problem, seed: int, model: tacit.DPL | None = None) -> Record:
        """Algorithm 1, as it comes, unless a model is given."""
        model = model or self.dpl(seed)
        model.fit(problem.task, problem.program)
        assert not isinstance(model.posterior_, dict)
        rounds = {
            "rounds": len(model.history_),
            "agreement": [each.agreement for each in model.history_],
        }
        return scores(problem.corpus, model.predictor_, model.posterior_) | rounds


def _weighed(problem: Problem) -> Floats:
    """The labels by the label model."""
    found = tacit.LabelModel().fit(problem.task, problem.program).posterior_
    assert not isinstance(found, dict)
    return found


def _told(corpus: Corpus, predictor: Remembering, seed: int) -> Record:
    """Train on gold labels."""
    target = np.eye(len(corpus.labels))[corpus.train.gold]
    own = predictor.fresh(seed).fit_soft(corpus.train.texts, target)
    return scores(corpus, own, None)


def scores(corpus: Corpus, predictor: Predictor, labels: Floats | None) -> Record:
    """How right the predictor is on test texts, and its teacher's labels on train texts."""
    found: Record = {"accuracy": accuracy(predictor.log_probs(corpus.test.texts), corpus.test.gold)}
    if labels is not None:
        found["labels_accuracy"] = accuracy(labels, corpus.train.gold)
    return found


def _over_seeds(run: Callable[[int], Record], n_seeds: int) -> Record:
    """The figures of a method for each seed, and their mean and spread; or why there are none."""
    try:
        return summary([watched(run, seed) for seed in range(n_seeds)])
    except LeftOut as why:
        return {"skipped": str(why)}


def watched(run: Callable[[int], Record], seed: int) -> Record:
    """The figures of one run, with its seconds, unless it counts them itself, and warnings."""
    begun = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = run(seed)
    said = [str(w.message) for w in caught if issubclass(w.category, tacit.TacitWarning)]
    return {"seconds": time.perf_counter() - begun, **found, "warnings": said}


def summary(runs: list[Record]) -> Record:
    """The mean and the spread of some runs, and what they warned of."""
    accuracies = [each["accuracy"] for each in runs]
    return {
        "accuracy": float(np.mean(accuracies)),
        "lowest": min(accuracies),
        "highest": max(accuracies),
        "n_seeds": len(runs),
        "runs": runs,
        "warnings": list(dict.fromkeys(text for each in runs for text in each["warnings"])),
    }
