"""Rows of a comparison that have a predictor: what evidence teaches it, DPL, and gold labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from inspect import signature
from typing import Any

import numpy as np

from tacit.data import Task
from tacit.errors import BadInput
from tacit.learning.baselines import covered
from tacit.learning.dpl import DPL
from tacit.learning.label_model import LabelModel
from tacit.learning.predictor_step import balance
from tacit.learning.supervision import Supervision
from tacit.learning.votes import Floats, Longs, Truths
from tacit.logic.program import Program
from tacit.predictors.protocol import Predictor, Prepared
from tacit.predictors.registry import as_predictor, name_of, predictor_named
from tacit.report.gold_training import FOLDS, cross_fitted, self_trained

FEWEST = 10  # gold labels: with fewer, nothing is trained on them
MOST_ROWS = 8  # of one label function


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A predictor to compare with, and how."""

    predictor: Any  # a name, a predictor or a scikit-learn classifier
    gold_labels: int = 50  # from which self-training begins
    fit: Mapping[str, Any]  # settings of `DPL`
    random_state: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be learned from."""
        if self.gold_labels < 1:
            raise BadInput(f"self-training from {self.gold_labels} gold labels learns nothing")


@dataclass(frozen=True, slots=True)
class Job:
    """A method that is yet to be run, and the gold labels that it may be scored by."""

    run: Callable[[], Floats]
    gold: Longs


class PredictorRows:
    """What one predictor makes of the labels of others, and of gold labels."""

    def __init__(self, asked: Asked, task: Task, program: Program, model: LabelModel) -> None:
        self.asked, self.task, self.program, self.model = asked, task, program, model
        self.base = as_predictor(asked.predictor, asked.random_state)
        self.name = name_of(self.base)
        self.notes: list[str] = []
        read = {reference.table for reference in task.text}
        domains = {name: function.domain for name, function in program.labels.items()}
        self.read = [name for name, domain in domains.items() if domain in read]
        if not self.read:
            task.inputs(next(iter(domains.values())))  # says what is missing

    def jobs(self, name: str, labels: Mapping[str, Floats], gold: Longs) -> dict[str, Job]:
        """The methods for one label function, given the labels by those without a predictor."""
        if name not in self.read:
            self.notes.append(f"{name} has no text, and so no rows with a predictor")
            return {}
        base = self.base.fresh(self.asked.random_state)
        inputs = base.prepare(self._inputs(name))
        has_evidence = covered(self.model.votes_[name])
        jobs = {
            f"{method} + {self.name}": Job(
                partial(self._taught, name, base, inputs, own, has_evidence), gold
            )
            for method, own in labels.items()
            if has_evidence.any()
        }
        jobs["DPL"] = Job(lambda: _of(self._dpl.posterior_, name), gold)
        alone = f"DPL, {self.name} alone"
        jobs[alone] = Job(lambda: self._dpl.predict_proba(self._inputs(name), name), gold)
        self.notes.append(
            f"rows with + {self.name} are that predictor alone, taught the labels of covered "
            "instances and asked about all; of gold it saw nothing"
        )
        return jobs | self._gold_jobs(name, base, inputs, gold)

    def _gold_jobs(
        self, name: str, base: Predictor, inputs: Prepared, gold: Longs
    ) -> dict[str, Job]:
        """The methods that learn from gold labels; each is scored by those that it did not see."""
        known = np.flatnonzero(gold >= 0)
        if len(known) < FEWEST:
            if len(known):
                self.notes.append(f"{len(known)} gold labels are too few to train anything on")
            return {}
        seed, n_labels = self.asked.random_state, len(self.model.labels_[name])
        n_told = min(self.asked.gold_labels, len(known) // 2)
        told = np.random.default_rng(seed).permutation(known)[:n_told]
        given, rest = np.full_like(gold, -1), gold.copy()
        given[told], rest[told] = gold[told], -1
        self.notes += [
            f"self-training begins with {n_told} gold labels and is scored by the other "
            f"{len(known) - n_told:,}",
            f"supervised rows are cross-fitted over {FOLDS} folds: no instance is scored by a "
            "model that saw its gold label",
        ]
        jobs = {
            f"self-training from {n_told}": Job(
                partial(self_trained, base, inputs, given, n_labels, seed), rest
            ),
            f"supervised {self.name}": Job(
                partial(cross_fitted, base, inputs, gold, n_labels, seed), gold
            ),
        }
        texts = self._inputs(name)
        if all(isinstance(text, str | None) for text in texts):
            words = predictor_named("linear", ngrams=(1, 1))
            run = partial(cross_fitted, words, words.prepare(texts), gold, n_labels, seed)
            jobs["supervised bag of words"] = Job(run, gold)
        return jobs

    def _taught(
        self, name: str, base: Predictor, inputs: Prepared, labels: Floats, some: Truths
    ) -> Floats:
        """What the predictor says of all instances once it was taught the labels of some."""
        rows = np.flatnonzero(some)
        weight = np.ones(len(rows))
        if not Supervision(self.model).states_shares(name):
            weight = balance(labels[rows], weight)  # as DPL does
        own = base.fresh(self.asked.random_state)
        return np.exp(own.fit_soft(inputs.take(rows), labels[rows], weight).log_probs(inputs))

    @cached_property
    def _dpl(self) -> DPL:
        """Algorithm 1, fitted once for all label functions, with a label model of its own."""
        settings = {key: getattr(self.model, key) for key in signature(LabelModel).parameters}
        predictors = {name: self.base.fresh(at) for at, name in enumerate(self.read)}
        chosen = {"random_state": self.asked.random_state} | dict(self.asked.fit)
        model = DPL(predictors, label_model=LabelModel(**settings), **chosen)
        return model.fit(self.task, self.program)

    def _inputs(self, name: str) -> list[Any]:
        """What a predictor reads for each instance of a label function."""
        found: list[Any] = self.task.inputs(self.program.labels[name].domain).to_pylist()
        return found


def _of(found: Floats | dict[str, Floats], name: str) -> Floats:
    return found[name] if isinstance(found, dict) else found
