"""Components and forests against SciPy and against walking from neighbour to neighbour."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from tacit.graph import FactorGraph, build_graph
from tacit.inference.components import components_of, restricted
from tacit.inference.forests import forests, scopes
from tacit.inference.kernels import components as kernel
from tests.inference.blocks import sets, ties
from tests.inference.cases import Shape, graphs
from tests.oracles.inference import joint
from tests.oracles.messages import all_scopes, closes_cycle, joined, stretches

MANY = Shape(most_variables=12, most_factors=6, binary=True)
TREE = Shape(most_variables=12, most_factors=9, binary=True, tree=True)
SHAPES = st.sampled_from([MANY, TREE, Shape()])


def by_scipy(graph: FactorGraph) -> tuple[int, np.ndarray]:
    """Components of variables and factors together."""
    every = all_scopes(graph)
    n = graph.n_variables + len(every)
    row = [graph.n_variables + f for f, scope in enumerate(every) for _ in scope]
    column = [v for scope in every for v in scope]
    links = sparse.coo_array((np.ones(len(row)), (row, column)), shape=(n, n))
    count, label = connected_components(links, directed=False)
    return count, label[: graph.n_variables]


@settings(max_examples=80)
@given(st.data())
def test_components_are_those_of_scipy(data: st.DataObject) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    found = components_of(graph)
    every = all_scopes(graph)
    tied = {v for scope in every for v in scope}
    _, label = by_scipy(graph)
    for one in range(graph.n_variables):
        assert (found.of_variable[one] < 0) == (one not in tied)
        for other in tied:
            together = found.of_variable[one] == found.of_variable[other]
            assert together == (label[one] == label[other])
    assert len(found) == len({label[v] for v in tied})
    sizes = [int((found.of_variable == c).sum()) for c in range(len(found))]
    assert found.n_variables.tolist() == sizes
    for c in range(len(found)):
        inside = [scope for scope in every if found.of_variable[scope[0]] == c]
        assert found.n_ends[c] == sum(len(scope) - 1 for scope in inside)
        assert found.n_cycles[c] == sum(map(len, inside)) - len(inside) - sizes[c] + 1


@settings(max_examples=40)
@given(st.data())
def test_trees_have_no_cycles(data: st.DataObject) -> None:
    assert not components_of(data.draw(graphs(TREE))).n_cycles.any()


@settings(max_examples=40)
@given(st.data())
def test_the_union_of_scopes(data: st.DataObject) -> None:
    graph = data.draw(graphs(MANY))
    parent = np.arange(graph.n_variables, dtype=np.int32)
    for block in graph.tables:
        kernel.join_tables(parent, block.variables)
    for groups in graph.groups:
        kernel.join_groups(parent, groups.first_member, groups.variable_of_member)
    roots = joined(graph.n_variables, all_scopes(graph))
    touched = np.zeros(graph.n_variables, dtype=bool)
    for scope in all_scopes(graph):
        kernel.mark(np.array(scope, dtype=np.int32), touched)
    tied = {v for scope in all_scopes(graph) for v in scope}
    assert set(np.flatnonzero(touched).tolist()) == tied
    n_components = kernel.number(parent, touched)
    numbers = {root: at for at, root in enumerate(sorted({roots[v] for v in tied}))}
    assert parent.tolist() == [numbers.get(root, -1) for root in roots]
    assert n_components == len(numbers)
    n_variables = np.zeros(n_components, dtype=np.int64)
    kernel.count_variables(parent, n_variables)
    assert n_variables.tolist() == [roots.count(root) for root in numbers]


@settings(max_examples=60)
@given(st.data())
def test_a_restricted_graph_has_the_factors_of_its_components(data: st.DataObject) -> None:
    graph = data.draw(graphs(MANY))
    components = components_of(graph)
    kept = np.array([data.draw(st.booleans()) for _ in range(len(components))], dtype=bool)
    part = restricted(graph, kept)
    inside = [scope for scope in all_scopes(graph) if kept[components.of_variable[scope[0]]]]
    assert all_scopes(part) == inside
    assert len(part.blocks) == len(graph.blocks)
    assert part.n_variables == graph.n_variables
    states = tuple(0 for _ in range(graph.n_variables))
    kept_of_factor = [kept[components.of_variable[scope[0]]] for scope in all_scopes(graph)]
    every = list(joint(graph, states))
    assert list(joint(part, states)) == [
        one for one, mine in zip(every, kept_of_factor, strict=True) if mine
    ]


def test_nothing_left_out_is_the_same_graph() -> None:
    graph = build_graph([2, 2], weights=[1.0], tables=[ties([[0, 1]])])
    assert restricted(graph, np.array([True])) is graph


def test_components_are_found_once() -> None:
    graph = build_graph([2, 2, 2], weights=[1.0], groups=[sets("atleast", 1, [[0, 2]])])
    assert components_of(graph) is components_of(graph)
    assert components_of(graph).of_variable.tolist() == [0, -1, 0]


def test_no_variables_and_no_factors() -> None:
    assert len(components_of(build_graph([]))) == 0
    assert components_of(build_graph([2, 3])).of_variable.tolist() == [-1, -1]


def test_a_long_chain_and_a_wide_star() -> None:
    n = 200_000
    chain = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    for ends in (chain, chain[::-1], np.stack([np.zeros(n - 1), np.arange(1, n)], axis=1)):
        found = components_of(build_graph([2] * n, weights=[1.0], tables=[ties(ends)]))
        assert found.n_variables.tolist() == [n]
        assert found.n_cycles.tolist() == [0]


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=30),
    st.lists(st.integers(1, 7), min_size=1, max_size=10),
    st.integers(0, 40),
)
def test_stretches_of_components(components: list[int], sizes: list[int], room: int) -> None:
    ends = np.cumsum([0, *sizes])
    ends = np.append(ends[ends < len(components)], len(components))
    chunks = np.stack([ends[:-1], ends[1:]], axis=1)
    first = np.arange(len(components), dtype=np.int32)
    of_variable = np.array(components, dtype=np.int32)
    wanted = stretches(components, chunks.tolist())
    chunk, component = np.full(room, -1), np.full(room, -1, dtype=np.int32)
    found = kernel.stretches(first, of_variable, chunks, chunk, component)
    assert found == len(wanted)
    written = list(zip(chunk.tolist(), component.tolist(), strict=True))[: len(wanted)]
    assert written == wanted[:room]
    n_factors = np.zeros(5, dtype=np.int64)
    in_order = kernel.count_factors(first, of_variable, n_factors)
    assert in_order == (components == sorted(components))
    assert n_factors.tolist() == [components.count(c) for c in range(5)]


# -- forests ---------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.data(), st.integers(1, 5))
def test_forests_have_no_cycles_and_hold_every_factor(data: st.DataObject, n: int) -> None:
    graph = data.draw(graphs(data.draw(SHAPES)))
    found = forests(graph, n, np.random.default_rng(0))
    every = all_scopes(graph)
    assert len(found) >= n
    held = np.zeros(len(every), dtype=int)
    for chosen in found:
        assert chosen.shape == (len(every),)
        held += chosen
        taken: list[list[int]] = []
        for scope in (every[f] for f in np.flatnonzero(chosen)):
            assert not closes_cycle(taken, scope)
            taken.append(scope)
        for f in np.flatnonzero(~chosen):  # as large as can be
            assert closes_cycle(taken, every[f])
    assert (held > 0).all()


def test_one_forest_holds_a_tree() -> None:
    graph = build_graph([2] * 5, weights=[1.0], tables=[ties([[0, 1], [1, 2], [1, 3], [3, 4]])])
    for chosen in forests(graph, 3, np.random.default_rng(0)):
        assert chosen.all()


@settings(max_examples=30)
@given(st.data())
def test_scopes_lists_the_variables_of_every_factor(data: st.DataObject) -> None:
    graph = data.draw(graphs(MANY))
    first, ends = scopes(graph)
    listed = [ends[a:b].tolist() for a, b in pairwise(first)]
    assert listed == all_scopes(graph)
