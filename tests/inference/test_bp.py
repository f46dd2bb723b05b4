"""Belief propagation against enumeration, and what it must not depend on."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from tacit.errors import BadInput, Contradiction, TacitWarning
from tacit.graph import FactorGraph, build_graph
from tacit.inference import BPConfig, infer
from tacit.inference.bp import solve_bp
from tacit.inference.potentials import log_potentials
from tacit.inference.solution import Solution
from tacit.inference.wires import wires_of
from tests.inference.blocks import assert_distributions, sets, ties, unary
from tests.inference.cases import Shape, graphs, random_graph
from tests.oracles.inference import enumerate_all, score

TREE = Shape(tree=True, most_variables=6, most_factors=10)
HARD_TREE = replace(TREE, hard=True)
BINARY_TREE = replace(TREE, binary=True, groups=False)
STRONG_TREE = replace(TREE, largest=15.0)
TREES = st.sampled_from([TREE, HARD_TREE, BINARY_TREE, STRONG_TREE])
EXACT = BPConfig(tolerance=1e-10, max_sweeps=100)
SCHEDULES = ["flooding", "sequential"]


def counts_by_weight(graph: FactorGraph, solution: Solution) -> np.ndarray:
    """How often each weight holds, expected; 0 for hard ones."""
    total = np.asarray(graph.counts.T @ solution.marginals)
    for block, held in zip(graph.blocks, (*solution.tables, *solution.groups), strict=True):
        total = total + block.potentials.total(held, graph.n_weights)
    return np.where(np.isfinite(graph.weights), total, 0.0)


def soft_counts(graph: FactorGraph, counts: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(graph.weights), counts, 0.0)


def solve(graph: FactorGraph, config: BPConfig = EXACT, **options: object) -> Solution:
    return solve_bp(graph, log_potentials(graph), config=config, **options)  # type: ignore[arg-type]


def loopy(rng: np.random.Generator, n: int = 8, n_pairs: int = 12, w: float = 0.3) -> FactorGraph:
    """Binary variables, evidence on each, and weak ties at random."""
    every = np.array([[i, j] for i in range(n) for j in range(i)])
    ends = every[rng.permutation(len(every))[:n_pairs]]
    weights = np.concatenate([rng.uniform(-w, w, n_pairs), rng.normal(0, 1, n)])
    own = unary(2 * n, {(2 * v + 1, n_pairs + v): 1.0 for v in range(n)}, len(weights))
    block = ties(ends, weight=np.arange(n_pairs))
    return build_graph([2] * n, weights=weights, counts=own, tables=[block])


# -- trees: exact ----------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", SCHEDULES)
@settings(max_examples=50)
@given(st.data())
def test_trees_are_exact(schedule: str, data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(TREES)))
    truth = enumerate_all(graph)
    # Sums with hard evidence, 1e8, are rounded to 1.5e-8, and may go to and fro by that for ever.
    config = replace(EXACT, schedule=schedule, tolerance=1e-7)
    if truth.log_partition == -np.inf:
        event("contradiction")
        with pytest.raises(Contradiction):
            solve(graph, config)
        return
    found = solve(graph, config)
    assert found.converged
    assert found.meaning == "estimate"
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=0, atol=1e-6)
    expected = counts_by_weight(graph, found)
    np.testing.assert_allclose(
        expected, soft_counts(graph, truth.expected_counts), rtol=0, atol=1e-6
    )


@settings(max_examples=50)
@given(st.data(), st.sampled_from(SCHEDULES))
def test_the_best_assignment_of_a_tree(data: st.DataObject, schedule: str) -> None:
    shape = data.draw(st.sampled_from([replace(BINARY_TREE, groups=True), HARD_TREE]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    graph = random_graph(rng, shape)
    extra = rng.normal(0, 1, graph.n_states)  # no two assignments are worth the same
    truth = enumerate_all(graph, log_unary=extra)
    assume(truth.log_partition > -np.inf)
    config = replace(EXACT, schedule=schedule)
    found = solve_bp(graph, log_potentials(graph, log_unary=extra), config=config, maximise=True)
    assert found.best is not None
    assert tuple(found.best) == truth.best
    np.testing.assert_allclose(found.log_partition, truth.best_log_score, rtol=0, atol=1e-6)
    counts = score(graph, graph.weights, extra, truth.best)[1]
    joint = counts - np.asarray(
        graph.counts[graph.first_state[:-1] + found.best].sum(axis=0)
    ).reshape(-1)
    held = counts_by_weight(graph, replace(found, marginals=np.zeros(graph.n_states)))
    np.testing.assert_allclose(held, soft_counts(graph, joint), atol=1e-9)


def test_the_best_assignment_with_members_of_many_labels() -> None:
    # With y = 2 or 3 each worth a little less than y = 1, their sum is worth more.
    block = sets("atleast", 1, [[0, 1]], [(False, True, True, True), (False, True)], [[0, 1]])
    graph = build_graph([4, 2], weights=[3.0], groups=[block])
    log_unary = np.array([0.0, -1.0, -1.1, -1.2, 0.0, -0.9])
    truth = enumerate_all(graph, log_unary=log_unary)
    found = infer(graph, "bp", log_unary=log_unary, maximise=True)
    assert tuple(found.best) == truth.best


@pytest.mark.parametrize("kind", ["exactly one", "differ"])
def test_the_best_assignment_among_equals(kind: str) -> None:
    if kind == "exactly one":
        graph = build_graph([2] * 3, weights=[np.inf], groups=[sets("exactly", 1, [[0, 1, 2]])])
    else:
        graph = build_graph([2, 2], weights=[-1.0], tables=[ties([[0, 1]])])
    found = infer(graph, "bp", maximise=True)
    assert found.log_partition == enumerate_all(graph).best_log_score


# -- loops -----------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SCHEDULES))
def test_weak_loops_are_nearly_exact(seed: int, schedule: str) -> None:
    # The bound: weights up to 0.3 and three ties a variable leave marginals right to 0.005. Four
    # hundred random graphs showed 0.0014 at most, 0.005 for the log-partition, 0.017 for counts.
    graph = loopy(np.random.default_rng(seed))
    truth = enumerate_all(graph)
    found = solve(graph, replace(EXACT, schedule=schedule))
    assert found.converged
    assert found.residual <= EXACT.tolerance
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=0.005)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=0, atol=0.02)
    expected = counts_by_weight(graph, found)
    np.testing.assert_allclose(expected, truth.expected_counts, rtol=0, atol=0.03)


@settings(max_examples=40)
@given(st.data())
def test_weak_loops_of_every_kind_are_nearly_exact(data: st.DataObject) -> None:
    # Several factors of one pair add up, and each may count twice: weights of 0.1 may tie it by 1.
    graph = data.draw(graphs(Shape(largest=0.1, most_factors=6)))
    truth = enumerate_all(graph)
    found = solve(graph)
    assert found.converged
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=0.03)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_schedules_and_damping_find_the_same_fixed_point(seed: int) -> None:
    graph = loopy(np.random.default_rng(seed))
    plain = solve(graph)
    for config in (
        replace(EXACT, schedule="sequential"),
        replace(EXACT, damping=0.4),
        replace(EXACT, damping=0.4, schedule="sequential"),
    ):
        other = solve(graph, config)
        assert other.converged
        np.testing.assert_allclose(other.marginals, plain.marginals, rtol=0, atol=1e-7)
        np.testing.assert_allclose(other.log_partition, plain.log_partition, rtol=0, atol=1e-7)


@settings(max_examples=30)
@given(st.data())
def test_damping_does_not_change_trees(data: st.DataObject) -> None:
    graph = data.draw(graphs(TREE))
    found = solve(graph, replace(EXACT, damping=0.5, max_sweeps=300))
    truth = enumerate_all(graph)
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-6)


# -- going on --------------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", SCHEDULES)
@settings(max_examples=20)
@given(st.data())
def test_a_warm_start_is_there_at_once(schedule: str, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([Shape(largest=0.5), TREE]))
    graph = data.draw(graphs(shape))
    config = BPConfig(schedule=schedule, tolerance=1e-8)
    first = solve(graph, config)
    assume(first.converged)
    again = solve(graph, config, start=first.messages)
    assert again.converged
    assert again.sweeps <= 2
    np.testing.assert_allclose(again.marginals, first.marginals, rtol=0, atol=1e-7)
    np.testing.assert_allclose(again.log_partition, first.log_partition, rtol=0, atol=1e-6)


def test_a_warm_start_leaves_what_it_started_from() -> None:
    graph = loopy(np.random.default_rng(0))
    first = solve(graph)
    kept = [values.copy() for values in first.messages.values]
    solve_bp(graph, log_potentials(graph, graph.weights * -2), start=first.messages)
    for before, after in zip(kept, first.messages.values, strict=True):
        np.testing.assert_array_equal(before, after)


def test_other_weights_from_a_warm_start_lead_where_a_cold_one_leads() -> None:
    graph = loopy(np.random.default_rng(1))
    first = solve(graph)
    other = log_potentials(graph, graph.weights * -0.5)
    cold = solve_bp(graph, other, config=EXACT)
    warm = solve_bp(graph, other, config=EXACT, start=first.messages)
    np.testing.assert_allclose(warm.marginals, cold.marginals, rtol=0, atol=1e-8)


def test_new_weights_take_the_same_wires() -> None:
    graph = loopy(np.random.default_rng(2))
    first = wires_of(graph, log_potentials(graph).blocks)
    assert wires_of(graph, log_potentials(graph, graph.weights * 3 - 1).blocks) is first
    extra = np.ones(graph.n_states)
    assert wires_of(graph, log_potentials(graph, log_unary=extra).blocks) is first
    strong = log_potentials(graph, graph.weights * 1e5)  # beyond the fast kernels
    assert wires_of(graph, strong.blocks) is not first


# -- what must not matter --------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.data(), st.sampled_from(SCHEDULES))
def test_the_same_bits_twice(data: st.DataObject, schedule: str) -> None:
    seed = data.draw(st.integers(0, 2**32 - 1))
    config = BPConfig(schedule=schedule)
    one, other = (
        solve(random_graph(np.random.default_rng(seed), Shape(largest=0.6)), config)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one.marginals, other.marginals)
    assert one.log_partition == other.log_partition
    for mine, yours in zip((*one.tables, *one.groups), (*other.tables, *other.groups), strict=True):
        np.testing.assert_array_equal(mine, yours)


def test_the_same_bits_twice_on_a_large_graph() -> None:
    rng = np.random.default_rng(3)
    n, n_pairs = 5_000, 15_000
    ends = rng.integers(0, n, (n_pairs, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    graph = build_graph([2] * n, weights=[0.2], tables=[ties(ends)])
    extra = rng.normal(0, 1, 2 * n)
    potentials = log_potentials(graph, log_unary=extra)
    one, other = (solve_bp(graph, potentials) for _ in range(2))
    np.testing.assert_array_equal(one.marginals, other.marginals)
    assert one.log_partition == other.log_partition


def permuted(graph: FactorGraph, order: np.ndarray) -> FactorGraph:
    """The same graph with variable order[i] in place i."""
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order))
    states = np.concatenate(
        [np.arange(graph.first_state[v], graph.first_state[v + 1]) for v in order]
    ).astype(np.int64)
    return replace(
        graph,
        sizes=graph.sizes[order],
        counts=graph.counts[states],
        possible=None if graph.possible is None else graph.possible[states],
        tables=tuple(replace(b, variables=place[b.variables]) for b in graph.tables),
        groups=tuple(
            replace(b, variable_of_member=place[b.variable_of_member]) for b in graph.groups
        ),
    )


@settings(max_examples=30)
@given(st.data())
def test_permuting_variables_permutes_marginals(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(st.sampled_from([Shape(largest=0.5), TREE]))))
    order = np.array(data.draw(st.permutations(range(graph.n_variables))), dtype=np.int32)
    turned = permuted(graph, order)
    first, other = solve(graph), solve(turned)
    assume(first.converged and other.converged)
    states = np.concatenate(
        [np.arange(graph.first_state[v], graph.first_state[v + 1]) for v in order]
    )
    np.testing.assert_allclose(other.marginals, first.marginals[states], rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.log_partition, first.log_partition, rtol=0, atol=1e-9)


def relabelled(graph: FactorGraph) -> FactorGraph:
    """The same graph with the states of every variable in reverse order."""
    states = np.concatenate([np.arange(a, b)[::-1] for a, b in pairwise(graph.first_state)]).astype(
        np.int64
    )
    return replace(
        graph,
        counts=graph.counts[states],
        possible=None if graph.possible is None else graph.possible[states],
        tables=tuple(replace(b, truth=np.flip(b.truth).copy()) for b in graph.tables),
        groups=tuple(
            replace(b, gains=tuple(g[::-1].copy() for g in b.gains)) for b in graph.groups
        ),
    )


@settings(max_examples=30)
@given(st.data())
def test_relabelling_states_permutes_marginals(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(st.sampled_from([Shape(largest=0.5), TREE]))))
    first, other = solve(graph), solve(relabelled(graph))
    assume(first.converged and other.converged)
    back = np.concatenate([other.marginals[a:b][::-1] for a, b in pairwise(graph.first_state)])
    np.testing.assert_allclose(back, first.marginals, rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.log_partition, first.log_partition, rtol=0, atol=1e-8)


@pytest.mark.parametrize("kind", ["pair", "three", "group"])
def test_two_copies_equal_one_of_twice_the_weight(kind: str) -> None:
    # On a tree both are exact; the two copies make a loop of two factors on the same variables,
    # so they are compared through their counts: one factor of count 2.
    def graph(weight: float, count: float) -> FactorGraph:
        if kind == "group":
            block = sets("atleast", 1, [[0, 1, 2]], count=count)
            return build_graph([2] * 3, weights=[weight], groups=[block])
        truth = np.eye(2, dtype=bool) if kind == "pair" else np.arange(8).reshape(2, 2, 2) % 3 > 0
        block = ties([list(range(truth.ndim))], truth, count=count)
        return build_graph([2] * 3, weights=[weight], tables=[block])

    extra = np.array([0.1, -0.4, 0.3, 0.9, -1.0, 0.2])
    twice, strong = graph(0.8, 2.0), graph(1.6, 1.0)
    a = infer(twice, "bp", log_unary=extra)
    b = infer(strong, "bp", log_unary=extra)
    np.testing.assert_allclose(a.by_state, b.by_state, rtol=0, atol=1e-12)
    np.testing.assert_allclose(a.log_partition, b.log_partition, rtol=0, atol=1e-12)
    np.testing.assert_allclose(a.expected_counts, 2 * b.expected_counts, rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(st.data())
def test_a_weight_of_zero_changes_nothing(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 2**32 - 1))
    graph = random_graph(np.random.default_rng(seed), Shape(largest=0.5))
    tied = [block.potentials.weight[block.potential] for block in graph.blocks]
    silent = np.concatenate([np.empty(0, np.int32), *tied])
    weights = graph.weights.copy()
    weights[silent] = 0.0
    found = solve_bp(graph, log_potentials(graph, weights), config=EXACT)
    bare = replace(graph, tables=(), groups=())
    alone = solve_bp(bare, log_potentials(bare, weights), config=EXACT)
    assert found.converged
    np.testing.assert_allclose(found.marginals, alone.marginals, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.log_partition, alone.log_partition, rtol=0, atol=1e-9)


# -- not settling ----------------------------------------------------------------------------------


def frustrated(n: int = 12, weight: float = 8.0) -> FactorGraph:
    """Everyone wants to differ from everyone else, or to agree, at random and strongly."""
    rng = np.random.default_rng(4)
    ends = [[i, j] for i in range(n) for j in range(i)]
    same = rng.random(len(ends)) < 0.5
    return build_graph(
        [2] * n, weights=[weight, -weight], tables=[ties(ends, weight=same.astype(int))]
    )


def test_not_settling_is_a_warning_with_advice() -> None:
    graph = frustrated()
    extra = np.random.default_rng(5).normal(0, 1, graph.n_states)
    config = BPConfig(max_sweeps=15)
    with pytest.warns(TacitWarning, match=r"did not settle in 15 sweeps.*try more sweeps"):
        found = infer(graph, "bp", log_unary=extra, config=config)
    assert not found.converged
    assert found.sweeps == 15
    assert found.residual > config.tolerance
    assert_distributions(graph, found.by_state)
    assert np.isfinite(found.log_partition)


@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize("schedule", SCHEDULES)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_strong_loops_never_raise(schedule: str, maximise: bool, seed: int) -> None:
    graph = random_graph(np.random.default_rng(seed), Shape(largest=30.0, most_factors=12))
    found = solve(graph, BPConfig(max_sweeps=40, schedule=schedule), maximise=maximise)
    assert_distributions(graph, found.marginals)
    assert np.isfinite(found.log_partition)
    assert found.converged == (found.residual <= 1e-5)


def test_hard_loops_that_can_be_satisfied_are_no_contradiction() -> None:
    # Two cliques whose members must agree, with evidence for opposite labels, joined by a chain.
    ends = [[i, j] for i in range(4) for j in range(i)]
    ends += [[i + 4, j + 4] for i, j in ends] + [[3, 8], [8, 9], [9, 10], [10, 4]]
    graph = build_graph([2] * 11, weights=[np.inf], tables=[ties(ends)])
    log_unary = np.zeros(graph.n_states)
    log_unary[[1, 3, 5, 7]], log_unary[[9, 11, 13, 15]] = 3.0, -3.03
    assert infer(graph, "exact", log_unary=log_unary).by_state[1] == pytest.approx(0.47, abs=0.01)
    solve_bp(graph, log_potentials(graph, log_unary=log_unary))


def test_expected_counts_are_possible_even_where_messages_have_not_settled() -> None:
    shape = Shape(largest=30.0, most_factors=12, binary=True, groups=False)
    for seed in (83, 193, 227, 248):
        graph = random_graph(np.random.default_rng(seed), shape)
        found = solve(graph, BPConfig(max_sweeps=10))
        for block, held in zip(graph.tables, found.tables, strict=True):
            most = np.bincount(block.potential, minlength=len(block.potentials))
            assert (held >= -1e-9).all()
            assert (held <= most + 1e-9).all()


def test_residuals_by_component_after_few_sweeps() -> None:
    graph = frustrated()
    extra = np.random.default_rng(5).normal(0, 1, graph.n_states)
    potentials = log_potentials(graph, log_unary=extra)
    found = solve_bp(graph, potentials, config=BPConfig(max_sweeps=3))
    np.testing.assert_allclose(found.residuals, [found.residual])


def test_no_sweeps_at_all_are_refused() -> None:
    with pytest.raises(BadInput, match="max_sweeps"):
        BPConfig(max_sweeps=0)


# -- the chapter's noisy-or ------------------------------------------------------------------------

NOISY_OR = BPConfig(at_least_one="noisy_or")


def at_least_one_graph(rng: np.random.Generator, weight: float) -> FactorGraph:
    """Overlapping groups, at least one of each of which counts."""
    groups = [rng.permutation(12)[:4].tolist() for _ in range(5)]
    return build_graph([2] * 12, weights=[weight], groups=[sets("atleast", 1, groups)])


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 3.0, np.inf]))
def test_noisy_or_gives_distributions(seed: int, weight: float) -> None:
    rng = np.random.default_rng(seed)
    graph = at_least_one_graph(rng, weight)
    potentials = log_potentials(graph, log_unary=rng.normal(-0.5, 1, graph.n_states))
    found = solve_bp(graph, potentials, config=NOISY_OR)
    assert_distributions(graph, found.marginals)
    assert np.isfinite(found.log_partition)


def test_noisy_or_is_nearly_exact_for_one_group_of_unlikely_members() -> None:
    odds = np.array([-7.0, -8.0, -9.0, -7.5])
    graph = build_graph([2] * 4, weights=[np.inf], groups=[sets("atleast", 1, [range(4)])])
    log_unary = np.stack([np.zeros(4), odds], axis=1).reshape(-1)
    exact = enumerate_all(graph, log_unary=log_unary)
    found = infer(graph, "bp", log_unary=log_unary, config=NOISY_OR)
    assert found.converged
    np.testing.assert_allclose(found.by_state, exact.marginals, rtol=0, atol=0.05)


@pytest.mark.parametrize("weight", [0.5, np.inf])
def test_the_only_member_of_a_group_has_no_choice(weight: float) -> None:
    groups = [sets("atleast", 1, [[0], [1, 2]])]
    graph = build_graph([2] * 3, weights=[weight], groups=groups)
    log_unary = np.array([0.0, -2.0, 0.0, -1.0, 0.0, 0.5])
    found = solve_bp(graph, log_potentials(graph, log_unary=log_unary), config=NOISY_OR)
    p = 1 / (1 + np.exp(-np.array([-1.0, 0.5])))
    expected = [1.0, *p / (1 - np.prod(1 - p))]
    np.testing.assert_allclose(found.marginals[1::2], expected, atol=1e-6)
    assert np.isfinite(found.log_partition)


def test_noisy_or_only_changes_at_least_one() -> None:
    graph = loopy(np.random.default_rng(8))
    plain, noisy = solve(graph), solve(graph, replace(EXACT, at_least_one="noisy_or"))
    np.testing.assert_array_equal(plain.marginals, noisy.marginals)


# -- settings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("damping", [-0.1, 1.0, 2.0, np.nan])
def test_a_damping_that_is_none_is_refused(damping: float) -> None:
    with pytest.raises(BadInput, match="damping"):
        BPConfig(damping=damping)


def test_a_schedule_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadInput, match="sequential"):
        BPConfig(schedule="sequental")  # type: ignore[arg-type]


def test_a_treatment_of_at_least_one_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadInput, match="noisy_or"):
        BPConfig(at_least_one="noisy-or")  # type: ignore[arg-type]
