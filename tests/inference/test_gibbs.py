"""Gibbs sampling against conditional distributions and marginals by enumeration."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.errors import BadInput
from tacit.graph import FactorGraph, build_graph
from tacit.inference.gibbs import GibbsConfig, solve_gibbs
from tacit.inference.gibbs_diagnostics import NEGLIGIBLE, diagnose
from tacit.inference.gibbs_groups import draw_groups
from tacit.inference.gibbs_kernels import draw_trees
from tacit.inference.gibbs_sampler import Sampler, keep_hard_factors, scattered_chains
from tacit.inference.gibbs_trees import PARENT, TREE, grow_trees, no_trees
from tacit.inference.incidence import incidence_of
from tacit.inference.potentials import log_potentials
from tacit.inference.solution import Solution
from tests.inference.blocks import SAME, assert_distributions, sets, ties
from tests.inference.cases import Shape, graphs, random_graph
from tests.oracles.gibbs import conditional, is_tree, split_r_hat, standard_error
from tests.oracles.inference import enumerate_all, joint

SHAPES = st.sampled_from([Shape(), Shape(binary=True), Shape(hard=True), Shape(groups=False)])


def solved(graph: FactorGraph, **config: int) -> Solution:
    return solve_gibbs(graph, log_potentials(graph), config=GibbsConfig(**config))


def sampler_of(graph: FactorGraph, seed: int = 0) -> Sampler:
    """Chains that keep all hard factors; graphs that have no such states are not wanted."""
    sampler = scattered_chains(graph, log_potentials(graph), 2, seed)
    try:
        keep_hard_factors(sampler)
    except BadInput:
        assume(False)
    return sampler


def values_of(sampler: Sampler) -> np.ndarray:
    """What factors are worth that fail, and that hold."""
    hard = np.isinf(sampler.worth)
    return np.stack([np.where(hard, -np.inf, 0.0), np.where(hard, 0.0, sampler.worth)], axis=1)


@settings(max_examples=40)
@given(st.data(), st.booleans())
def test_trees_are_trees(data: st.DataObject, loose: bool) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    seed, most = data.draw(st.integers(0, 2**48 - 1)), data.draw(st.sampled_from([1, 3, 100]))
    trees = no_trees(graph.n_variables, sum(map(len, graph.groups)))
    n_trees = grow_trees(incidence_of(graph), seed, most, loose, trees)
    parts = np.split(trees.member, trees.first_member[1:n_trees])
    parent, tree = trees.nodes[:, PARENT], trees.nodes[:, TREE]
    assert sorted(trees.member.tolist()) == list(range(graph.n_variables))
    for at, part in enumerate(parts):
        members = part.tolist()
        assert len(members) <= most
        assert is_tree(graph, set(members), loose=loose)
        assert (tree[members] == at).all()
        assert parent[members[0]] == -1
        for n, variable in enumerate(members[1:], start=1):
            assert parent[variable] in members[:n]  # parents come first


@settings(max_examples=60)
@given(st.data())
def test_a_tree_is_drawn_from_its_conditional_distribution(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    sampler = sampler_of(graph, data.draw(st.integers(0, 9)))
    chain, trees = sampler.chains[0], sampler.trees
    model = sampler.model._replace(values=values_of(sampler))
    n_trees = grow_trees(sampler.graph, sampler.seed(), 100, False, trees)
    before, shares = chain.states.copy(), np.empty(graph.n_states)
    numbers = sampler.rng.random(graph.n_variables)
    draw_trees(sampler.graph, model, chain, trees, n_trees, False, numbers, numbers, shares)
    now = before.copy()
    for tree in np.split(trees.member, trees.first_member[1:n_trees]):
        expected = conditional(graph, tuple(now.tolist()), tree.tolist())
        drawn = chain.states[tree]
        told = np.prod(shares[graph.first_state[tree] + drawn])
        assert told == pytest.approx(expected[tuple(drawn.tolist())], abs=1e-9)
        now[tree] = drawn
    assert_sums_are_true(graph, sampler)


@settings(max_examples=20)
@given(st.data())
def test_sums_of_groups_stay_true(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(st.sampled_from([Shape(), Shape(hard=True)]))))
    sampler = sampler_of(graph)
    tally = sampler.run(5)
    assert_sums_are_true(graph, sampler)
    holds = [one for _, one, _ in joint(graph, tuple(sampler.states[0].tolist()))]
    hard = np.isinf(sampler.worth)[sampler.graph.potential_of_factor]
    assert np.array(holds, dtype=bool)[hard].all()
    assert tally.holding.sum() <= 5 * 2 * graph.n_factors
    np.testing.assert_allclose(tally.shares.sum(), 5 * 2 * graph.n_variables)


def assert_sums_are_true(graph: FactorGraph, sampler: Sampler) -> None:
    for chain in sampler.chains:
        sums = [
            sum(
                int(block.gains[kind][chain.states[variable]])
                for variable, kind in zip(
                    block.variable_of_member[first:last],
                    block.gain_of_member[first:last],
                    strict=True,
                )
            )
            for block in graph.groups
            for first, last in zip(block.first_member[:-1], block.first_member[1:], strict=True)
        ]
        assert chain.sums.tolist() == sums


def test_members_of_a_group_are_drawn_together() -> None:
    """Exactly two of four, hard; the last is tied to another variable and moves with the rest."""
    graph = build_graph(
        [2] * 5,
        weights=[np.inf, 0.7],
        groups=[sets("exactly", 2, [[0, 1, 2, 3]])],
        tables=[ties([[3, 4]], weight=1)],
    )
    log_unary = np.array([0, 0.5, 0, -0.5, 0, 0, 0, 1.0, 0, 0])
    sampler = scattered_chains(graph, log_potentials(graph, log_unary=log_unary), 2, 0)
    keep_hard_factors(sampler)
    model, chain = sampler.model._replace(values=values_of(sampler)), sampler.chains[0]
    seen: Counter[tuple[int, ...]] = Counter()
    n = 4000
    for _ in range(n):
        draw_groups(sampler.graph, model, chain, sampler.marks, 0, sampler.rng.random(5))
        seen[tuple(chain.states[:4].tolist())] += 1
    weights = {
        states: np.exp(
            log_unary[np.arange(4) * 2 + states].sum() + 0.7 * (states[3] == chain.states[4])
        )
        for states in np.ndindex(2, 2, 2, 2)
        if sum(states) == 2
    }
    total = sum(weights.values())
    assert set(seen) == set(weights)
    for states, weight in weights.items():
        share = weight / total
        assert abs(seen[states] / n - share) < 4 * np.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("seed", range(12))
def test_marginals_are_those_of_enumeration(seed: int) -> None:
    shape = Shape(hard=seed % 3 == 0, largest=1.5)
    graph = graph_with_states(seed, shape)
    solution, truth = solved(graph, draws=2000), enumerate_all(graph)
    assert solution.converged
    assert solution.meaning == "estimate"
    assert np.isnan(solution.log_partition)
    assert_distributions(graph, solution.marginals)
    error = np.abs(solution.marginals - truth.marginals)
    assert (error < 4 * solution.messages.standard_error + 2e-3).all()
    expected = np.asarray(graph.counts.T @ solution.marginals)
    for block, held in zip(graph.blocks, (*solution.tables, *solution.groups), strict=True):
        expected += block.potentials.total(held, graph.n_weights)
    soft = np.isfinite(graph.weights)
    np.testing.assert_allclose(expected[soft], truth.expected_counts[soft], atol=0.15)


def graph_with_states(seed: int, shape: Shape) -> FactorGraph:
    """A random graph that some assignment satisfies."""
    rng = np.random.default_rng(seed)
    while True:
        graph = random_graph(rng, shape)
        if enumerate_all(graph).log_partition > -np.inf:
            return graph


def test_trees_are_exact() -> None:
    """Where the whole graph is a tree, every sweep is independent of the one before."""
    graph = build_graph([2, 3, 2], weights=[3.0], tables=[ties([[0, 1]], np.eye(2, 3)),
                                                         ties([[1, 2]], np.eye(3, 2))])  # fmt: skip
    solution, truth = solved(graph), enumerate_all(graph)
    assert solution.residual < 0.01
    np.testing.assert_allclose(solution.marginals, truth.marginals, atol=0.03)
    assert solution.messages.effective_size.min() > 2000


def test_tightly_bound_variables_move_together() -> None:
    n = 30
    chain = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    graph = build_graph(np.full(n, 2), weights=[np.inf], tables=[ties(chain)])
    solution = solved(graph)
    assert solution.converged
    np.testing.assert_allclose(solution.marginals, 0.5, atol=0.05)


def test_ties_within_a_group_move_too() -> None:
    """A group that holds all the variables lets no tree grow: loose trees move them in pairs."""
    graph = build_graph(
        [2] * 4,
        weights=[8.0, 0.5],
        tables=[ties([[0, 1], [2, 3]])],
        groups=[sets("atleast", 1, [[0, 1, 2, 3]], weight=1)],
    )
    solution, truth = solved(graph), enumerate_all(graph)
    assert solution.converged
    np.testing.assert_allclose(solution.marginals, truth.marginals, atol=0.05)


def test_chains_that_never_meet_are_told() -> None:
    """Three variables that must be equal: whatever is drawn, one of them holds the others."""
    cycle = ties([[0, 1], [1, 2], [0, 2]])
    solution = solved(build_graph([2, 2, 2], weights=[np.inf], tables=[cycle]), random_state=1)
    assert not solution.converged
    assert solution.residual > 0.05
    assert solution.messages.effective_size.min() < 10


def test_the_same_seed_gives_the_same_numbers() -> None:
    graph = graph_with_states(5, Shape())
    one, same, other = (solved(graph, random_state=seed, draws=100) for seed in (3, 3, 4))
    assert one.marginals.tolist() == same.marginals.tolist()
    assert one.messages.r_hat.tolist() == same.messages.r_hat.tolist()
    assert one.marginals.tolist() != other.marginals.tolist()


def test_no_states_keep_the_hard_factors() -> None:
    differ = ties([[0, 1], [1, 2], [0, 2]], ~SAME)
    graph = build_graph([2, 2, 2], weights=[np.inf], tables=[differ])
    with pytest.raises(BadInput, match="all 3 hard factors were found in 105 sweeps"):
        solved(graph)


@pytest.mark.parametrize("wrong", [{"chains": 1}, {"burn_in": -1}, {"draws": 0}])
def test_settings_are_checked(wrong: dict[str, int]) -> None:
    with pytest.raises(BadInput, match="Gibbs sampling of"):
        GibbsConfig(**wrong)


def test_draws_are_rounded_up() -> None:
    assert solved(build_graph([2]), draws=21, burn_in=3).sweeps == 3 + 40


def test_no_variables_and_single_states() -> None:
    nothing = solved(build_graph([]), draws=20)
    assert nothing.converged
    assert nothing.residual == 0.0
    graph = build_graph([1, 1, 2], weights=[2.0], tables=[ties([[0, 1]], [[True]])])
    solution = solved(graph, draws=20)
    assert solution.marginals.tolist() == [1, 1, 0.5, 0.5]
    assert solution.tables[0].tolist()[0] == 1.0


@pytest.mark.parametrize("weight", [1e4, -1e4])
def test_extreme_weights(weight: float) -> None:
    graph = build_graph([2, 2, 2], weights=[weight], tables=[ties([[0, 1], [1, 2]])])
    solution = solved(graph, draws=400)
    assert_distributions(graph, solution.marginals)
    np.testing.assert_allclose(solution.marginals, 0.5, atol=0.1)
    assert solution.tables[0].sum() == (2.0 if weight > 0 else 0.0)


def test_a_variable_with_many_neighbours() -> None:
    n = 100_000
    pairs = np.stack([np.zeros(n, dtype=int), np.arange(1, n + 1)], axis=1)
    graph = build_graph(np.full(n + 1, 2), weights=[0.5], tables=[ties(pairs)])
    potentials = log_potentials(graph, log_unary=np.array([0.0, 40.0] + [0.0] * (2 * n)))
    tally = scattered_chains(graph, potentials, 2, 0).run(2)
    np.testing.assert_allclose(tally.shares[:, 1], 2.0)
    leaf = 1 / (1 + np.exp(-0.5))
    np.testing.assert_allclose(tally.shares[:, 3::2] / 2, leaf, atol=1e-9)  # a star is a tree
    assert tally.holding.mean() == pytest.approx(2 * n * leaf, rel=0.01)


def test_at_least_one_of_many() -> None:
    n = 100_000
    graph = build_graph(np.full(n, 2), weights=[np.inf], groups=[sets("atleast", 1, [range(n)])])
    log_unary = np.tile([0.0, -np.log(n)], n)
    sampler = scattered_chains(graph, log_potentials(graph, log_unary=log_unary), 2, 0)
    keep_hard_factors(sampler)
    tally = sampler.run(4)
    assert tally.holding.tolist() == [[4.0], [4.0]]
    assert (sampler.states.sum(axis=1) < 10).all()  # 1.6 on average


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_diagnostics_equal_their_slow_twins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_chains, n_batches, length = int(rng.integers(2, 5)), 4, int(rng.integers(2, 30))
    draws = rng.random((n_chains, n_batches * length)) + rng.random() * rng.random((n_chains, 1))
    draws = np.cumsum(draws, axis=1) if rng.random() < 0.3 else draws
    batches = draws.reshape(n_chains, n_batches, length).mean(axis=2)
    halves = batches.reshape(n_chains, 2, n_batches // 2).mean(axis=2).reshape(-1, 1)
    found = diagnose(
        halves,
        np.array([(batches**2).mean()]),
        np.array([(draws**2).mean()]),
        n_chains * n_batches,
        draws.size,
    )
    error = standard_error(draws, n_batches)
    assert found.r_hat[0] == pytest.approx(max(split_r_hat(draws), 1.0), rel=1e-5)
    assert found.standard_error[0] == pytest.approx(error, rel=1e-6)
    within = np.concatenate(np.split(draws, 2, axis=1)).var(axis=1, ddof=1).mean()
    assert found.effective_size[0] == pytest.approx(min(within / error**2, draws.size), rel=1e-3)


def test_chains_that_agree_to_the_last_digits() -> None:
    means = np.full((4, 1), 0.3) + np.array([[0], [1e-16], [0], [1e-16]])
    found = diagnose(means, np.array([0.09]), np.array([0.09]), 40, 400)
    assert found.r_hat[0] == pytest.approx(1.0, abs=1e-3)
    assert found.effective_size[0] == pytest.approx(400)
    assert NEGLIGIBLE < 1e-6
