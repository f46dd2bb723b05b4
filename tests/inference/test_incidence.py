"""The incidence of a graph against lists made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from tacit.errors import BadInput
from tacit.graph import FactorGraph, build_graph
from tacit.inference import incidence as module
from tacit.inference.incidence import (
    FACTOR,
    PARTNER,
    SLOT,
    Incidence,
    by_block,
    incidence_of,
    log_worths,
)
from tacit.inference.potentials import log_potentials
from tests.inference.blocks import sets, ties
from tests.inference.cases import Shape, graphs
from tests.oracles.inference import assignments, joint


def slots_of(flat: Incidence, factor: int) -> range:
    """The slots of a factor."""
    return range(*flat.first_slot[factor : factor + 2].tolist())


def holds(flat: Incidence, factor: int, states: tuple[int, ...]) -> bool:
    """Whether a factor holds, told from the flat arrays."""
    block, at = flat.block_of_factor[factor], 0
    for slot in slots_of(flat, factor):
        state, step = states[flat.variable_of_slot[slot]], flat.step_of_slot[slot]
        at += state * step if factor < flat.n_tables else flat.gains[step + state]
    first, last = flat.first_cell[block], flat.first_cell[block + 1] - 1
    return bool(flat.truth[min(first + at, last)])


@settings(max_examples=40)
@given(graphs(Shape(hard=True)))
def test_flat_factors_hold_where_the_graph_says(graph: FactorGraph) -> None:
    flat = incidence_of(graph)
    rng = np.random.default_rng(0)
    everything = list(assignments(graph))
    for states in (everything[i] for i in rng.integers(len(everything), size=20)):
        expected = [one for _, one, _ in joint(graph, states)]
        assert [holds(flat, factor, states) for factor in range(graph.n_factors)] == expected


@settings(max_examples=40)
@given(graphs(Shape(hard=True)))
def test_potentials_are_those_of_the_factors(graph: FactorGraph) -> None:
    potentials = log_potentials(graph)
    flat, worth = incidence_of(graph), log_worths(potentials)
    values = [*potentials.tables, *potentials.groups]
    expected = [v for one, b in zip(values, graph.blocks, strict=True) for v in one[b.potential]]
    assert worth[flat.potential_of_factor].tolist() == expected
    tables, groups = by_block(graph, worth)
    for one, other in zip((*tables, *groups), values, strict=True):
        assert one.tolist() == other.tolist()


@settings(max_examples=40)
@given(graphs(Shape()))
def test_places_are_the_slots_of_each_variable(graph: FactorGraph) -> None:
    flat = incidence_of(graph)
    expected = []
    for variable in range(graph.n_variables):
        assert flat.first_place[variable] == len(expected)
        for factor in range(graph.n_factors):
            slots = slots_of(flat, factor)
            block, potential = flat.block_of_factor[factor], flat.potential_of_factor[factor]
            for slot in (one for one in slots if flat.variable_of_slot[one] == variable):
                row = [slot, factor, block, potential, flat.first_cell[block]]
                others = [one for one in slots if one != slot]
                partner, partner_step = -1, None
                if factor < flat.n_tables and len(others) == 1:
                    partner = flat.variable_of_slot[others[0]]
                    partner_step = flat.step_of_slot[others[0]]
                expected.append([*row, flat.step_of_slot[slot], partner, partner_step])
    found = flat.places.tolist()
    assert flat.first_place[-1] == len(found)
    for one, other in zip(found, expected, strict=True):
        assert one[:7] == other[:7]
        assert other[7] in (None, one[7])  # nothing is known of a partner that is not there


def test_members_come_in_the_order_of_their_variables() -> None:
    graph = build_graph(
        [2] * 4, weights=[1.0], groups=[sets("atleast", 1, [[0, 1, 2], [1, 3]], [(0, 1), (1, 0)],
                                             [[0, 1, 0], [0, 1]])]
    )  # fmt: skip
    block = graph.groups[0]
    order = np.array([2, 0, 1, 4, 3])
    shuffled = replace(
        block,
        variable_of_member=block.variable_of_member[order],
        gain_of_member=block.gain_of_member[order],
    )
    one, other = incidence_of(graph), incidence_of(replace(graph, groups=(shuffled,)))
    assert one.variable_of_slot.tolist() == other.variable_of_slot.tolist() == [0, 1, 2, 1, 3]
    assert one.step_of_slot.tolist() == other.step_of_slot.tolist() == [0, 2, 0, 0, 2]


def test_nothing_at_all() -> None:
    flat = incidence_of(build_graph([]))
    assert flat.first_place.tolist() == [0]
    assert not len(flat.places)
    assert by_block(build_graph([]), np.empty(0)) == ((), ())


def test_too_many_slots_to_number(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build_graph([2, 2], weights=[1.0], tables=[ties([[0, 1]])])
    monkeypatch.setattr(module, "_offsets", lambda _: np.array([0, 2**31]))
    with pytest.raises(BadInput, match="2147483648 slots"):
        incidence_of(graph)


def test_many_factors() -> None:
    rng = np.random.default_rng(0)
    pairs = np.stack([rng.permutation(200_000), rng.permutation(200_000)], axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    graph = build_graph(np.full(200_000, 2), weights=[1.0], tables=[ties(pairs)])
    flat, pairs = incidence_of(graph), graph.tables[0].variables
    owner = np.repeat(np.arange(200_000), np.diff(flat.first_place))
    assert (flat.variable_of_slot[flat.places[:, SLOT]] == owner).all()
    assert (pairs[flat.places[:, FACTOR]].sum(axis=1) == owner + flat.places[:, PARTNER]).all()
