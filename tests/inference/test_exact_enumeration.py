"""Exact inference against enumeration at once: every assignment is a cell of one large array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tacit.errors import Contradiction
from tacit.graph import FactorGraph, GroupFactors
from tacit.inference.exact import solve_exact
from tacit.inference.potentials import LogPotentials, log_potentials
from tests.inference import cases
from tests.inference.cases import Shape


@dataclass(frozen=True)
class Enumerated:
    """What inference should find."""

    marginals: np.ndarray
    max_marginals: np.ndarray  # each variable's scaled to sum to one
    held: list[np.ndarray]  # for each block, by potential
    log_partition: float
    best_log_score: float


def all_at_once(graph: FactorGraph, potentials: LogPotentials) -> Enumerated:
    """Inference with one axis for each variable; for some 2^18 assignments."""
    shape = tuple(graph.sizes.tolist())
    log_score = np.zeros(shape)
    for variable in range(graph.n_variables):
        own = potentials.unary[graph.first_state[variable] : graph.first_state[variable + 1]]
        log_score += along(own, [variable], len(shape))
    holds = [truths(block, len(shape)) for block in graph.blocks]
    values = (*potentials.tables, *potentials.groups)
    for block, truth, value in zip(graph.blocks, holds, values, strict=True):
        for factor, one in enumerate(truth):
            worth = value[block.potential[factor]]
            log_score += np.where(one, *((0.0, -np.inf) if np.isinf(worth) else (worth, 0.0)))
    best = float(log_score.max())
    if best == -np.inf:
        return Enumerated(np.empty(0), np.empty(0), [], -np.inf, -np.inf)
    share = np.exp(log_score - best)
    total = share.sum()
    held = [np.zeros(len(value)) for value in values]
    for block, truth, sums in zip(graph.blocks, holds, held, strict=True):
        for factor, one in enumerate(truth):
            sums[block.potential[factor]] += (share * one).sum() / total
    return Enumerated(
        per_variable(share / total, np.sum),
        per_variable(share, np.max),
        held,
        best + float(np.log(total)),
        best,
    )


def along(values: np.ndarray, variables: list[int], n_axes: int) -> np.ndarray:
    """An array over some variables, with an axis of length one for each of the others."""
    order = np.argsort(variables)
    shape = np.ones(n_axes, dtype=int)
    shape[np.asarray(variables)[order]] = np.asarray(values.shape)[order]
    return values.transpose(order).reshape(shape)


def truths(block: object, n_axes: int) -> list[np.ndarray]:
    """For each factor of a block, where it holds."""
    if not isinstance(block, GroupFactors):
        return [along(block.truth, one.tolist(), n_axes) for one in block.variables]  # type: ignore[attr-defined]
    found = []
    for group in range(len(block)):
        members = range(block.first_member[group], block.first_member[group + 1])
        total = np.zeros((1,) * n_axes, dtype=int)
        for member in members:
            gain = block.gains[block.gain_of_member[member]]
            total = total + along(gain, [int(block.variable_of_member[member])], n_axes)
        found.append(block.holds[np.minimum(total, len(block.holds) - 1)])
    return found


def per_variable(values: np.ndarray, reduce: object) -> np.ndarray:
    """Sums or maxima over all variables but one, for each, scaled to sum to one."""
    found = []
    for axis in range(values.ndim):
        others = tuple(other for other in range(values.ndim) if other != axis)
        one = reduce(values, axis=others)  # type: ignore[operator]
        found.append(one / one.sum())
    return np.concatenate(found)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), binary=st.booleans(), hard=st.booleans())
@example(seed=99, binary=True, hard=False)  # 2^18 assignments, 43 factors
@example(seed=93, binary=False, hard=False)  # 2^18 assignments of mixed labels, 40 factors
def test_equals_enumeration_up_to_2_to_the_18(seed: int, binary: bool, hard: bool) -> None:
    shape = Shape(most_variables=18, most_factors=30, binary=binary, hard=hard)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cases, "MOST_ASSIGNMENTS", 2**18)
        graph = cases.random_graph(np.random.default_rng(seed), shape)
    potentials = log_potentials(graph)
    truth = all_at_once(graph, potentials)
    if truth.log_partition == -np.inf:
        with pytest.raises(Contradiction):
            solve_exact(graph, potentials)
        return
    found = solve_exact(graph, potentials)
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=0, atol=1e-9)
    for ours, theirs in zip((*found.tables, *found.groups), truth.held, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    best = solve_exact(graph, potentials, maximise=True)
    np.testing.assert_allclose(best.marginals, truth.max_marginals, rtol=0, atol=1e-9)
    np.testing.assert_allclose(best.log_partition, truth.best_log_score, rtol=0, atol=1e-9)
