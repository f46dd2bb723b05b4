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
def mark(variables: Ints, touched: Truths) -> None:
    """Mark the variables that factors have."""
    for variable in variables:
        touched[variable] = True


@njit(cache=True)
def number(parent: Ints, touched: Truths) -> int:
    """Number the components in the order of their lowest variables; returns how many there are.

    The numbers take the place of parents, with -1 for variables that no factor has. Until all are
    known, they are written as negative numbers, which no parent is.
    """
    found, none = 0, -len(parent) - 1
    for variable in range(len(parent)):
        if parent[variable] != variable:  # but lower, and so it has its number
            parent[variable] = parent[parent[variable]]
        elif touched[variable]:
            parent[variable] = -found - 1
            found += 1
        else:
            parent[variable] = none
    for variable in range(len(parent)):
        parent[variable] = -1 if parent[variable] == none else -parent[variable] - 1
    return found


@njit(cache=True)
def count_variables(of_variable: Ints, n_variables: Longs) -> None:
    """Count the variables of each component."""
    for component in of_variable:
        if component >= 0:
            n_variables[component] += 1


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
def _count_ends(ends: Ints, times: Ints, most: int) -> int:
    """Count how often numbers occur, up to a most; returns how often the most frequent does."""
    highest = 0
    for factor in range(ends.shape[0]):
        for end in range(2):
            at = ends[factor, end]
            if times[at] < most:
                times[at] += 1
                highest = max(highest, times[at])
    return highest


@njit(cache=True)
def most_frequent(ends: Ints, n_numbers: int) -> int:
    """How often the number occurs that occurs most often in (factors, 2)."""
    few = _count_ends(ends, np.zeros(n_numbers, dtype=np.uint8), 255)  # nearly always enough
    return few if few < 255 else _count_ends(ends, np.zeros(n_numbers, dtype=np.int32), 2**31 - 1)


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
