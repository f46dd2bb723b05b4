"""Blocks of factors in one line each, for tests that build their own graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from tacit.graph import FactorGraph
from tacit.grounding import GroupBlock, TableBlock

SAME = np.eye(2, dtype=bool)


def ties(variables: Any, truth: Any = SAME, *, weight: Any = 0, count: Any = 1.0) -> TableBlock:
    """Factors over several variables; that two binary ones agree, unless told."""
    truth = np.asarray(truth, dtype=bool)
    variables = np.asarray(variables, dtype=np.int32).reshape(-1, truth.ndim)
    n = len(variables)
    return TableBlock(
        functions=("y",) * truth.ndim,
        truth=truth,
        variables=variables,
        weight=np.broadcast_to(np.asarray(weight, dtype=np.int32), n).copy(),
        count=np.broadcast_to(np.asarray(count, dtype=np.float64), n).copy(),
    )


def sets(
    quantifier: Any,
    limit: int,
    groups: Sequence[Sequence[int]],
    state_sets: Any = ((False, True),),
    kinds: Sequence[Sequence[int]] | None = None,
    *,
    weight: Any = 0,
    count: Any = 1.0,
) -> GroupBlock:
    """Groups of variables that count; each member counts in its second state, unless told."""
    sizes = [len(group) for group in groups]
    n_members, n = sum(sizes), len(groups)
    members = [np.asarray(group, dtype=np.int32) for group in groups]
    kind = [np.asarray(one, dtype=np.int32) for one in kinds or [[0] * size for size in sizes]]
    return GroupBlock(
        quantifier=quantifier,
        limit=limit,
        first_member=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        variable_of_member=np.concatenate([np.empty(0, np.int32), *members]),
        set_of_member=np.concatenate([np.empty(0, np.int32), *kind])[:n_members],
        state_sets=tuple(np.asarray(one, dtype=bool) for one in state_sets),
        weight=np.broadcast_to(np.asarray(weight, dtype=np.int32), n).copy(),
        count=np.broadcast_to(np.asarray(count, dtype=np.float64), n).copy(),
    )


def unary(n_states: int, entries: dict[tuple[int, int], float], n_weights: int) -> Any:
    """A count matrix from its entries (state, weight)."""
    state, weight = np.array(list(entries), dtype=np.int64).reshape(-1, 2).T
    values = np.array(list(entries.values()), dtype=np.float64)
    return sparse.csr_array((values, (state, weight)), shape=(n_states, n_weights))


def assert_distributions(graph: FactorGraph, by_state: np.ndarray) -> None:
    """Each variable's probabilities are finite, not negative, and sum to one."""
    assert by_state.shape == (graph.n_states,)
    assert np.isfinite(by_state).all()
    assert (by_state >= 0).all()
    if graph.n_variables:
        sums = np.add.reduceat(by_state, graph.first_state[:-1])
        np.testing.assert_allclose(sums, 1.0, rtol=0, atol=1e-9)
