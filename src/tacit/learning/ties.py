"""Evidence that ties several labels, and expected shares: how many groundings, how many hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacit.graph import FactorGraph, GroupFactors, TableFactors
from tacit.graph.factor_graph import Floats, Longs, Truths

if TYPE_CHECKING:
    from tacit.learning.label_model import LabelModel


@dataclass(frozen=True, slots=True)
class Ties:
    """Arrays by weight."""

    n_factors: Floats  # distinct groundings
    n_groundings: Floats  # what they count for
    expected: Floats  # how much of that holds
    known: Floats  # groundings whose true labels are all known
    correct: Floats  # those of them that hold
    functions: Mapping[int, tuple[str, ...]]  # the label functions that are tied


def ties_of(model: LabelModel, gold: Mapping[str, Longs]) -> Ties:
    """The groundings over several labels of each weight, and those of expected shares."""
    graph, beliefs = model.graph_, model.beliefs_
    n_weights = len(model.weight_names_)
    n_factors, n_groundings, known, correct = np.zeros((4, n_weights))
    expected = np.zeros(n_weights)
    functions: dict[int, tuple[str, ...]] = {}
    if graph is None or beliefs is None:
        return Ties(n_factors, n_groundings, expected, known, correct, functions)
    labels = np.concatenate([gold[span.name] for span in graph.spans])
    for block in graph.blocks:
        weight = block.potentials.weight[block.potential]
        n_of_potential = np.bincount(block.potential, minlength=len(block.potentials))
        n_factors += np.bincount(weight, minlength=n_weights)
        n_groundings += block.potentials.total(n_of_potential.astype(np.float64), n_weights)
        can_tell, holds = _true(block, labels)
        known += np.bincount(weight, can_tell, minlength=n_weights)
        correct += np.bincount(weight, can_tell & holds, minlength=n_weights)
        tied = _functions(graph, block)
        for one in np.unique(weight).tolist():
            functions[one] = tuple(dict.fromkeys((*functions.get(one, ()), *tied)))
    expected += beliefs.expected_counts - graph.counts.T @ beliefs.by_state
    hard = np.isinf(graph.weights)
    expected[hard] = n_groundings[hard]
    asked = graph.expectations
    n_factors[asked.weight] = n_groundings[asked.weight] = asked.n_groundings
    expected[asked.weight] = beliefs.expected_counts[asked.weight]
    return Ties(n_factors, n_groundings, expected, known, correct, functions)


def _functions(graph: FactorGraph, block: TableFactors | GroupFactors) -> list[str]:
    """The label functions whose variables a block ties."""
    own = block.variables if isinstance(block, TableFactors) else block.variable_of_member
    ends = [span.first_variable + span.n_variables for span in graph.spans]
    return [graph.spans[at].name for at in np.unique(np.searchsorted(ends, own, side="right"))]


def _true(block: TableFactors | GroupFactors, labels: Longs) -> tuple[Truths, Truths]:
    """Which factors have known labels only, and which of those hold."""
    if isinstance(block, TableFactors):
        found = labels[block.variables]
        can_tell = np.asarray((found >= 0).all(axis=1))
        return can_tell, np.asarray(block.truth[tuple(np.maximum(found, 0).T)])
    found = labels[block.variable_of_member]
    gains = np.zeros(len(found), dtype=np.int64)
    for kind, gain in enumerate(block.gains):
        own = block.gain_of_member == kind
        gains[own] = gain[np.maximum(found[own], 0)]
    begins = block.first_member[:-1]
    n_unknown: Longs = np.add.reduceat((found < 0).astype(np.int64), begins)
    sums = np.minimum(np.add.reduceat(gains, begins), len(block.holds) - 1)
    return n_unknown == 0, np.asarray(block.holds[sums])
