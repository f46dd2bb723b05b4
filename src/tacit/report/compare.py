"""Compare the label model with what it must beat: votes, Dawid-Skene, Snorkel where it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.data import Task
from tacit.learning.baselines import covered, dawid_skene, majority_vote, weighted_vote
from tacit.learning.cautions import MUCH
from tacit.learning.gold import gold_by_function
from tacit.learning.health import Health, health
from tacit.learning.label_model import LabelModel
from tacit.learning.votes import Floats, Truths, Votes
from tacit.logic.program import Program
from tacit.report.comparison import Comparison, Row, percent
from tacit.report.metrics import accuracy, brier, choices, log_loss, macro_f1
from tacit.report.snorkel import NOT_INSTALLED, missing, snorkel

Progress = Callable[[int, int, str], None]
Method = Callable[[], Floats]

MODEL = "label model"


def compare(
    task: Task,
    program: Program,
    gold: Any = None,
    *,
    model: LabelModel | None = None,
    hold_out: bool = True,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Label a task in every way there is, and score each by gold where there is any.

    `gold` maps ids to labels, or is an array of label indices with -1 where nothing is known; with
    several label functions, a dict of either by name. A `model` that is fitted already is taken as
    it is. Without `hold_out` no votes are held out and scored, which is what takes longest.
    """
    model = LabelModel() if model is None else model
    seconds = None
    if not hasattr(model, "weights_"):
        _tell(progress, 0, len(program.labels), MODEL)
        begun = time.perf_counter()
        model.fit(task, program)
        grounding = sum(part.step.seconds for part in model.factors_.parts)
        seconds = max(0.0, time.perf_counter() - begun - grounding)
    return _compared(model, gold, seconds, hold_out, random_state, progress)


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
    model = LabelModel() if model is None else model
    seconds = None
    if not hasattr(model, "weights_"):
        _tell(progress, 0, 1, MODEL)
        begun = time.perf_counter()
        model.fit_matrix(matrix, labels)
        seconds = time.perf_counter() - begun
    return _compared(model, gold, seconds, hold_out, random_state, progress)


def _compared(
    model: LabelModel,
    gold: Any,
    seconds: float | None,
    hold_out: bool,
    random_state: int,
    progress: Progress | None,
) -> Comparison:
    """Run the other methods beside a fitted label model."""
    known = gold_by_function(model, gold)
    rows: list[Row] = []
    notes: list[str] = []
    n_done, n_functions = 1, len(model.votes_)
    for name, votes in model.votes_.items():
        methods, own_notes = _methods(votes, _given_weights(model), random_state)
        notes += [_named(model, name, note) for note in own_notes]
        posterior = _posterior(model, name)
        scored = _Scored(model, name, known[name], posterior)
        for method, run in methods.items():
            _tell(progress, n_done, n_functions, method)
            n_done += 1
            begun = time.perf_counter()
            try:
                found = run()
            except Exception as error:
                if method != "Snorkel":
                    raise
                notes.append(_named(model, name, f"Snorkel failed: {error}"))
                continue
            rows.append(scored.row(method, found, time.perf_counter() - begun))
        rows.append(scored.row(MODEL, posterior, seconds))
    _tell(progress, n_done, n_functions, "held-out votes")
    numbers = health(model, hold_out=hold_out, random_state=random_state)
    notes += [note for name, own in numbers.items() for note in _doubts(name, own)]
    return Comparison(tuple(rows), numbers, tuple(dict.fromkeys(notes)))


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

    def __init__(
        self, model: LabelModel, name: str, gold: NDArray[np.int64], posterior: Floats
    ) -> None:
        self.name, self.labels, self.gold = name, model.labels_[name], gold
        self.covered = covered(model.votes_[name])
        self.reached = self.covered | _tied(model, name)
        self.choices = choices(posterior)

    def row(self, method: str, posterior: Floats, seconds: float | None) -> Row:
        """One method's numbers; gold is used where there is any."""
        own, is_model = self.covered, method == MODEL
        agreement = (choices(posterior) * self.choices).sum(axis=1)
        covered_gold = np.where(own, self.gold, -1)
        return Row(
            function=self.name,
            method=method,
            coverage=float((self.reached if is_model else own).mean()),
            agreement=None if is_model or not own.any() else float(agreement[own].mean()),
            confidence=float(posterior.max(axis=1)[own].mean()) if own.any() else None,
            class_shares=dict(zip(self.labels, posterior.mean(axis=0).tolist(), strict=True)),
            seconds=seconds,
            n_gold=int((self.gold >= 0).sum()),
            accuracy=_known(accuracy(posterior, self.gold)),
            accuracy_covered=_known(accuracy(posterior, covered_gold)),
            macro_f1=_known(macro_f1(posterior, self.gold)),
            log_loss=_known(log_loss(posterior, self.gold)),
            brier=_known(brier(posterior, self.gold)),
        )


def _tied(model: LabelModel, name: str) -> Truths:
    """Which instances are tied to others, or bound by hard evidence."""
    graph = model.graph_
    if graph is None:
        return np.zeros(model.votes_[name].n_instances, dtype=bool)
    touched = np.zeros(graph.n_variables, dtype=bool)
    for table in graph.tables:
        touched[table.variables] = True
    for group in graph.groups:
        touched[group.variable_of_member] = True
    if graph.possible is not None:
        touched |= ~np.logical_and.reduceat(graph.possible, graph.first_state[:-1])
    span = graph.span(name)
    return touched[span.first_variable : span.first_variable + span.n_variables]


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


def _tell(progress: Progress | None, n_done: int, n_functions: int, name: str) -> None:
    """Say what comes next: a fit, four methods for each label function, and holding out."""
    if progress is not None:
        progress(n_done, 2 + 4 * n_functions, name)
