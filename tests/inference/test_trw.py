"""Tree-reweighted belief propagation: never below the true log-partition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.errors import Contradiction, TacitWarning
from tacit.graph import FactorGraph, build_graph
from tacit.inference import TRWConfig, infer
from tacit.inference.potentials import log_potentials
from tacit.inference.trw import each_its_own, solve_trw
from tests.inference.blocks import assert_distributions, sets, ties
from tests.inference.cases import Shape, graphs
from tests.oracles.inference import enumerate_all

SMALL = Shape(most_variables=6, most_factors=8)
SHAPES = st.sampled_from(
    [SMALL, replace(SMALL, largest=8.0), replace(SMALL, hard=True), replace(SMALL, binary=True)]
)
# One forest more than needed or many; settled messages or hardly begun ones.
CONFIGS = st.sampled_from(
    [
        TRWConfig(),
        TRWConfig(max_sweeps=1),
        TRWConfig(max_sweeps=1, n_forests=1),
        TRWConfig(max_sweeps=7, damping=0.0, n_forests=3, random_state=5),
        TRWConfig(schedule="sequential", max_sweeps=20, n_forests=4),
    ]
)


def slack(graph: FactorGraph) -> float:
    """Hard words stand at 1e8, where sums resolve about 1e-8 each."""
    hard = np.isinf(graph.weights).any() or graph.possible is not None
    return 1e-5 if hard else 1e-7


@settings(max_examples=50)
@given(st.data())
def test_never_below_the_log_partition(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    config = data.draw(CONFIGS)
    truth = enumerate_all(graph)
    assume(truth.log_partition > -np.inf)
    found = solve_trw(graph, log_potentials(graph), config=config)
    assert found.meaning == "upper bound"
    assert found.log_partition >= truth.log_partition - slack(graph)
    assert_distributions(graph, found.marginals)


@settings(max_examples=40)
@given(st.data())
def test_equal_on_trees(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([replace(SMALL, tree=True, hard=h) for h in (False, True)]))
    graph = data.draw(graphs(shape))
    truth = enumerate_all(graph)
    assume(truth.log_partition > -np.inf)
    # Hard evidence stands at 1e8, where sums resolve to 1e-8: smaller changes are rounding.
    config = TRWConfig(tolerance=1e-7 if shape.hard else 1e-10, n_forests=2, damping=0.0)
    found = solve_trw(graph, log_potentials(graph), config=config)
    np.testing.assert_allclose(
        found.log_partition, truth.log_partition, rtol=0, atol=10 * slack(graph)
    )
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-6)
    assert found.converged


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_the_bound_is_tight_where_ties_are_weak(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = [[i, j] for i in range(7) for j in range(i) if rng.random() < 0.5]
    graph = build_graph([2] * 7, weights=[0.3], tables=[ties(ends)])
    extra = rng.normal(0, 1, graph.n_states)
    truth = enumerate_all(graph, log_unary=extra)
    found = infer(graph, "trw", log_unary=extra)
    assert found.converged
    # A forest holds six ties at most, so more ties are each worth more in the forests that have
    # them: the gap grows with their square.
    assert 0 <= found.log_partition - truth.log_partition + 1e-7 < 0.001 * len(ends) ** 2 + 1e-6
    np.testing.assert_allclose(found.by_state, truth.marginals, rtol=0, atol=0.05)


def test_a_frustrated_graph_is_bounded_too() -> None:
    rng = np.random.default_rng(0)
    ends = [[i, j] for i in range(9) for j in range(i)]
    sign = rng.integers(0, 2, len(ends))
    graph = build_graph([2] * 9, weights=[4.0, -4.0], tables=[ties(ends, weight=sign)])
    extra = rng.normal(0, 1, graph.n_states)
    truth = enumerate_all(graph, log_unary=extra)
    with pytest.warns(TacitWarning, match="trw did not settle in 3 sweeps"):
        found = infer(graph, "trw", log_unary=extra, config=TRWConfig(max_sweeps=3))
    assert not found.converged
    assert found.log_partition >= truth.log_partition


def test_same_seed_same_bits_other_seed_other_forests() -> None:
    rng = np.random.default_rng(1)
    ends = [[i, j] for i in range(8) for j in range(i)]
    graph = build_graph([2] * 8, weights=[0.1], tables=[ties(ends)])
    extra = rng.normal(0, 1, graph.n_states)
    one, again, other = (
        infer(graph, "trw", log_unary=extra, config=TRWConfig(random_state=seed, n_forests=2))
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one.by_state, again.by_state)
    assert one.log_partition == again.log_partition
    assert one.log_partition != other.log_partition


@settings(max_examples=20)
@given(st.data())
def test_expected_counts_are_possible(data: st.DataObject) -> None:
    graph = data.draw(graphs(SMALL))
    found = solve_trw(graph, log_potentials(graph))
    assume(found.converged)
    for block, held in zip(graph.blocks, (*found.tables, *found.groups), strict=True):
        most = np.bincount(block.potential, minlength=len(block.potentials))
        assert held.shape == most.shape
        assert (held >= -1e-4).all()
        assert (held <= most + 1e-4).all()


@settings(max_examples=20)
@given(st.data())
def test_each_factor_gets_its_own_potential(data: st.DataObject) -> None:
    graph = data.draw(graphs(Shape()))
    potentials = log_potentials(graph)
    spread, worth = each_its_own(graph, potentials)
    values = zip(
        (*worth.tables, *worth.groups), (*potentials.tables, *potentials.groups), strict=True
    )
    for block, own, (mine, before) in zip(graph.blocks, spread.blocks, values, strict=True):
        assert own.potential.tolist() == list(range(len(block)))
        np.testing.assert_array_equal(mine, before[block.potential])


def test_a_graph_without_factors() -> None:
    graph = build_graph([2, 3])
    found = infer(graph, "trw")
    assert found.log_partition == pytest.approx(np.log(6))
    assert found.converged


def test_a_wide_group_is_bounded() -> None:
    n = 300
    graph = build_graph([2] * n, weights=[2.0], groups=[sets("atleast", 1, [range(n)] * 2)])
    log_unary = np.tile([0.0, -6.0], n)
    exact = infer(graph, "exact", log_unary=log_unary).log_partition
    assert infer(graph, "trw", log_unary=log_unary).log_partition >= exact - 1e-6


@settings(max_examples=30)
@given(st.data())
def test_hard_loops_that_can_be_satisfied_are_no_contradiction(data: st.DataObject) -> None:
    graph = data.draw(graphs(replace(SMALL, hard=True)))
    assume(enumerate_all(graph).log_partition > -np.inf)
    for config in (TRWConfig(), TRWConfig(max_sweeps=1, n_forests=1)):
        assert_distributions(
            graph, solve_trw(graph, log_potentials(graph), config=config).marginals
        )


def test_a_contradiction_is_named() -> None:
    graph = build_graph(
        [2, 2], weights=[np.inf], possible=np.array([True, False, False, True]),
        tables=[ties([[0, 1]])],
    )  # fmt: skip
    with pytest.raises(Contradiction, match="weight 0"):
        infer(graph, "trw")
