"""Compare the label model with what it must beat: votes, Dawid-Skene, Snorkel where it is.

With a predictor, also what each of them teaches it, DPL, and what gold labels would be worth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tacit.data import Task
from tacit.learning.baselines import covered, dawid_skene, majority_vote, weighted_vote
from tacit.learning.cautions import MUCH
from tacit.learning.gold import gold_by_function
from tacit.learning.health import Health, health
from tacit.learning.label_model import LabelModel
from tacit.learning.supervision import is_bound
from tacit.learning.votes import Floats, Longs, Truths, Votes
from tacit.logic.program import Program
from tacit.report.comparison import Comparison, Row, percent
from tacit.report.metrics import accuracy, brier, choices, log_loss, macro_f1
from tacit.report.predictor_rows import MOST_ROWS, Asked, PredictorRows
from tacit.report.snorkel import NOT_INSTALLED, missing, snorkel

Progress = Callable[[int, int, str], None]
Method = Callable[[], Floats]

MODEL = "label model"
TEACHERS = ("majority vote", "Snorkel", MODEL)  # whose labels a predictor is taught


def compare(
    task: Task,
    program: Program,
    gold: Any = None,
    *,
    model: LabelModel | None = None,
    predictor: Any = None,
    gold_labels: int = 50,
    fit: Mapping[str, Any] | None = None,
    hold_out: bool = True,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Label a task in every way there is, and score each by gold where there is any.

    `gold` maps ids to labels, or is an array of label indices with -1 where nothing is known; with
    several label functions, a dict of either by name. A `model` that is fitted already is taken as
    it is. Without `hold_out` no votes are held out and scored, which is what takes longest.

    With a `predictor` (a name or an object) there are rows for what it makes of each method's
    labels, for DPL with the settings `fit`, and, where there is gold, for self-training from some
    `gold_labels` and for what it learns from all of them.
    """
    asked = None
    if predictor is not None:
        asked = Asked(
            predictor=predictor, gold_labels=gold_labels, fit=fit or {}, random_state=random_state
        )
    steps = _Steps(progress, len(program.labels), 0 if asked is None else MOST_ROWS)
    model = LabelModel() if model is None else model
    rows = None if asked is None else PredictorRows(asked, task, program, model)
    seconds = None
    if not hasattr(model, "weights_"):
        steps.tell(MODEL)
        begun = time.perf_counter()
        model.fit(task, program)
        grounding = sum(part.step.seconds for part in model.factors_.parts)
        seconds = max(0.0, time.perf_counter() - begun - grounding)
    return _compared(model, gold, seconds, hold_out, random_state, steps, rows)


def compare_matrix(
    matrix: Any,
    labels: Sequence[str] | None = None,
    gold: Any = None,
    *,
    model: LabelModel | None = None,
    hold_out: bool = True,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """The same for a label matrix (instances, functions) of label indices, -1 = abstain."""
    steps = _Steps(progress, 1, 0)
    model = LabelModel() if model is None else model
    seconds = None
    if not hasattr(model, "weights_"):
        steps.tell(MODEL)
        begun = time.perf_counter()
        model.fit_matrix(matrix, labels)
        seconds = time.perf_counter() - begun
    return _compared(model, gold, seconds, hold_out, random_state, steps, None)


def _compared(
    model: LabelModel,
    gold: Any,
    seconds: float | None,
    hold_out: bool,
    random_state: int,
    steps: _Steps,
    taught: PredictorRows | None,
) -> Comparison:
    """Run the other methods beside a fitted label model."""
    known = gold_by_function(model, gold)
    rows: list[Row] = []
    notes: list[str] = []
    for name, votes in model.votes_.items():
        methods, own_notes = _methods(votes, _given_weights(model), random_state)
        notes += [_named(model, name, note) for note in own_notes]
        scored = _Scored(model, name, known[name], _posterior(model, name))
        labels: dict[str, Floats] = {}
        for method, run in methods.items():
            steps.tell(method)
            begun = time.perf_counter()
            try:
                labels[method] = run()
            except Exception as error:
                if method != "Snorkel":
                    raise
                notes.append(_named(model, name, f"Snorkel failed: {error}"))
                continue
            rows.append(scored.row(method, labels[method], time.perf_counter() - begun))
        rows.append(scored.row(MODEL, _posterior(model, name), seconds))
        labels[MODEL] = _posterior(model, name)
        if taught is not None:
            rows += _taught_rows(taught, scored, labels, steps)
    steps.tell("held-out votes")
    numbers = health(model, hold_out=hold_out, random_state=random_state)
    notes += [] if taught is None else taught.notes
    notes += [note for name, own in numbers.items() for note in _doubts(name, own)]
    return Comparison(tuple(rows), numbers, tuple(dict.fromkeys(notes)))


def _taught_rows(
    taught: PredictorRows, scored: _Scored, labels: Mapping[str, Floats], steps: _Steps
) -> list[Row]:
    """The rows with a predictor, of one label function."""
    rows = []
    some = {method: labels[method] for method in TEACHERS if method in labels}
    for method, job in taught.jobs(scored.name, some, scored.gold).items():
        steps.tell(method)
        begun = time.perf_counter()
        found = job.run()
        rows.append(scored.row(method, found, time.perf_counter() - begun, job.gold))
    return rows


def _methods(
    votes: Votes, weights: Floats, random_state: int
) -> tuple[dict[str, Method], list[str]]:
    """The methods that can be run on votes, by name, and notes on those that cannot."""
    methods: dict[str, Method] = {
        "majority vote": lambda: majority_vote(votes, weights),
        "weighted vote": lambda: weighted_vote(votes, weights),
        "Dawid-Skene": lambda: dawid_skene(votes),
    }
    notes = []
    one_sided = int((~votes.is_many_sided).sum())
    if one_sided:
        notes.append(
            f"Dawid-Skene learns little from sources that always say the same: {one_sided} of "
            f"{votes.n_sources} do"
        )
    reason = missing(votes)
    if reason is None:
        methods["Snorkel"] = lambda: snorkel(votes, weights, random_state=random_state)
    else:
        notes.append(reason)
    return methods, notes


class _Scored:
    """Makes the rows of one label function."""

    def __init__(self, model: LabelModel, name: str, gold: Longs, posterior: Floats) -> None:
        self.name, self.labels, self.gold = name, model.labels_[name], gold
        self.covered = covered(model.votes_[name])
        self.reached = self.covered | _tied(model, name)
        self.choices = choices(posterior)

    def row(
        self, method: str, posterior: Floats, seconds: float | None, gold: Longs | None = None
    ) -> Row:
        """One method's numbers; gold is used where there is any.

        A method with a predictor has something to say of all instances, and `gold` of its own.
        """
        own, is_model = self.covered, method == MODEL
        coverage = float((self.reached if is_model else own).mean()) if gold is None else 1.0
        gold = self.gold if gold is None else gold
        agreement = (choices(posterior) * self.choices).sum(axis=1)
        covered_gold = np.where(own, gold, -1)
        return Row(
            function=self.name,
            method=method,
            coverage=coverage,
            agreement=None if is_model or not own.any() else float(agreement[own].mean()),
            confidence=float(posterior.max(axis=1)[own].mean()) if own.any() else None,
            class_shares=dict(zip(self.labels, posterior.mean(axis=0).tolist(), strict=True)),
            seconds=seconds,
            n_gold=int((gold >= 0).sum()),
            accuracy=_known(accuracy(posterior, gold)),
            accuracy_covered=_known(accuracy(posterior, covered_gold)),
            macro_f1=_known(macro_f1(posterior, gold)),
            log_loss=_known(log_loss(posterior, gold)),
            brier=_known(brier(posterior, gold)),
        )


def _tied(model: LabelModel, name: str) -> Truths:
    """Which instances are tied to others, or bound by hard evidence."""
    if model.graph_ is None:
        return np.zeros(model.votes_[name].n_instances, dtype=bool)
    return is_bound(model.graph_, name)


def _doubts(name: str, own: Health) -> list[str]:
    """A note where labels differ much from a majority vote's and nothing supports that."""
    unsupported = own.held_out is not None and not own.held_out.pays
    if own.difference is None or own.difference <= MUCH or not unsupported:
        return []
    return [
        f"{percent(own.difference)} of the labels of {name} differ from a majority vote's, and "
        "held-out votes are no likelier under the learned weights than under equal ones: look at "
        "some of these labels before you trust either"
    ]


def _given_weights(model: LabelModel) -> Floats:
    """The weights as they were before learning."""
    return model._objective.start


def _posterior(model: LabelModel, name: str) -> Floats:
    found = model.posterior_
    return found[name] if isinstance(found, dict) else found


def _named(model: LabelModel, name: str, note: str) -> str:
    """A note with its label function, where there are several and it is not about them all."""
    return f"{name}: {note}" if len(model.labels_) > 1 and note != NOT_INSTALLED else note


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


class _Steps:
    """Tells what comes next: a fit, the methods for each label function, and holding out."""

    def __init__(self, progress: Progress | None, n_functions: int, with_predictor: int) -> None:
        self.progress, self.n_done = progress, 0
        self.total = 2 + (4 + with_predictor) * n_functions

    def tell(self, name: str) -> None:
        """The next step begins."""
        if self.progress is not None:
            self.progress(self.n_done, self.total, name)
        self.n_done += 1
