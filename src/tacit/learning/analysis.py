"""Analysing evidence: how far each weight reaches, how far it is trusted, how often it is right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from tacit.learning.casting import votes_of_counts
from tacit.learning.described import Described, posteriors
from tacit.learning.evidence_table import EvidenceRow, EvidenceTable, State
from tacit.learning.gold import gold_by_function
from tacit.learning.joining import JoinedVotes
from tacit.learning.reach import Reach, Stances, joined, reach_of
from tacit.learning.ties import Ties, ties_of
from tacit.learning.votes import Floats, Longs, Truths, Votes
from tacit.logic.evidence import Fixed

if TYPE_CHECKING:
    from tacit.learning.label_model import LabelModel


def analysis(model: LabelModel, gold: Any = None) -> EvidenceTable:
    """One row for each weight of a fitted model.

    Evidence overlaps where another source speaks of the same instance, and conflicts where that
    source speaks for none of the same labels; hard evidence is a source like any other, evidence
    that reads no data is none. `gold` holds true labels, as an array of label
    indices (-1: not known) or as a mapping from ids to labels; where there are several label
    functions, a dict of such by name.
    """
    described = Described(model)
    known = gold_by_function(model, gold)
    spoken = _Spoken.of(model, known)
    ties = ties_of(model, known)
    states = _States(model, described)
    return EvidenceTable(
        tuple(
            _row(weight, described, spoken, ties, states) for weight in range(len(described.names))
        )
    )


@dataclass(frozen=True, slots=True)
class _Spoken:
    """Evidence on single labels, summed over label functions: arrays by weight."""

    reach: Reach
    n_instances: Floats  # of the label functions it speaks of
    functions: dict[int, tuple[str, ...]]
    labels: dict[int, tuple[str, ...]]

    @staticmethod
    def of(model: LabelModel, gold: Mapping[str, Longs]) -> _Spoken:
        """How far each weight reaches."""
        start = _start(model)
        total = np.zeros((6, len(start)))
        n_instances = np.zeros(len(start))
        functions: dict[int, tuple[str, ...]] = {}
        labels: dict[int, tuple[str, ...]] = {}
        for name, posterior in posteriors(model).items():
            votes = _with_hard(model, name)
            reach, stances = reach_of(votes, start, posterior, gold[name])
            own = reach.by_weight(stances.weight_of_event, len(start))
            total += own.columns
            n_instances[own.speaks > 0] += votes.n_instances
            for weight, said in _labels_of(stances).items():
                told = [model.labels_[name][label] for label in said]
                functions[weight] = (*functions.get(weight, ()), name)
                labels[weight] = tuple(dict.fromkeys((*labels.get(weight, ()), *told)))
        return _Spoken(Reach(*total), n_instances, functions, labels)


def _labels_of(stances: Stances) -> dict[int, list[int]]:
    """The labels that each weight ever speaks for, in their order."""
    pairs = np.unique(np.stack([stances.weight_of_event, stances.of_event]), axis=1)
    found: dict[int, set[int]] = {}
    for weight, stance in pairs.T.tolist():
        found.setdefault(weight, set()).update(np.flatnonzero(stances.labels[stance]).tolist())
    return {weight: sorted(labels) for weight, labels in found.items()}


class _States:
    """What became of each weight: learned, fixed, hard, ..."""

    def __init__(self, model: LabelModel, described: Described) -> None:
        n_weights = len(described.names)
        self.start = _start(model)
        self.values = described.values
        self.is_learned = np.zeros(n_weights, dtype=bool)
        self.is_learned[model._objective.learned] = True
        self.is_fixed = np.zeros(n_weights, dtype=bool)
        self.is_expected = np.zeros(n_weights, dtype=bool)
        if model.graph_ is not None:
            weights = model.factors_.weights
            fixed = [isinstance(block.evidence.weight, Fixed) for block in weights.blocks]
            self.is_fixed = np.asarray(fixed, dtype=bool)[weights.block_of_weight]
            self.is_expected[model.graph_.expectations.weight] = True
        self.is_constant = np.zeros(n_weights, dtype=bool)
        for votes in map(_plain, model.votes_.values()):
            self.is_constant[votes.parts.weight[votes.is_constant[votes.parts.event]]] = True

    def of(self, weight: int) -> State:
        """What became of one weight."""
        if math.isinf(self.start[weight]):
            return "hard"
        if self.is_expected[weight]:
            return "expected"
        if self.is_fixed[weight]:
            return "fixed"
        if not self.is_learned[weight]:
            return "unused"
        if self.values[weight] == 0 and self.start[weight] != 0:
            return "held at 0"
        return "constant" if self.is_constant[weight] else "learned"


def _row(
    weight: int, described: Described, spoken: _Spoken, ties: Ties, states: _States
) -> EvidenceRow:
    reach = spoken.reach
    n, speaks = spoken.n_instances[weight], reach.speaks[weight]
    known = reach.known[weight] + ties.known[weight]
    correct = reach.correct[weight] + ties.correct[weight]
    functions = (*spoken.functions.get(weight, ()), *ties.functions.get(weight, ()))
    return EvidenceRow(
        name=described.names[weight],
        formula=described.formula(weight),
        origin=described.origin(weight).kind,
        functions=tuple(dict.fromkeys(functions)),
        labels=spoken.labels.get(weight, ()),
        coverage=_share(speaks, n),
        overlap=_share(reach.overlaps[weight], n),
        conflict=_share(reach.conflicts[weight], n),
        start=float(states.start[weight]),
        weight=float(described.values[weight]),
        error=float(described.errors[weight]),
        state=states.of(weight),
        implied_accuracy=_share(reach.right[weight], speaks),
        empirical_accuracy=_share(correct, known),
        n_gold=int(known),
        n_groundings=int(ties.n_factors[weight]),
        holds=_share(ties.expected[weight], ties.n_groundings[weight]),
    )


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else math.nan


def _start(model: LabelModel) -> Floats:
    """Where each weight started."""
    return model._objective.start if model.graph_ is None else model.graph_.weights


def _plain(votes: Votes) -> Votes:
    """The votes before sources that repeat each other were made into one."""
    return votes.plain if isinstance(votes, JoinedVotes) else votes


def _with_hard(model: LabelModel, name: str) -> Votes:
    """The votes on a label function, those of hard evidence too."""
    votes = _plain(model.votes_[name])
    graph = model.graph_
    if graph is None or graph.possible is None:
        return votes
    is_hard: Truths = np.isinf(graph.weights)
    variables = model.factors_.variables
    n_labels = len(variables.labels[name])
    low = variables.first_state[name]
    own = model.factors_.counts[low : low + votes.n_instances * n_labels]
    hard = sparse.csr_array(own @ sparse.diags_array(is_hard.astype(np.float64)))
    sources = np.arange(len(is_hard))
    return joined(votes, votes_of_counts(hard, n_labels, sources, count_alike=False))
