"""The order of factors: by their first variable, so that inference walks through memory once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Ints, Longs
from tacit.grounding import TableBlock


def in_order(block: TableBlock, n_variables: int) -> TableBlock:
    """A block with its factors ordered by their first variables; grounding orders them already."""
    first = block.variables[:, 0]
    if is_ordered(first):
        return block
    order = counting_order(first, n_variables)
    return replace(
        block,
        variables=block.variables[order],
        weight=block.weight[order],
        count=block.count[order],
    )


@njit(cache=True)
def is_ordered(keys: Ints) -> bool:
    """Whether no key is smaller than the one before it."""
    n_steps_down = 0
    for i in range(1, len(keys)):
        n_steps_down += keys[i] < keys[i - 1]
    return n_steps_down == 0


@njit(cache=True)
def counting_order(keys: Ints, n_keys: int) -> Longs:
    """The places of keys from 0 to n_keys in ascending order, equal ones as they come."""
    place = np.zeros(n_keys + 1, dtype=np.int64)
    for key in keys:
        place[key + 1] += 1
    for key in range(n_keys):
        place[key + 1] += place[key]
    order = np.empty(len(keys), dtype=np.int64)
    for i in range(len(keys)):
        order[place[keys[i]]] = i
        place[keys[i]] += 1
    return order
