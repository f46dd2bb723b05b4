"""Exact inference on large graphs, against closed forms."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from tacit.errors import TooLarge
from tacit.graph import FactorGraph, build_graph
from tacit.grounding import GroupBlock, TableBlock
from tacit.inference.exact import ExactConfig, exact_plan, run_exact, solve_exact
from tacit.inference.potentials import log_potentials

N = 100_000


def agreeing(n: int, pairs: np.ndarray, weight: float, n_states: int = 2) -> FactorGraph:
    """Variables that agree in pairs, with one weight for all."""
    one = np.ones(len(pairs))
    truth = np.eye(n_states, dtype=bool)
    block = TableBlock(
        ("y", "y"), truth, pairs.astype(np.int32), np.zeros(len(pairs), dtype=np.int32), one
    )
    return build_graph(np.full(n, n_states), weights=[weight], tables=[block])


def counting(n: int, quantifier: str, limit: int, weight: float) -> FactorGraph:
    """One group over n binary variables: how many are in state 1."""
    block = GroupBlock(
        quantifier=quantifier,  # type: ignore[arg-type]
        limit=limit,
        first_member=np.array([0, n]),
        variable_of_member=np.arange(n, dtype=np.int32),
        set_of_member=np.zeros(n, dtype=np.int32),
        state_sets=(np.array([False, True]),),
        weight=np.zeros(1, dtype=np.int32),
        count=np.ones(1),
    )
    return build_graph(np.full(n, 2), weights=[weight], groups=[block])


def chain(n: int) -> np.ndarray:
    return np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)


def binary(log_odds: np.ndarray) -> np.ndarray:
    """Unary potentials of binary variables."""
    return np.stack([np.zeros_like(log_odds), log_odds], axis=1).reshape(-1)


def test_a_chain() -> None:
    weight = 0.8
    graph = agreeing(N, chain(N), weight)
    log_odds = np.zeros(N)
    log_odds[0] = -np.inf
    found = solve_exact(graph, log_potentials(graph, log_unary=binary(log_odds)))
    same = 0.5 * (1 + np.tanh(weight / 2) ** np.arange(N))
    np.testing.assert_allclose(found.marginals[::2], same, atol=1e-12)
    np.testing.assert_allclose(found.tables[0], [(N - 1) * expit(weight)], rtol=1e-12)
    np.testing.assert_allclose(found.log_partition, (N - 1) * np.logaddexp(0, weight), rtol=1e-14)


def test_a_chain_of_large_weights() -> None:
    for weight, other_end in ((1e4, 1.0), (-1e4, float(N % 2))):
        graph = agreeing(N, chain(N), weight)
        log_odds = np.zeros(N)
        log_odds[0] = 50.0
        potentials = log_potentials(graph, log_unary=binary(log_odds))
        found = solve_exact(graph, potentials)
        held = (N - 1) * (weight > 0)
        np.testing.assert_allclose(found.marginals[1], expit(50.0), atol=1e-15)
        np.testing.assert_allclose(found.marginals[-1], other_end, atol=1e-12)
        np.testing.assert_allclose(found.log_partition, held * weight + 50.0, rtol=1e-15)
        best = solve_exact(graph, potentials, maximise=True)
        assert best.best is not None
        np.testing.assert_array_equal(best.best[:3], [1, weight > 0, 1])
        np.testing.assert_allclose(best.tables[0], [held])


def test_a_hub_with_many_neighbours() -> None:
    weight = 1.3
    log_odds = np.random.default_rng(0).normal(size=N + 1)
    graph = agreeing(N + 1, np.stack([np.zeros(N, int), np.arange(1, N + 1)], axis=1), weight)
    found = solve_exact(graph, log_potentials(graph, log_unary=binary(log_odds)))
    leaves = log_odds[1:]
    zero = np.logaddexp(weight, leaves).sum()
    one = np.logaddexp(0, weight + leaves).sum() + log_odds[0]
    hub = expit(one - zero)
    np.testing.assert_allclose(found.log_partition, np.logaddexp(zero, one), rtol=1e-13)
    np.testing.assert_allclose(found.marginals[1], hub, atol=1e-9)
    expected = hub * expit(leaves + weight) + (1 - hub) * expit(leaves - weight)
    np.testing.assert_allclose(found.marginals[3::2], expected, atol=1e-9)


def test_at_least_one_of_many() -> None:
    weight = 3.0
    share = np.random.default_rng(0).uniform(0, 2e-5, N)
    graph = counting(N, "atleast", 1, weight)
    log_odds = np.log(share) - np.log1p(-share)
    found = solve_exact(graph, log_potentials(graph, log_unary=binary(log_odds)))
    none = np.exp(np.log1p(-share).sum())
    total = np.exp(weight) * (1 - none) + none
    np.testing.assert_allclose(found.marginals[1::2], share * np.exp(weight) / total, rtol=1e-9)
    np.testing.assert_allclose(found.groups[0], [np.exp(weight) * (1 - none) / total], rtol=1e-9)
    log_partition = np.log(total) - np.log1p(-share).sum()
    np.testing.assert_allclose(found.log_partition, log_partition, rtol=1e-10)


def test_exactly_two_of_many() -> None:
    log_odds = np.random.default_rng(0).normal(size=N)
    graph = counting(N, "exactly", 2, np.inf)
    found = solve_exact(graph, log_potentials(graph, log_unary=binary(log_odds)))
    odds = np.exp(log_odds)
    pairs = (odds.sum() ** 2 - (odds**2).sum()) / 2
    np.testing.assert_allclose(found.log_partition, np.log(pairs), rtol=1e-10)
    marginals = odds * (odds.sum() - odds) / pairs
    # on the way up, sums beyond two weigh e^90,000 times as much as two: that costs some digits
    np.testing.assert_allclose(found.marginals[1::2], marginals, rtol=1e-8)
    np.testing.assert_allclose(found.groups[0], [1.0], rtol=1e-12)
    best = solve_exact(graph, log_potentials(graph, log_unary=binary(log_odds)), maximise=True)
    assert best.best is not None
    assert set(np.flatnonzero(best.best).tolist()) == set(np.argsort(log_odds)[-2:].tolist())


def test_counting_far() -> None:
    n, limit = 600, 40
    graph = counting(n, "atmost", limit, np.inf)
    found = solve_exact(graph, log_potentials(graph))
    log_ways = np.array([log(comb(n, k)) for k in range(limit + 1)])
    np.testing.assert_allclose(found.log_partition, logsumexp(log_ways), rtol=1e-12)
    share = np.exp(log_ways - logsumexp(log_ways))
    np.testing.assert_allclose(found.marginals[1::2], share @ np.arange(limit + 1) / n, atol=1e-12)


def test_counting_too_far_is_refused_at_once() -> None:
    graph = counting(N, "atleast", N // 2, 1.0)
    plan = exact_plan(graph)
    assert plan.too_large.sum() > N // 4
    assert plan.needed_states == 2 * (N // 2 + 1) ** 2
    with pytest.raises(TooLarge, match=r"5e\+09 states"):
        run_exact(plan, log_potentials(graph))


def test_many_triangles() -> None:
    weight = -0.7
    first = np.arange(0, 3 * N, 3)
    sides = np.concatenate(
        [np.stack([first + a, first + b], 1) for a, b in ((0, 1), (1, 2), (0, 2))]
    )
    graph = agreeing(3 * N, sides, weight)
    unary = np.random.default_rng(0).normal(size=(N, 3, 2))
    found = solve_exact(graph, log_potentials(graph, log_unary=unary.reshape(-1)))
    agree = weight * np.eye(2)
    scores = unary[:, 0, :, None, None] + unary[:, 1, None, :, None] + unary[:, 2, None, None, :]
    scores = scores + agree[:, :, None] + agree[None, :, :] + agree[:, None, :]
    log_partition = logsumexp(scores, axis=(1, 2, 3))
    share = np.exp(scores - log_partition[:, None, None, None])
    marginals = np.stack([share.sum((2, 3)), share.sum((1, 3)), share.sum((1, 2))], axis=1)
    np.testing.assert_allclose(found.log_partition, log_partition.sum(), rtol=1e-13)
    np.testing.assert_allclose(found.marginals, marginals.reshape(-1), atol=1e-12)


def test_a_long_grid() -> None:
    height, width, weight = 5, 2_000, 0.6
    place = np.arange(height * width).reshape(width, height)
    down = np.stack([place[:, :-1].ravel(), place[:, 1:].ravel()], axis=1)
    right = np.stack([place[:-1].ravel(), place[1:].ravel()], axis=1)
    graph = agreeing(height * width, np.concatenate([down, right]), weight)
    unary = np.random.default_rng(0).normal(size=(width, height, 2))
    found = solve_exact(graph, log_potentials(graph, log_unary=unary.reshape(-1)))
    columns = np.array(list(np.ndindex((2,) * height)))  # the states of one column
    inside = weight * (columns[:, 1:] == columns[:, :-1]).sum(1)
    across = weight * (columns[:, None, :] == columns[None, :, :]).sum(2)
    own = unary[:, np.arange(height), columns].sum(2) + inside
    forward = own[0]
    for column in own[1:]:
        forward = column + logsumexp(forward[:, None] + across, axis=0)
    np.testing.assert_allclose(found.log_partition, logsumexp(forward), rtol=1e-13)
    last = np.exp(forward - logsumexp(forward)) @ columns
    np.testing.assert_allclose(found.marginals.reshape(width, height, 2)[-1, :, 1], last, atol=1e-9)


def test_complete_graphs_of_eighteen() -> None:
    n, copies, weight = 18, 3, -0.2
    pairs = np.array([(i, j) for i in range(n) for j in range(i)])
    pairs = np.concatenate([pairs + n * copy for copy in range(copies)])
    graph = agreeing(n * copies, pairs, weight)
    found = solve_exact(graph, log_potentials(graph))
    together = [comb(k, 2) + comb(n - k, 2) for k in range(n + 1)]
    each = logsumexp([np.log(comb(n, k)) + weight * t for k, t in enumerate(together)])
    np.testing.assert_allclose(found.log_partition, copies * each, rtol=1e-13)
    np.testing.assert_allclose(found.marginals, 0.5, atol=1e-12)


def test_many_satellites_of_a_few_hubs() -> None:
    """A thousand messages over the same two hubs are gathered before a large table reads them."""
    rng, n_hubs, weight = np.random.default_rng(0), 12, 0.4
    hubs = np.array([rng.permutation(n_hubs)[:2] for _ in range(30_000)])
    satellite = n_hubs + np.arange(len(hubs))
    pairs = np.concatenate([np.stack([hubs[:, i], satellite], axis=1) for i in (0, 1)])
    graph = agreeing(n_hubs + len(hubs), pairs, weight)
    found = solve_exact(graph, log_potentials(graph))
    states = np.array(list(np.ndindex((2,) * n_hubs)))
    log_score = np.zeros(len(states))
    between, count = np.unique(np.sort(hubs), axis=0, return_counts=True)
    for (a, b), times in zip(between.tolist(), count.tolist(), strict=True):
        same = states[:, a] == states[:, b]
        log_score += times * np.where(same, np.logaddexp(0, 2 * weight), np.log(2) + weight)
    np.testing.assert_allclose(found.log_partition, logsumexp(log_score), rtol=1e-13)


def test_a_forest_of_many_states() -> None:
    """A leaf goes first whatever its size, so a tree never has a table of three variables."""
    rng, n, weight = np.random.default_rng(0), 2_000, 0.9
    child = np.arange(1, n)
    parent = (rng.random(n - 1) * child).astype(int)
    graph = agreeing(n, np.stack([child, parent], axis=1), weight, n_states=7)
    plan = exact_plan(graph, ExactConfig(max_table_states=49))
    found = run_exact(plan, log_potentials(graph))
    log_partition = np.log(7) + (n - 1) * np.log(6 + np.exp(weight))
    np.testing.assert_allclose(found.log_partition, log_partition, rtol=1e-13)
