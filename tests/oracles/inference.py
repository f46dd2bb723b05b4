"""Inference by definition: every assignment of states is visited and weighed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from tacit.graph import FactorGraph

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Enumerated:
    """What inference should find."""

    marginals: Floats  # by state, variable after variable
    expected_counts: Floats  # by weight, of the weights that are not hard
    log_partition: float
    best: tuple[int, ...]  # an assignment of the greatest probability
    best_log_score: float


def enumerate_all(
    graph: FactorGraph, weights: Floats | None = None, log_unary: Floats | None = None
) -> Enumerated:
    """Sum over all assignments; for graphs of a few thousand assignments at most."""
    weights = graph.weights if weights is None else weights
    extra = np.zeros(graph.n_states) if log_unary is None else log_unary
    scored = [(states, *score(graph, weights, extra, states)) for states in assignments(graph)]
    best, best_log_score, _ = max(scored, key=lambda one: one[1])
    marginals = np.zeros(graph.n_states)
    expected = np.zeros(graph.n_weights)
    total = 0.0
    if best_log_score == -inf:
        return Enumerated(marginals, expected, -inf, best, -inf)
    for states, log_score, counts in scored:
        share = exp(log_score - best_log_score)
        total += share
        for variable, state in enumerate(states):
            marginals[graph.first_state[variable] + state] += share
        expected += share * counts
    log_partition = best_log_score + log(total)
    return Enumerated(marginals / total, expected / total, log_partition, best, best_log_score)


def assignments(graph: FactorGraph) -> Iterator[tuple[int, ...]]:
    """Every way to give each variable a state."""
    return product(*(range(size) for size in graph.sizes.tolist()))


def score(
    graph: FactorGraph, weights: Floats, log_unary: Floats, states: tuple[int, ...]
) -> tuple[float, Floats]:
    """The log of an assignment's unnormalised probability, and how often each weight holds."""
    counts = np.zeros(graph.n_weights)
    total = 0.0
    at = [int(graph.first_state[variable]) + state for variable, state in enumerate(states)]
    for state in at:
        total += log_unary[state]
        if graph.possible is not None and not graph.possible[state]:
            total = -inf
    dense = graph.counts.toarray()
    for state in at:
        counts += dense[state]
    for weight, holds, count in joint(graph, states):
        if np.isinf(weights[weight]):
            total = total if holds else -inf
        elif holds:
            counts[weight] += count
    soft = np.isfinite(weights)
    return total + float(counts[soft] @ weights[soft]), counts


def joint(graph: FactorGraph, states: tuple[int, ...]) -> Iterator[tuple[int, bool, float]]:
    """For each factor over several variables: its weight, whether it holds, and its count."""
    for block in graph.tables:
        for factor in range(len(block)):
            cell = tuple(states[variable] for variable in block.variables[factor])
            yield *_worth(block, factor, bool(block.truth[cell])), float(_count(block, factor))
    for groups in graph.groups:
        for group in range(len(groups)):
            members = range(groups.first_member[group], groups.first_member[group + 1])
            total = sum(
                int(groups.gains[groups.gain_of_member[m]][states[groups.variable_of_member[m]]])
                for m in members
            )
            holds = bool(groups.holds[min(total, len(groups.holds) - 1)])
            yield *_worth(groups, group, holds), float(_count(groups, group))


def _worth(block, factor: int, holds: bool) -> tuple[int, bool]:  # type: ignore[no-untyped-def]
    return int(block.potentials.weight[block.potential[factor]]), holds


def _count(block, factor: int) -> float:  # type: ignore[no-untyped-def]
    return block.potentials.count[block.potential[factor]]  # type: ignore[no-any-return]
