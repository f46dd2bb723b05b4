"""Gibbs sampling by definition: conditional distributions, trees and diagnostics."""

from __future__ import annotations

from itertools import product
from math import exp, inf

import numpy as np
from numpy.typing import NDArray

from tacit.graph import FactorGraph
from tests.oracles.inference import score

Floats = NDArray[np.float64]


def conditional(
    graph: FactorGraph, states: tuple[int, ...], chosen: list[int]
) -> dict[tuple[int, ...], float]:
    """The distribution of some variables' states, all others being as they are."""
    shares = {}
    for some in product(*(range(graph.sizes[variable]) for variable in chosen)):
        changed = list(states)
        for variable, state in zip(chosen, some, strict=True):
            changed[variable] = state
        log_score = score(graph, graph.weights, np.zeros(graph.n_states), tuple(changed))[0]
        shares[some] = exp(log_score) if log_score > -inf else 0.0
    total = sum(shares.values())
    return {some: share / total for some, share in shares.items()}


def scopes(graph: FactorGraph) -> tuple[list[set[int]], list[set[int]]]:
    """The variables of every table factor, and of every group."""
    tables = [set(row.tolist()) for block in graph.tables for row in block.variables]
    groups = [
        set(block.variable_of_member[first:last].tolist())
        for block in graph.groups
        for first, last in zip(block.first_member[:-1], block.first_member[1:], strict=True)
    ]
    return tables, groups


def is_tree(graph: FactorGraph, members: set[int], *, loose: bool = False) -> bool:
    """Whether variables are tied in pairs and without cycles, all others being kept."""
    tables, groups = scopes(graph)
    if any(len(scope & members) > 2 for scope in tables):
        return False
    if not loose and any(len(scope & members) > 1 for scope in groups):
        return False
    pairs = {frozenset(scope & members) for scope in tables if len(scope & members) == 2}
    reached = {min(members)}
    while new := {v for pair in pairs if pair & reached for v in pair} - reached:
        reached |= new
    return reached == members and len(pairs) == len(members) - 1


def split_r_hat(draws: Floats) -> float:
    """R-hat of draws (chains, draws), every chain split into halves."""
    halves = np.concatenate(np.split(draws, 2, axis=1))
    n = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean()
    between = n * halves.mean(axis=1).var(ddof=1)
    return float(np.sqrt(((n - 1) / n * within + between / n) / within))


def standard_error(draws: Floats, n_batches: int) -> float:
    """Of the mean of all draws: by means of batches or of halves, whichever is greater."""
    errors = []
    for n in (n_batches, 2):
        means = np.concatenate(np.split(draws, n, axis=1)).mean(axis=1)
        errors.append(means.std(ddof=1) / np.sqrt(len(means)))
    return float(max(errors))
