"""Which variables hang together, by union-find over the factors' scopes."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Ints, Longs, Truths


@njit(cache=True)
def _root(parent: Ints, variable: int) -> int:
    while parent[variable] != variable:
        parent[variable] = parent[parent[variable]]
        variable = parent[variable]
    return variable


@njit(cache=True)
def join_tables(parent: Ints, variables: Ints) -> None:
    """Join the variables of each factor (factors, axes); roots are the lowest of their kind."""
    for factor in range(variables.shape[0]):
        first = _root(parent, variables[factor, 0])
        for axis in range(1, variables.shape[1]):
            other = _root(parent, variables[factor, axis])
            low, high = min(first, other), max(first, other)
            parent[high] = low
            first = low


@njit(cache=True)
def join_groups(parent: Ints, first_member: Longs, variable_of_member: Ints) -> None:
    """Join the members of each group."""
    for group in range(len(first_member) - 1):
        if first_member[group] == first_member[group + 1]:
            continue
        first = _root(parent, variable_of_member[first_member[group]])
        for member in range(first_member[group] + 1, first_member[group + 1]):
            other = _root(parent, variable_of_member[member])
            low, high = min(first, other), max(first, other)
            parent[high] = low
            first = low


@njit(cache=True)
def roots(parent: Ints) -> None:
    """Point every variable at its root."""
    for variable in range(len(parent)):
        parent[variable] = _root(parent, variable)


@njit(cache=True)
def count_factors(first_variable: Ints, of_variable: Ints, n_factors: Longs) -> bool:
    """Count the factors of each component; returns whether they lie in its order."""
    in_order, last = True, -1
    for factor in range(len(first_variable)):
        component = of_variable[first_variable[factor]]
        n_factors[component] += 1
        in_order &= component >= last
        last = component
    return in_order


@njit(cache=True)
def stretches(
    first_variable: Ints, of_variable: Ints, chunks: Longs, chunk: Longs, component: Ints
) -> int:
    """Where, along the factors, chunk or component changes; returns how often that is.

    The pairs are written as far as there is room.
    """
    found = 0
    for at in range(len(chunks)):
        last = -1
        for factor in range(chunks[at, 0], chunks[at, 1]):
            now = of_variable[first_variable[factor]]
            if now != last:
                if found < len(chunk):
                    chunk[found], component[found] = at, now
                found += 1
                last = now
    return found


@njit(cache=True)
def grow_forest(parent: Ints, order: Longs, first_end: Longs, ends: Ints, chosen: Truths) -> None:
    """Choose factors, in a given order, as long as they close no cycle; `chosen` is written.

    `ends` lists the variables of all factors, those of factor f from first_end[f] on.
    """
    seen_by = np.full(len(parent), -1, dtype=np.int64)
    for factor in order:
        low, high = first_end[factor], first_end[factor + 1]
        chosen[factor] = True
        for i in range(low, high):
            root = _root(parent, ends[i])
            if seen_by[root] == factor:
                chosen[factor] = False
                break
            seen_by[root] = factor
        if chosen[factor]:
            for i in range(low + 1, high):
                parent[_root(parent, ends[i])] = _root(parent, ends[low])
