"""Forests: parts of a graph without cycles that together hold every factor."""

from __future__ import annotations

import numpy as np

from tacit.graph import FactorGraph, GroupFactors
from tacit.graph.factor_graph import Ints, Longs, Truths
from tacit.inference.kernels.components import grow_forest


def forests(graph: FactorGraph, at_least: int, rng: np.random.Generator) -> list[Truths]:
    """Random forests, as masks over all the factors, until each factor is in one of them.

    Factors that few forests hold so far are taken first, so that the shares come out even.
    """
    first_end, ends = scopes(graph)
    n_factors = len(first_end) - 1
    times = np.zeros(n_factors, dtype=np.int64)
    found: list[Truths] = []
    while len(found) < at_least or not times.all():
        order = np.lexsort((rng.random(n_factors), times))
        parent = np.arange(graph.n_variables, dtype=np.int32)
        chosen = np.zeros(n_factors, dtype=bool)
        grow_forest(parent, order, first_end, ends, chosen)
        times += chosen
        found.append(chosen)
    return found


def scopes(graph: FactorGraph) -> tuple[Longs, Ints]:
    """The variables of every factor, block after block, and where each factor's begin."""
    sizes: list[Longs] = [np.zeros(1, dtype=np.int64)]
    ends: list[Ints] = [np.empty(0, dtype=np.int32)]
    for block in graph.blocks:
        if isinstance(block, GroupFactors):
            sizes.append(np.diff(block.first_member))
            ends.append(block.variable_of_member)
        else:
            sizes.append(np.full(len(block), block.variables.shape[1], dtype=np.int64))
            ends.append(block.variables.reshape(-1))
    return np.cumsum(np.concatenate(sizes)), np.concatenate(ends)
