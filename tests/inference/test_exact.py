"""Exact inference against enumeration, on random graphs of every kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import BadInput, Contradiction, TooLarge
from tacit.graph import FactorGraph, build_graph
from tacit.grounding import TableBlock
from tacit.inference.exact import ExactConfig, exact_plan, run_exact, sample_exact, solve_exact
from tacit.inference.potentials import LogPotentials, log_potentials
from tacit.inference.solution import Solution
from tests.inference import cases
from tests.inference.blocks import ties
from tests.inference.cases import Shape, graphs
from tests.oracles.inference import enumerate_all, score

SHAPES = st.sampled_from(
    [
        Shape(),
        Shape(hard=True),
        Shape(largest=1e4, hard=True),
        Shape(most_states=6, most_factors=12),
        Shape(binary=True, groups=False),
        Shape(tree=True),
    ]
)


def counts_by_weight(graph: FactorGraph, solution: Solution) -> np.ndarray:
    """How often each weight holds, expected: on single labels and over several."""
    total = graph.counts.T @ solution.marginals
    for block, held in zip(graph.blocks, (*solution.tables, *solution.groups), strict=True):
        total = total + block.potentials.total(held, graph.n_weights)
    return np.asarray(total)


def pair_graph(n: int, pairs: object, *, weight: float = 1.0, truth: object = None) -> FactorGraph:
    """Binary variables, and one formula on pairs of them: that they agree, unless told."""
    truth = np.eye(2, dtype=bool) if truth is None else np.asarray(truth, dtype=bool)
    variables = np.asarray(pairs, dtype=np.int32).reshape(-1, 2)
    n_pairs = len(variables)
    block = TableBlock(
        ("y", "y"), truth, variables, np.zeros(n_pairs, dtype=np.int32), np.ones(n_pairs)
    )
    return build_graph(np.full(n, 2), weights=[weight], tables=[block])


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_equals_enumeration(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    truth = enumerate_all(graph)
    if truth.log_partition == -np.inf:
        with pytest.raises(Contradiction, match=r"instance|no labels can satisfy"):
            solve_exact(graph, log_potentials(graph))
        return
    found = solve_exact(graph, log_potentials(graph))
    soft = np.isfinite(graph.weights)
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=1e-13, atol=1e-9)
    expected = counts_by_weight(graph, found)
    np.testing.assert_allclose(expected[soft], truth.expected_counts[soft], rtol=0, atol=1e-9)
    assert (found.meaning, found.best, found.converged) == ("exact", None, True)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_finds_a_best_assignment(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    truth = enumerate_all(graph)
    if truth.log_partition == -np.inf:
        with pytest.raises(Contradiction):
            solve_exact(graph, log_potentials(graph), maximise=True)
        return
    found = solve_exact(graph, log_potentials(graph), maximise=True)
    assert found.best is not None
    nothing = np.zeros(graph.n_states)
    best, counts = score(graph, graph.weights, nothing, tuple(found.best.tolist()))
    np.testing.assert_allclose(best, truth.best_log_score, rtol=1e-13, atol=1e-9)
    np.testing.assert_allclose(found.log_partition, best, rtol=1e-13, atol=1e-9)
    chosen = np.zeros(graph.n_states)
    chosen[graph.first_state[:-1] + found.best] = 1.0
    held = counts_by_weight(graph, replace(found, marginals=chosen))
    soft = np.isfinite(graph.weights)
    np.testing.assert_allclose(held[soft], counts[soft], atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(graphs(Shape(hard=True)), st.integers(0, 2**32 - 1))
def test_one_plan_serves_any_weights(graph: FactorGraph, seed: int) -> None:
    plan = exact_plan(graph)
    rng = np.random.default_rng(seed)
    for _ in range(2):
        weights = np.where(np.isinf(graph.weights), np.inf, rng.normal(size=graph.n_weights))
        log_unary = rng.normal(size=graph.n_states)
        truth = enumerate_all(graph, weights, log_unary)
        if truth.log_partition > -np.inf:
            found = run_exact(plan, log_potentials(graph, weights, log_unary))
            np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(0, 2**32 - 1))
def test_relabelling_variables_permutes_the_result(graph: FactorGraph, seed: int) -> None:
    place = np.random.default_rng(seed).permutation(graph.n_variables).astype(np.int32)
    sizes = np.empty_like(graph.sizes)
    sizes[place] = graph.sizes
    moved = build_graph(sizes, weights=graph.weights)
    of_state = np.repeat(np.arange(graph.n_variables), graph.sizes)
    at = (
        moved.first_state[place[of_state]] + np.arange(graph.n_states) - graph.first_state[of_state]
    )
    moved = replace(
        moved,
        tables=tuple(replace(b, variables=place[b.variables]) for b in graph.tables),
        groups=tuple(
            replace(b, variable_of_member=place[b.variable_of_member]) for b in graph.groups
        ),
    )
    there = log_potentials(graph)
    unary = np.empty_like(there.unary)
    unary[at] = there.unary
    here = LogPotentials(unary, there.tables, there.groups)
    one, other = solve_exact(graph, there), solve_exact(moved, here)
    np.testing.assert_allclose(other.marginals[at], one.marginals, rtol=0, atol=1e-12)
    np.testing.assert_allclose(other.log_partition, one.log_partition, rtol=0, atol=1e-11)


@settings(max_examples=10, deadline=None)
@given(graphs(Shape(hard=True, largest=1.0)), st.integers(0, 2**32 - 1))
def test_samples_are_exact(graph: FactorGraph, seed: int) -> None:
    potentials = log_potentials(graph)
    truth = enumerate_all(graph)
    if truth.log_partition == -np.inf:
        return
    plan, n = exact_plan(graph), 2_000
    samples = sample_exact(plan, potentials, np.random.default_rng(seed), n)
    again = sample_exact(plan, potentials, np.random.default_rng(seed), n)
    np.testing.assert_array_equal(samples, again)
    assert samples.shape == (n, graph.n_variables)
    seen = np.bincount((graph.first_state[:-1] + samples).reshape(-1), minlength=graph.n_states)
    deviation = np.sqrt(truth.marginals * (1 - truth.marginals) / n)
    assert (np.abs(seen / n - truth.marginals) <= 6 * deviation + 1e-9).all()
    kinds, counts = np.unique(samples, axis=0, return_counts=True)
    nothing = np.zeros(graph.n_states)
    log_scores = [score(graph, graph.weights, nothing, tuple(one))[0] for one in kinds.tolist()]
    share = np.exp(np.array(log_scores) - truth.log_partition)
    assert (np.abs(counts / n - share) <= 6 * np.sqrt(share * (1 - share) / n) + 3 / n).all()


def test_the_same_input_gives_the_same_bits() -> None:
    graph = cases.random_graph(np.random.default_rng(3), Shape(most_factors=20))
    one, other = (solve_exact(graph, log_potentials(graph)) for _ in range(2))
    np.testing.assert_array_equal(one.marginals, other.marginals)
    assert one.log_partition == other.log_partition


def test_an_empty_graph() -> None:
    graph = build_graph([])
    for maximise in (False, True):
        found = solve_exact(graph, log_potentials(graph), maximise=maximise)
        assert found.log_partition == 0.0
        assert len(found.marginals) == 0


def test_isolated_variables() -> None:
    graph = build_graph([2, 1, 3])
    log_unary = np.log([1.0, 3.0, 5.0, 1.0, 1.0, 2.0])
    found = solve_exact(graph, log_potentials(graph, log_unary=log_unary))
    np.testing.assert_allclose(found.marginals, [0.25, 0.75, 1.0, 0.25, 0.25, 0.5])
    np.testing.assert_allclose(found.log_partition, np.log(4 * 5 * 4))
    best = solve_exact(graph, log_potentials(graph, log_unary=log_unary), maximise=True)
    assert best.best is not None
    assert best.best.tolist() == [1, 0, 2]


def test_ties_go_to_the_lowest_state() -> None:
    graph = pair_graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    found = solve_exact(graph, log_potentials(graph), maximise=True)
    assert found.best is not None
    assert found.best.tolist() == [0, 0, 0, 0]


def test_a_contradiction_names_an_instance_and_the_formulas() -> None:
    differ = [[False, True], [True, False]]
    graph = pair_graph(5, [(1, 2), (2, 3), (3, 1)], weight=np.inf, truth=differ)
    graph = replace(graph, weight_names=("rival",))
    for maximise in (False, True):
        with pytest.raises(Contradiction, match=r"y, instance [123] .*: rival") as caught:
            solve_exact(graph, log_potentials(graph), maximise=maximise)
        assert caught.value.remedy
    plan = exact_plan(graph)
    with pytest.raises(Contradiction):
        sample_exact(plan, log_potentials(graph), np.random.default_rng(0))


def test_a_contradiction_among_labels_without_a_choice() -> None:
    truth = np.zeros((1, 1), dtype=bool)
    block = TableBlock(
        ("y", "y"), truth, np.array([[0, 1]], np.int32), np.zeros(1, np.int32), np.ones(1)
    )
    graph = build_graph([1, 1], weights=[np.inf], tables=[block])
    with pytest.raises(Contradiction, match="weight 0"):
        solve_exact(graph, log_potentials(graph))


def test_a_graph_that_is_too_dense_is_refused() -> None:
    dense = [(i, j) for i in range(40) for j in range(i)]
    graph = pair_graph(45, [*dense, (40, 41)])
    plan = exact_plan(graph)
    assert plan.too_large.tolist() == [True] * 40 + [False] * 5
    with pytest.raises(TooLarge, match="40 of 45 variables") as caught:
        solve_exact(graph, log_potentials(graph))
    assert "bp" in str(caught.value)
    assert "1.1e+12 states" in str(caught.value)


def test_a_variable_alone_is_never_too_large() -> None:
    graph = build_graph([100, 2, 2], weights=[1.0], tables=[ties([[1, 2]])])
    found = solve_exact(graph, log_potentials(graph), config=ExactConfig(max_table_states=4))
    np.testing.assert_allclose(found.marginals, np.repeat([0.01, 0.5], [100, 4]))
    plan = exact_plan(graph, ExactConfig(max_table_states=3))
    assert plan.too_large.tolist() == [False, True, True]


def test_many_tables_together_may_be_too_large() -> None:
    graph = pair_graph(100, np.stack([np.arange(99), np.arange(1, 100)], axis=1))
    config = ExactConfig(max_total_states=50)
    with pytest.raises(TooLarge, match="more than 50 states in all"):
        solve_exact(graph, log_potentials(graph), config=config)
    assert not exact_plan(graph).too_large.any()


@pytest.mark.parametrize("name", ["max_table_states", "max_total_states"])
def test_limits_are_checked(name: str) -> None:
    with pytest.raises(BadInput, match=name):
        ExactConfig(**{name: 0})
