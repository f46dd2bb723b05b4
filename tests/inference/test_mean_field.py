"""Mean field against its definition: sums over every assignment."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import BadInput
from tacit.graph import FactorGraph, build_graph
from tacit.inference.mean_field import (
    DOUBLINGS,
    MeanFieldConfig,
    first_shares,
    solve_mean_field,
)
from tacit.inference.potentials import log_potentials
from tacit.inference.solution import Solution
from tests.inference.blocks import SAME, assert_distributions, sets, ties
from tests.inference.cases import Shape, graphs
from tests.oracles.inference import enumerate_all
from tests.oracles.mean_field import (
    by_variable,
    expected_holding,
    log_scores,
    lower_bound,
    sweep,
)

SHAPES = st.sampled_from(
    [
        Shape(),
        Shape(hard=True),
        Shape(largest=1e4, hard=True),
        Shape(largest=1e4),
        Shape(binary=True, groups=False),
    ]
)
SOFT = st.sampled_from([Shape(), Shape(largest=6.0), Shape(most_states=6, most_factors=12)])


def solved(graph: FactorGraph, start: np.ndarray | None = None, **config: object) -> Solution:
    settings = MeanFieldConfig(**config)  # type: ignore[arg-type]
    return solve_mean_field(graph, log_potentials(graph), config=settings, start=start)


@settings(max_examples=100)
@given(st.data())
def test_never_above_the_log_partition(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    solution = solved(graph, max_sweeps=data.draw(st.sampled_from([1, 3, 30])))
    truth = enumerate_all(graph).log_partition
    assert solution.log_partition <= truth + 1e-9
    assert solution.meaning == "lower bound"
    assert_distributions(graph, solution.marginals)


@settings(max_examples=60)
@given(st.data())
def test_the_bound_and_the_counts_are_those_of_the_marginals(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    solution = solved(graph, max_sweeps=data.draw(st.sampled_from([1, 2, 40])))
    shares = by_variable(graph, solution.marginals)
    expected = lower_bound(log_scores(graph), shares)
    assert solution.log_partition == pytest.approx(expected, abs=1e-9, rel=1e-12)
    for held, total in zip(
        (*solution.tables, *solution.groups), expected_holding(graph, shares), strict=True
    ):
        np.testing.assert_allclose(held, total, atol=1e-9)


@settings(max_examples=60)
@given(st.data())
def test_sweeps_equal_their_slow_twin(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SOFT)))
    scores = log_scores(graph)
    start = first_shares(graph, log_potentials(graph).unary, MeanFieldConfig())
    shares = by_variable(graph, start)
    for n_sweeps in (1, 2, 3):
        before, shares = shares, sweep(scores, shares)
        solution = solved(graph, max_sweeps=n_sweeps, tolerance=0.0)
        np.testing.assert_allclose(solution.marginals, np.concatenate(shares), atol=1e-9)
        change = np.abs(np.concatenate(shares) - np.concatenate(before)).max()
        assert solution.residual == pytest.approx(change, abs=1e-9)


@settings(max_examples=60)
@given(st.data())
def test_the_bound_never_falls(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    bounds = [
        solved(graph, max_sweeps=n, tolerance=0.0).log_partition
        for n in (1, 2, 3, 5, 8, DOUBLINGS, DOUBLINGS + 2, 40)
    ]
    for before, after in pairwise(bounds):
        assert after >= before - 1e-9


@settings(max_examples=40)
@given(st.data())
def test_the_end_is_a_fixed_point(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    solution = solved(graph)
    again = solved(graph, start=solution.messages)
    if solution.converged:
        assert again.sweeps == 1
        np.testing.assert_allclose(again.marginals, solution.marginals, atol=1e-5)
    assert again.log_partition >= solution.log_partition - 1e-6


@settings(max_examples=30)
@given(graphs(Shape(most_factors=0, hard=True)))
def test_exact_without_factors(graph: FactorGraph) -> None:
    solution, truth = solved(graph), enumerate_all(graph)
    np.testing.assert_allclose(solution.marginals, truth.marginals, atol=1e-12)
    assert solution.log_partition == pytest.approx(truth.log_partition, abs=1e-9)
    assert solution.converged


@settings(max_examples=30)
@given(graphs(Shape(largest=0.3)))
def test_two_copies_are_one_of_twice_the_weight(graph: FactorGraph) -> None:
    twice = replace(
        graph, tables=graph.tables * 2, groups=graph.groups * 2, counts=graph.counts * 2
    )
    heavy = replace(graph, weights=graph.weights * 2)
    one, other = solved(twice, noise=0.0), solved(heavy, noise=0.0)
    np.testing.assert_allclose(one.marginals, other.marginals, atol=1e-6)
    assert one.log_partition == pytest.approx(other.log_partition, abs=1e-6)


@settings(max_examples=20)
@given(graphs(Shape(largest=0.2, binary=True)), st.randoms(use_true_random=False))
def test_renumbered_variables_where_there_is_one_end(graph: FactorGraph, random: object) -> None:
    """The order of updates matters where there are several; weak factors leave one."""
    order = np.random.default_rng(random.randint(0, 9)).permutation(graph.n_variables)  # type: ignore[attr-defined]
    tables = tuple(replace(b, variables=order[b.variables].astype(np.int32)) for b in graph.tables)
    groups = tuple(
        replace(b, variable_of_member=order[b.variable_of_member].astype(np.int32))
        for b in graph.groups
    )
    rows = np.argsort(np.stack([2 * order, 2 * order + 1], axis=1).reshape(-1))
    moved = replace(graph, tables=tables, groups=groups, counts=graph.counts[rows])
    one, other = solved(graph, tolerance=1e-9), solved(moved, tolerance=1e-9)
    np.testing.assert_allclose(other.marginals, one.marginals[rows], atol=1e-6)


def test_a_weight_of_zero_changes_nothing() -> None:
    graph = build_graph([2, 3], weights=[0.0], tables=[ties([[0, 1]], np.ones((2, 3)))])
    np.testing.assert_allclose(solved(graph).marginals, [1 / 2] * 2 + [1 / 3] * 3)


def test_equal_labels_are_left_by_a_little_noise() -> None:
    graph = build_graph([2, 2], weights=[5.0], tables=[ties([[0, 1]])])
    stuck = solved(graph, noise=0.0)
    assert stuck.converged
    assert stuck.log_partition == pytest.approx(2.5 + 2 * np.log(2))
    ends = {tuple(solved(graph, random_state=seed).marginals.round(3)) for seed in range(8)}
    assert len(ends) == 2  # both labels, by the seed
    for seed in range(8):
        assert solved(graph, random_state=seed).log_partition > 5.0
    assert solved(graph).marginals.tolist() == solved(graph).marginals.tolist()


def test_hard_factors_let_evidence_speak_first() -> None:
    graph = build_graph(
        [2, 2], weights=[np.inf, 1.0], tables=[ties([[0, 1]])],
    )  # fmt: skip
    potentials = log_potentials(graph, log_unary=np.array([0.0, -1.0, 0.0, 3.0]))
    solution = solve_mean_field(graph, potentials)
    assert solution.marginals.tolist() == [0, 1, 0, 1]
    assert solution.log_partition == pytest.approx(2.0)
    assert solution.tables[0].tolist()[0] == 1.0


def test_hard_implication_keeps_what_it_allows() -> None:
    implies = np.array([[True, True], [False, True]])
    graph = build_graph([2, 2], weights=[np.inf], tables=[ties([[0, 1]], implies)])
    potentials = log_potentials(graph, log_unary=np.array([0.0, 2.0, 0.0, 0.0]))
    solution = solve_mean_field(graph, potentials)
    np.testing.assert_allclose(solution.marginals, [0.1192, 0.8808, 0, 1], atol=1e-4)
    assert solution.log_partition == pytest.approx(np.log(1 + np.exp(2)))


def test_a_contradiction_is_a_bound_of_minus_infinity() -> None:
    differ = ties([[0, 1], [1, 2], [0, 2]], ~SAME)
    graph = build_graph([2, 2, 2], weights=[np.inf], tables=[differ])
    solution = solved(graph)
    assert solution.log_partition == -np.inf
    assert_distributions(graph, solution.marginals)


def test_exactly_one_hard_group_picks_the_best() -> None:
    graph = build_graph([2] * 4, weights=[np.inf], groups=[sets("exactly", 1, [[0, 1, 2, 3]])])
    potentials = log_potentials(graph, log_unary=np.array([0, 0, 0, 1.0, 0, 2.0, 0, 0]))
    solution = solve_mean_field(graph, potentials)
    assert solution.marginals.reshape(4, 2)[:, 1].tolist() == [0, 0, 1, 0]
    assert solution.log_partition == pytest.approx(2.0)


def test_a_start_is_used_where_it_is_possible() -> None:
    graph = build_graph([2, 2], weights=[5.0], tables=[ties([[0, 1]])])
    low = solved(graph, start=np.array([0.4, 0.6, 0.4, 0.6]))
    assert (low.marginals.reshape(2, 2)[:, 1] > 0.9).all()
    ruled_out = replace(graph, possible=np.array([True, False, True, True]))
    high = solved(ruled_out, start=np.array([0.0, 1.0, 0.0, 1.0]))
    assert high.marginals[:2].tolist() == [1, 0]
    assert high.marginals[2] > 0.9


@pytest.mark.parametrize("start", [np.ones(3), np.full(4, np.nan), np.full(4, -1.0), "marginals"])
def test_a_start_that_fits_not(start: object) -> None:
    graph = build_graph([2, 2])
    with pytest.raises(BadInput, match="a graph of 4 states"):
        solved(graph, start=start)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"max_sweeps": 0}, {"tolerance": -1.0}, {"noise": -1.0}])
def test_settings_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput, match="mean field with"):
        MeanFieldConfig(**wrong)  # type: ignore[arg-type]


def test_no_variables_and_single_states() -> None:
    nothing = solved(build_graph([]))
    assert nothing.log_partition == 0.0
    assert nothing.converged
    graph = build_graph([1, 1, 2], weights=[2.0], tables=[ties([[0, 1]], [[True]])])
    solution = solved(graph)
    assert solution.marginals[:2].tolist() == [1, 1]
    assert solution.log_partition == pytest.approx(2.0 + np.log(2))


def test_a_variable_with_many_neighbours() -> None:
    n = 100_000
    pairs = np.stack([np.zeros(n, dtype=int), np.arange(1, n + 1)], axis=1)
    graph = build_graph(np.full(n + 1, 2), weights=[0.5], tables=[ties(pairs)])
    potentials = log_potentials(graph, log_unary=np.array([0.0, 1.0] + [0.0] * (2 * n)))
    solution = solve_mean_field(graph, potentials)
    assert solution.converged
    assert solution.marginals[:2].tolist() == [0, 1]
    leaf = 1 / (1 + np.exp(-0.5))
    np.testing.assert_allclose(solution.marginals[3::2], leaf, atol=1e-9)
    exact = np.log(1 + np.exp(0.5)) * n + np.log(1 + np.exp(1.0))
    assert solution.log_partition <= exact
    assert solution.log_partition == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("weight", [3.0, np.inf])
def test_at_least_one_of_many(weight: float) -> None:
    n = 100_000
    graph = build_graph(np.full(n, 2), weights=[weight], groups=[sets("atleast", 1, [range(n)])])
    log_unary = np.tile([0.0, -np.log(n)], n)
    solution = solve_mean_field(graph, log_potentials(graph, log_unary=log_unary))
    p_none = (1 + 1 / n) ** -n
    worth = (
        np.log(1 - p_none) if weight == np.inf else np.log(p_none + np.exp(weight) * (1 - p_none))
    )
    exact = n * np.log1p(1 / n) + worth
    assert solution.log_partition <= exact + 1e-6
    assert solution.converged
    assert_distributions(graph, solution.marginals)


def test_a_group_that_tells_many_sums_apart() -> None:
    n = 1000
    graph = build_graph(np.full(n, 2), weights=[4.0], groups=[sets("atmost", 250, [range(n)])])
    log_unary = np.tile([0.0, -1.0], n)
    solution = solve_mean_field(graph, log_potentials(graph, log_unary=log_unary))
    assert solution.converged
    assert solution.marginals[1::2].sum() < 250  # without the group, 269 are expected
    assert solution.groups[0][0] > 0.5
