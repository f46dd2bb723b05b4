"""Scores: what one assignment of states is worth, and what holds under it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.graph import FactorGraph, GroupFactors, TableFactors
from tacit.graph.factor_graph import Floats, Ints, Truths
from tacit.inference.potentials import LogPotentials
from tacit.inference.solution import Solution


def at_best(
    graph: FactorGraph, potentials: LogPotentials, best: Ints, solution: Solution
) -> Solution:
    """A solution told by one assignment: its score, and what holds under it."""
    total = float(potentials.unary[graph.first_state[:-1] + best].sum())
    counted: list[Floats] = []
    for block, values in zip(graph.blocks, potentials.blocks, strict=True):
        true = holds(block, best)
        counted.append(np.bincount(block.potential[true], minlength=len(values)).astype(np.float64))
        hard = np.isinf(values)
        total += float(np.where(hard, 0.0, values) @ counted[-1])
        if hard.any() and hard[block.potential[~true]].any():
            total = -np.inf
    n_tables = len(graph.tables)
    return replace(
        solution,
        best=best,
        log_partition=total,
        tables=tuple(counted[:n_tables]),
        groups=tuple(counted[n_tables:]),
    )


def holds(block: TableFactors | GroupFactors, states: Ints) -> Truths:
    """Which factors of a block hold under an assignment."""
    if isinstance(block, TableFactors):
        return np.asarray(block.truth[tuple(states[block.variables].T)])
    widest = max(map(len, block.gains))
    gains = np.stack([np.pad(gain, (0, widest - len(gain))) for gain in block.gains])
    gained = gains[block.gain_of_member, states[block.variable_of_member]].astype(np.int64)
    running = np.concatenate([[0], np.cumsum(gained)])
    total = running[block.first_member[1:]] - running[block.first_member[:-1]]
    return np.asarray(block.holds[np.minimum(total, len(block.holds) - 1)])


def most_likely(graph: FactorGraph, marginals: Floats) -> Ints:
    """The state of the greatest probability for each variable; the first of several."""
    if not graph.n_variables:
        return np.empty(0, dtype=np.int32)
    first = graph.first_state[:-1]
    highest = np.maximum.reduceat(marginals, first)
    is_best = marginals == np.repeat(highest, graph.sizes)
    place = np.where(is_best, np.arange(graph.n_states), graph.n_states)
    return (np.minimum.reduceat(place, first) - first).astype(np.int32)


def log_sums(graph: FactorGraph, log_unary: Floats) -> Floats:
    """The log of each variable's sum of unary potentials."""
    if not graph.n_variables:
        return np.empty(0)
    first = graph.first_state[:-1]
    high = np.maximum.reduceat(log_unary, first)
    return high + np.log(np.add.reduceat(np.exp(log_unary - np.repeat(high, graph.sizes)), first))
