"""What one assignment is worth, and what holds under it, against the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.graph import FactorGraph, build_graph
from tacit.inference.potentials import log_potentials
from tacit.inference.scores import at_best, holds, log_sums, most_likely
from tacit.inference.solution import Solution
from tests.inference.cases import Shape, graphs
from tests.oracles.inference import joint, score
from tests.oracles.messages import log_sum, truth

SHAPES = st.sampled_from([Shape(), Shape(hard=True), Shape(largest=1e4, hard=True)])


def some_states(graph: FactorGraph, data: st.DataObject) -> np.ndarray:
    drawn = [data.draw(st.integers(0, size - 1)) for size in graph.sizes.tolist()]
    return np.array(drawn, dtype=np.int32)


def empty(graph: FactorGraph) -> Solution:
    return Solution(
        marginals=np.zeros(graph.n_states), tables=(), groups=(), log_partition=0.0, meaning="exact"
    )


@settings(max_examples=80)
@given(st.data())
def test_the_score_of_an_assignment(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    states = some_states(graph, data)
    extra = np.random.default_rng(0).normal(0, 1, graph.n_states)
    found = at_best(graph, log_potentials(graph, log_unary=extra), states, empty(graph))
    total, counts = score(graph, graph.weights, extra, tuple(states.tolist()))
    np.testing.assert_allclose(found.log_partition, total, rtol=1e-12, atol=1e-9)
    np.testing.assert_array_equal(found.best, states)
    held = np.zeros(graph.n_weights)
    for block, own in zip(graph.blocks, (*found.tables, *found.groups), strict=True):
        held += block.potentials.total(own, graph.n_weights)
    wanted = np.zeros(graph.n_weights)
    for weight, true, count in joint(graph, tuple(states.tolist())):
        wanted[weight] += true * count
    np.testing.assert_allclose(held, wanted)
    soft = np.isfinite(graph.weights)
    alone = np.asarray(graph.counts[graph.first_state[:-1] + states].sum(axis=0)).reshape(-1)
    np.testing.assert_allclose((held + alone)[soft], counts[soft], atol=1e-9)


@settings(max_examples=60)
@given(st.data())
def test_which_factors_hold(data: st.DataObject) -> None:
    graph = data.draw(graphs(Shape()))
    states = some_states(graph, data)
    for block in graph.tables:
        wanted = [truth(block, f, states[block.variables[f]].tolist()) for f in range(len(block))]
        assert holds(block, states).tolist() == wanted
    for groups in graph.groups:
        cuts = groups.first_member[1:-1]
        members = np.split(groups.variable_of_member, cuts)
        wanted = [truth(groups, g, states[own].tolist()) for g, own in enumerate(members)]
        assert holds(groups, states).tolist() == wanted


@settings(max_examples=60)
@given(st.data())
def test_the_most_likely_states_and_sums(data: st.DataObject) -> None:
    graph = data.draw(graphs(Shape()))
    numbers = st.sampled_from([0.0, 0.25, 0.25, 0.5, -3.0, 700.0])
    values = np.array([data.draw(numbers) for _ in range(graph.n_states)])
    own = np.split(values, graph.first_state[1:-1])
    assert most_likely(graph, values).tolist() == [int(np.argmax(one)) for one in own]
    np.testing.assert_allclose(log_sums(graph, values), [log_sum(one.tolist()) for one in own])


def test_impossible_states_add_nothing() -> None:
    graph = build_graph([2, 3])
    unary = np.array([-np.inf, 1.0, -np.inf, 0.0, 0.0])
    np.testing.assert_allclose(log_sums(graph, unary), [1.0, np.log(2)])


def test_an_empty_graph() -> None:
    graph = build_graph([])
    assert most_likely(graph, np.empty(0)).shape == (0,)
    assert log_sums(graph, np.empty(0)).shape == (0,)
