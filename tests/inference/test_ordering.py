"""The order in which factors are visited: by tiles or components, and with no other answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.graph import build_graph
from tacit.inference import ordering
from tacit.inference.bp import BPConfig, solve_bp
from tacit.inference.components import components_of
from tacit.inference.ordering import counting_order, visiting_order
from tacit.inference.potentials import log_potentials
from tests.inference.blocks import ties


@given(st.lists(st.integers(0, 9), max_size=40))
def test_the_order_of_keys(keys: list[int]) -> None:
    array = np.array(keys, dtype=np.int32)
    assert counting_order(array, 10).tolist() == sorted(range(len(keys)), key=lambda i: keys[i])


def order_of(graph, tile: int, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setattr(ordering, "TILE", tile)
    n_odds = graph.n_states - graph.n_variables
    return visiting_order(graph.tables[0], n_odds, components_of(graph))


def test_tiles_of_last_ends_then_first_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ends = np.array([[i, j] for i, j in rng.integers(0, 40, (300, 2)) if i != j])
    graph = build_graph([2] * 40, weights=[0.2], tables=[ties(ends)])
    assert order_of(graph, 64, monkeypatch) is None  # everything lies near
    order = order_of(graph, 10, monkeypatch)
    assert sorted(order.tolist()) == list(range(len(ends)))
    visited = [(int(j) * 4 // 40, int(i) // 8) for i, j in graph.tables[0].variables[order]]
    assert visited == sorted(visited)


def test_no_more_tiles_than_every_pass_has_factors_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = np.array([[i, (i + 7) % 40] for i in range(40)])  # one component, last ends all over
    graph = build_graph([2] * 40, weights=[0.2], tables=[ties(ring)])
    monkeypatch.setattr(ordering, "LINE", 2)  # 40 factors on 40 log-odds: two tiles, not forty
    order = order_of(graph, 1, monkeypatch)
    last = graph.tables[0].variables[order, 1]
    assert (last[:20] < 20).all()
    assert (last[20:] >= 20).all()


def test_components_lie_together(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build_graph([2] * 6, weights=[1.0], tables=[ties([[0, 3], [1, 4], [2, 5], [3, 0]])])
    assert order_of(graph, 64, monkeypatch).tolist() == [0, 3, 1, 2]


def test_answers_do_not_depend_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    ends = np.array([[i, j] for i, j in rng.integers(0, 60, (200, 2)) if i != j])
    extra = rng.normal(size=120)
    found = []
    for tile in (64, 7):
        monkeypatch.setattr(ordering, "TILE", tile)
        graph = build_graph([2] * 60, weights=[0.2], tables=[ties(ends)])
        solved = solve_bp(graph, log_potentials(graph, log_unary=extra), config=BPConfig())
        found.append(solved.marginals)
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)
