"""Automatic choice: exact where it can be, belief propagation elsewhere, and both put together."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.errors import Contradiction
from tacit.graph import FactorGraph, build_graph
from tacit.inference import AutoConfig, BPConfig, ExactConfig, infer
from tacit.inference.auto import divide, solve_auto
from tacit.inference.bp import solve_bp
from tacit.inference.components import components_of, restricted
from tacit.inference.exact import solve_exact
from tacit.inference.potentials import log_potentials
from tacit.inference.scores import log_sums
from tacit.inference.solution import Solution
from tests.inference.blocks import assert_distributions, sets, ties, unary
from tests.inference.cases import Shape, graphs
from tests.oracles.inference import enumerate_all

# Tables of four cells at most: trees of binary pairs are exact, whatever is wider is not.
NARROW = AutoConfig(
    exact=ExactConfig(max_table_states=4), bp=BPConfig(tolerance=1e-11, max_sweeps=500)
)
SHAPES = st.sampled_from([Shape(), Shape(hard=True), Shape(largest=100.0), Shape(tree=True)])


def counts_by_weight(graph: FactorGraph, solution: Solution) -> np.ndarray:
    """How often each weight holds, expected; 0 for hard ones."""
    total = np.asarray(graph.counts.T @ solution.marginals)
    for block, held in zip(graph.blocks, (*solution.tables, *solution.groups), strict=True):
        total = total + block.potentials.total(held, graph.n_weights)
    return np.where(np.isfinite(graph.weights), total, 0.0)


def mixed(rng: np.random.Generator, n_trees: int = 3, n_loops: int = 3) -> FactorGraph:
    """Chains of four, cliques of four with a group across, and two variables alone, shuffled."""
    n = 4 * (n_trees + n_loops) + 2
    name = rng.permutation(n)
    trees = [[4 * c + i, 4 * c + i + 1] for c in range(n_trees) for i in range(3)]
    loops = [
        [4 * c + i, 4 * c + j]
        for c in range(n_trees, n_trees + n_loops)
        for i in range(4)
        for j in range(i)
    ]
    ends = rng.permutation(name[np.array(trees + loops)])
    groups = [name[4 * c : 4 * c + 3].tolist() for c in range(n_trees, n_trees + n_loops)]
    weights = np.concatenate([[0.3, -0.2, 0.4, np.inf], rng.normal(0, 1, n)])
    own = {(2 * v + 1, 4 + v): 1.0 for v in range(n)}
    return build_graph(
        [2] * n,
        weights=weights,
        counts=unary(2 * n, own, len(weights)),
        tables=[ties(ends, weight=rng.integers(0, 2, len(ends)), count=1.0)],
        groups=[sets("atleast", 1, groups, weight=[2] * (len(groups) - 1) + [3])],
    )


@settings(max_examples=80)
@given(st.data())
def test_equals_enumeration_where_everything_is_exact(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    truth = enumerate_all(graph)
    if truth.log_partition == -np.inf:
        with pytest.raises(Contradiction):
            infer(graph)
        return
    found = infer(graph)
    assert found.meaning == "exact"
    assert found.diagnostics.exact_share == 1.0
    np.testing.assert_allclose(found.by_state, truth.marginals, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=1e-12, atol=1e-8)
    soft = np.isfinite(graph.weights)
    wanted = np.where(soft, truth.expected_counts, 0.0)
    np.testing.assert_allclose(found.expected_counts, wanted, rtol=0, atol=1e-8)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_parts_are_put_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = mixed(rng)
    potentials = log_potentials(graph)
    components = components_of(graph)
    division = divide(graph, NARROW)
    is_tree = components.n_cycles == 0
    alone = components.of_variable < 0
    wanted = alone | is_tree[components.of_variable]
    np.testing.assert_array_equal(division.is_exact, wanted)
    found = solve_auto(graph, potentials, config=NARROW)
    assert found.converged
    assert found.meaning == "estimate"
    exact = solve_exact(restricted(graph, is_tree), potentials)
    loopy = solve_bp(restricted(graph, ~is_tree), potentials, config=NARROW.bp)
    by_state = np.repeat(wanted, graph.sizes)
    expected = np.where(by_state, exact.marginals, loopy.marginals)
    np.testing.assert_allclose(found.marginals, expected, rtol=0, atol=1e-9)
    free = log_sums(graph, potentials.unary)
    total = exact.log_partition + loopy.log_partition - free.sum()
    np.testing.assert_allclose(found.log_partition, total, rtol=0, atol=1e-9)
    whole = solve_bp(graph, potentials, config=NARROW.bp)  # exact on trees by itself
    np.testing.assert_allclose(found.marginals, whole.marginals, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.log_partition, whole.log_partition, rtol=0, atol=1e-7)
    np.testing.assert_allclose(
        counts_by_weight(graph, found), counts_by_weight(graph, whole), rtol=0, atol=1e-7
    )


def test_the_share_that_is_exact_is_told() -> None:
    graph = mixed(np.random.default_rng(0))
    found = infer(graph, config=NARROW)
    assert found.diagnostics.exact_share == pytest.approx(14 / 26)
    assert found.diagnostics.n_components == 6
    assert infer(graph).diagnostics.exact_share == 1.0
    assert infer(graph, "bp").diagnostics.exact_share == pytest.approx(2 / 26)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_the_best_assignment_of_parts(seed: int) -> None:
    graph = mixed(np.random.default_rng(seed), n_trees=1, n_loops=1)
    truth = enumerate_all(graph)
    exact = infer(graph, maximise=True)
    assert tuple(exact.best) == truth.best
    assert exact.log_partition == pytest.approx(truth.best_log_score)
    found = solve_auto(graph, log_potentials(graph), config=NARROW, maximise=True)
    components = components_of(graph)
    inside = divide(graph, NARROW).is_exact
    np.testing.assert_array_equal(found.best[inside], np.array(truth.best)[inside])
    assert found.log_partition <= truth.best_log_score + 1e-9
    assert len(components) == 2


def test_limits_of_variables_and_cycles() -> None:
    graph = mixed(np.random.default_rng(1))
    assert divide(graph, AutoConfig(max_variables=3, max_cycles=0)).is_exact.sum() == 14
    assert divide(graph, AutoConfig(max_variables=3, max_cycles=50)).is_exact.all()
    nothing = divide(graph, AutoConfig(max_variables=0, max_cycles=-1))
    assert nothing.plan is None
    assert nothing.is_exact.sum() == 2
    found = infer(graph, config=AutoConfig(max_variables=0, max_cycles=-1))
    plain = infer(graph, "bp")
    np.testing.assert_array_equal(found.by_state, plain.by_state)
    assert found.log_partition == plain.log_partition


def test_a_decision_is_kept_until_the_settings_change() -> None:
    graph = mixed(np.random.default_rng(2))
    first = divide(graph, NARROW)
    assert divide(graph, replace(NARROW)) is first
    assert divide(graph, AutoConfig()) is not first


def test_going_on_from_an_earlier_answer() -> None:
    graph = mixed(np.random.default_rng(3))
    first = infer(graph, config=NARROW)
    again = infer(graph, config=NARROW, start=first)
    assert again.sweeps <= 2
    np.testing.assert_allclose(again.by_state, first.by_state, rtol=0, atol=1e-9)
    other = infer(graph, "bp", start=first)  # messages of a part do not fit, and are let go
    np.testing.assert_allclose(other.by_state, first.by_state, rtol=0, atol=1e-4)


# -- components that have settled ------------------------------------------------------------------


def cliques(rng: np.random.Generator, n_cliques: int, *, shuffled: bool = True) -> FactorGraph:
    """Cliques whose ties differ in strength, so that they settle at different times."""
    size = 8
    n = n_cliques * size
    name = rng.permutation(n) if shuffled else np.arange(n)
    ends = np.array(
        [
            [size * c + i, size * c + j]
            for c in range(n_cliques)
            for i in range(size)
            for j in range(i)
        ]
    )
    clique = np.repeat(np.arange(n_cliques), size * (size - 1) // 2)
    order = rng.permutation(len(ends)) if shuffled else np.arange(len(ends))
    weights = np.concatenate([np.linspace(0.01, 0.24, n_cliques), rng.normal(0, 0.3, n)])
    own = {(2 * v + 1, n_cliques + v): 1.0 for v in range(n)}
    return build_graph(
        [2] * n,
        weights=weights,
        counts=unary(2 * n, own, len(weights)),
        tables=[ties(name[ends[order]], weight=clique[order])],
    )


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize("schedule", ["flooding", "sequential"])
def test_settled_components_drop_out_without_changing_answers(
    schedule: str, shuffled: bool
) -> None:
    graph = cliques(np.random.default_rng(5), 80, shuffled=shuffled)
    potentials = log_potentials(graph)
    config = BPConfig(tolerance=1e-9, schedule=schedule)
    found = solve_bp(graph, potentials, config=config)
    assert found.converged
    components = components_of(graph)
    assert len(components) == len(found.residuals) == 80
    assert (found.residuals <= config.tolerance).all()
    swept = []
    for c in range(0, 80, 13):
        part = restricted(graph, np.arange(80) == c)
        alone = solve_bp(part, potentials, config=config)
        inside = np.repeat(components.of_variable == c, graph.sizes)
        np.testing.assert_allclose(
            found.marginals[inside], alone.marginals[inside], rtol=0, atol=1e-8
        )
        swept.append(alone.sweeps)
    assert max(swept) > min(swept) + 5
    assert found.sweeps >= max(swept)
    total = sum(
        solve_bp(restricted(graph, np.arange(80) == c), potentials, config=config).log_partition
        for c in range(80)
    )
    free = log_sums(graph, potentials.unary).sum()
    np.testing.assert_allclose(found.log_partition, total - 79 * free, rtol=0, atol=1e-5)


def test_residuals_by_component_when_time_is_up() -> None:
    graph = cliques(np.random.default_rng(6), 80, shuffled=False)
    found = solve_bp(graph, log_potentials(graph), config=BPConfig(max_sweeps=12))
    assert not found.converged
    settled = found.residuals <= 1e-5
    assert settled.any()
    assert not settled.all()
    assert found.residuals.max() == pytest.approx(found.residual)


# -- what is kept, and what is not -----------------------------------------------------------------


def loopy_graph() -> FactorGraph:
    ends = [[i, j] for i in range(30) for j in range(i)]
    return build_graph([2] * 30, weights=[0.02], tables=[ties(ends)])


def tree_graph() -> FactorGraph:
    return build_graph([2] * 3, weights=[0.5], tables=[ties([[0, 1], [1, 2]])])


@pytest.mark.parametrize("make", [loopy_graph, tree_graph])
def test_a_graph_is_let_go(make: object) -> None:
    graph = make()  # type: ignore[operator]
    known = weakref.ref(graph)
    infer(graph)
    del graph
    gc.collect()
    assert known() is None


@pytest.mark.parametrize("method", ["exact", "bp", "trw", "mean_field"])
def test_other_methods_let_a_graph_go(method: str) -> None:
    graph = tree_graph()
    known = weakref.ref(graph)
    infer(graph, method)  # type: ignore[arg-type]
    del graph
    gc.collect()
    assert known() is None


def test_messages_are_passed_where_they_are_asked_to_be() -> None:
    with pytest.raises(Exception, match=r"cuda|CUDA"):
        infer(loopy_graph(), device="cuda:99")


def test_variables_alone_keep_their_evidence() -> None:
    graph = mixed(np.random.default_rng(7))
    found = infer(graph, config=NARROW)
    alone = components_of(graph).of_variable < 0
    own = graph.weights[4:][alone]
    positive = found.by_state.reshape(-1, 2)[alone, 1]
    np.testing.assert_allclose(positive, 1 / (1 + np.exp(-own)))
    assert_distributions(graph, found.by_state)


def test_a_variable_of_many_labels_and_no_ties() -> None:
    found = infer(build_graph([5_000, 2]))
    np.testing.assert_allclose(found.by_state[:5_000], 1 / 5_000)


def test_a_variable_of_many_labels_beside_ties() -> None:
    graph = build_graph([5_000, 2, 2, 2, 2], weights=[1.0], tables=[ties([[1, 2], [3, 4]])])
    found = infer(graph)
    assert found.diagnostics.exact_share == 1.0
    np.testing.assert_allclose(found.by_state[5_000:], 0.5)


def test_a_part_left_to_messages_may_have_many_labels() -> None:
    truth = np.arange(10_000).reshape(5_000, 2) % 3 == 0
    graph = build_graph(
        [5_000, 2, 2, 2], weights=[1.0], tables=[ties([[0, 1]], truth=truth), ties([[2, 3]])]
    )
    assert divide(graph, AutoConfig()).is_exact.tolist() == [False, False, True, True]
    found = infer(graph)
    whole = infer(graph, "exact")
    np.testing.assert_allclose(found.by_state, whole.by_state, rtol=0, atol=1e-9)


def test_a_part_left_to_messages_may_leave_no_room_for_another() -> None:
    graph = build_graph(
        [2, 2, 100, 100],
        weights=[1.0],
        tables=[ties([[0, 1]]), ties([[2, 3]], truth=np.eye(100, dtype=bool))],
    )
    small = AutoConfig(exact=ExactConfig(max_table_states=4_096, max_total_states=150))
    assert not divide(graph, small).is_exact.any()
    found = infer(graph, config=small)
    np.testing.assert_allclose(found.by_state, np.repeat([0.5, 0.01], [4, 200]), atol=1e-9)


@settings(max_examples=25)
@given(st.data())
def test_hard_parts_left_to_messages(data: st.DataObject) -> None:
    graph = data.draw(graphs(Shape(hard=True, tree=True, most_variables=6)))
    truth = enumerate_all(graph)
    assume(truth.log_partition > -np.inf)
    assume(components_of(graph).of_variable.max(initial=-1) >= 0)
    tiny = replace(NARROW, exact=ExactConfig(max_table_states=2))
    found = solve_auto(graph, log_potentials(graph), config=tiny)
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=0, atol=1e-5)
