"""Messages passed as odds: against the oracle, and against the same messages as log-odds."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.graph import FactorGraph, build_graph
from tacit.inference import BPConfig, infer
from tacit.inference import messages as speaking
from tacit.inference import odds_of_pairs as by_odds
from tacit.inference.bp import Passing, solve_bp
from tacit.inference.kernels import odds as kernel
from tacit.inference.kernels.components import most_frequent
from tacit.inference.messages import Messages
from tacit.inference.potentials import log_potentials
from tacit.inference.solution import Solution
from tests.inference.blocks import ties
from tests.inference.test_kernels import Started, check_measure, check_sweep
from tests.oracles.inference import enumerate_all

SEEDS = st.integers(0, 2**32 - 1)
FORMS = st.sampled_from([np.float64, np.int32])
AGREE, IMPLY = np.eye(2, dtype=bool), np.array([[True, True], [False, True]])


def pair_graph(rng: np.random.Generator, n: int = 9, largest: float = 2.0) -> FactorGraph:
    """Two blocks of pairs that tie everything, each with several potentials."""
    ends = np.array([[i, j] for i in range(n) for j in range(n) if abs(i - j) > 1])
    chain = np.array([[i, i + 1] for i in range(n - 1)])
    tables = []
    for truth, first in ((AGREE, 0), (IMPLY, 3)):
        more = ends[rng.permutation(len(ends))[: int(rng.integers(1, 6))]]
        some = rng.permutation(np.concatenate([chain, more]))
        tables.append(ties(some, truth, weight=first + rng.integers(0, 3, len(some))))
    return build_graph([2] * n, weights=rng.uniform(-largest, largest, 6), tables=tables)


def kept(rng: np.random.Generator, graph: FactorGraph, form: type) -> tuple[np.ndarray, ...]:
    """Random messages as they are kept, certain ones among them."""
    said = [np.clip(rng.normal(0, 0.7, (2, len(block))), -1, 1) for block in graph.tables]
    return tuple((one * kernel.WHOLE).astype(form) if form is np.int32 else one for one in said)


def by_log_odds(graph: FactorGraph, unary: np.ndarray, config: BPConfig) -> Solution:
    """The same run with log-odds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speaking, "can_speak_odds", lambda links, values: False)
        found = solve_bp(graph, log_potentials(graph, log_unary=unary), config=config)
    assert found.messages.total is not None
    return found


def assert_same(one: Solution, other: Solution, atol: float = 1e-9) -> None:
    assert one.sweeps == other.sweeps
    assert one.converged == other.converged
    np.testing.assert_allclose(one.marginals, other.marginals, rtol=0, atol=atol)
    np.testing.assert_allclose(one.log_partition, other.log_partition, rtol=1e-12, atol=10 * atol)
    for mine, yours in zip(one.tables, other.tables, strict=True):
        np.testing.assert_allclose(mine, yours, rtol=0, atol=10 * atol)


@settings(max_examples=40)
@given(SEEDS, FORMS, st.sampled_from([1.0, 20.0, 400.0]))
def test_one_sweep_and_what_it_amounts_to(seed: int, form: type, scale: float) -> None:
    rng = np.random.default_rng(seed)
    graph = pair_graph(rng)
    potentials = log_potentials(graph, log_unary=rng.normal(0, scale, graph.n_states))
    start = Messages(kept(rng, graph, form), None)
    passing = Passing(graph, potentials, start=start)
    shares = [[1.0] * len(block) for block in graph.blocks]
    said = Started(graph, potentials, Passing(graph, potentials, start=start), shares)
    atol = 1e-9 if form is np.float64 else 1e-7
    check_sweep(said, atol=atol)  # begins with log-odds that can be kept
    assert said.passing.said.kept is None  # for they were read as log-odds
    check_measure(said, holds=False)
    passing.run(BPConfig(max_sweeps=1, tolerance=0.0))
    assert passing.said.kept is not None
    assert passing.said.kept[0].dtype == form
    total, marginals, _ = passing.measure()
    np.testing.assert_allclose(passing.log_odds, said.passing.log_odds, rtol=1e-9, atol=10 * atol)
    np.testing.assert_allclose(total, said.passing.measure()[0], rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(marginals, said.passing.measure()[1], rtol=0, atol=atol)


@settings(max_examples=40)
@given(SEEDS, FORMS, st.sampled_from([1.0, 300.0]), st.booleans())
def test_whole_runs(seed: int, form: type, scale: float, certain: bool) -> None:
    rng = np.random.default_rng(seed)
    graph = pair_graph(rng, n=8)
    unary = rng.normal(0, scale, graph.n_states)
    if certain:
        unary[[0, 3]] = -np.inf
    config = BPConfig(tolerance=1e-6, max_sweeps=300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_odds, "LARGE", 0 if form is np.int32 else 2**40)
        found = solve_bp(graph, log_potentials(graph, log_unary=unary), config=config)
    if found.messages.total is None:  # else sweeps swung, and were damped
        assert found.messages.values[0].dtype == form
    fine = form is np.float64 and not certain  # at 1e8, sums resolve 1e-8
    assert_same(found, by_log_odds(graph, unary, config), 1e-9 if fine else 1e-7)


@given(SEEDS)
@settings(max_examples=30)
def test_trees_are_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = np.array([[int(rng.integers(0, child)), child] for child in range(1, 8)])
    graph = build_graph(
        [2] * 8, weights=rng.uniform(-8, 8, 7), tables=[ties(ends, weight=range(7))]
    )
    unary = rng.normal(0, 3, 16)
    potentials = log_potentials(graph, log_unary=unary)
    found = solve_bp(graph, potentials, config=BPConfig(tolerance=1e-11))
    assert found.messages.total is None
    truth = enumerate_all(graph, log_unary=unary)
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=0, atol=1e-10)


def test_sweeps_that_swing_are_damped_as_log_odds() -> None:
    rng = np.random.default_rng(3)
    ends = [[i, j] for i in range(12) for j in range(i)]
    graph = build_graph([2] * 12, weights=[-1.5], tables=[ties(ends)])
    unary, config = rng.normal(0, 0.1, 24), BPConfig(max_sweeps=400)
    found = solve_bp(graph, log_potentials(graph, log_unary=unary), config=config)
    assert found.messages.total is not None  # log-odds in the end
    assert_same(found, by_log_odds(graph, unary, config), 1e-6)


@pytest.mark.parametrize(
    ("weight", "n_leaves", "odds"),
    [(8.0, 20, True), (8.1, 20, False), (0.5, 320, True), (0.5, 321, False), (-0.5, 321, False)],
)
def test_what_products_cannot_bear_is_left_to_log_odds(
    weight: float, n_leaves: int, odds: bool
) -> None:
    star = [[0, leaf] for leaf in range(1, n_leaves + 1)]
    graph = build_graph([2] * (n_leaves + 1), weights=[weight], tables=[ties(star)])
    unary = np.zeros(graph.n_states)
    unary[3::2] = 1e5  # every leaf is certain
    found = infer(graph, "bp", log_unary=unary)
    assert (found.messages.total is None) == odds
    total = n_leaves * abs(weight)
    wanted = 1.0 if weight > 0 else np.exp(-total) / (1 + np.exp(-total))
    assert found.by_state[1] == pytest.approx(wanted)
    np.testing.assert_allclose(found.by_state[3::2], 1.0)


def test_other_ways_to_run_use_log_odds() -> None:
    graph = pair_graph(np.random.default_rng(0))
    for config in (BPConfig(damping=0.1), BPConfig(schedule="sequential")):
        assert solve_bp(graph, log_potentials(graph), config=config).messages.total is not None
    best = solve_bp(graph, log_potentials(graph), maximise=True)
    assert best.messages.total is not None


@pytest.mark.parametrize("large", [0, 2**40])
def test_a_later_run_goes_on_from_what_is_kept(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_odds, "LARGE", large)
    rng = np.random.default_rng(4)
    graph = pair_graph(rng, largest=0.8)
    potentials = log_potentials(graph, log_unary=rng.normal(0, 1, graph.n_states))
    first = solve_bp(graph, potentials, config=BPConfig(tolerance=1e-7))
    again = solve_bp(graph, potentials, config=BPConfig(tolerance=1e-6), start=first.messages)
    assert again.sweeps == 1
    np.testing.assert_allclose(again.marginals, first.marginals, rtol=0, atol=1e-7)
    other = log_potentials(graph, 1.1 * graph.weights, potentials.unary)
    warm = solve_bp(graph, other, config=BPConfig(tolerance=1e-7), start=first.messages)
    cold = solve_bp(graph, other, config=BPConfig(tolerance=1e-7))
    np.testing.assert_allclose(warm.marginals, cold.marginals, rtol=0, atol=1e-6)
    damped = BPConfig(tolerance=1e-7, damping=0.2)
    slow = solve_bp(graph, potentials, config=damped, start=first.messages)
    assert slow.sweeps == 1
    back = solve_bp(graph, potentials, config=BPConfig(tolerance=1e-6), start=slow.messages)
    assert back.sweeps == 1
    assert back.messages.total is None


def test_a_fine_tolerance_is_given_eight_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_odds, "LARGE", 0)
    graph = pair_graph(np.random.default_rng(5))
    for tolerance, form in ((1e-5, np.int32), (0.0, np.float64), (-1.0, np.int32)):
        config = BPConfig(tolerance=tolerance, max_sweeps=3)
        found = solve_bp(graph, log_potentials(graph), config=config)
        assert found.messages.values[0].dtype == form
    strong = log_potentials(graph, np.full(6, by_odds.SMALL_STRENGTH * 2.01))
    found = solve_bp(graph, strong, config=BPConfig(max_sweeps=3))
    assert found.messages.total is not None or found.messages.values[0].dtype == np.float64


def test_the_same_input_gives_the_same_bits() -> None:
    rng = np.random.default_rng(6)
    ends = np.array([[i, j] for i, j in rng.integers(0, 2000, (6000, 2)) if i != j])
    unary = rng.normal(0, 1, 4000)
    found = []
    for _ in range(3):
        graph = build_graph([2] * 2000, weights=[0.3], tables=[ties(ends)])
        found.append(infer(graph, "bp", log_unary=unary))
    assert found[0].messages.total is None
    for other in found[1:]:
        assert (other.by_state == found[0].by_state).all()
        assert other.log_partition == found[0].log_partition


@given(st.lists(st.floats(-1e9, 1e9) | st.floats(-5, 5), max_size=20))
def test_odds_and_back(values: list[float]) -> None:
    log_odds = np.array(values)
    there = log_odds.copy()
    kernel.to_odds(there, by_odds.FAR)
    np.testing.assert_allclose(there, np.exp(np.clip(log_odds, -370, 370)), rtol=1e-12)
    kernel.to_log_odds(there)
    np.testing.assert_allclose(there, np.clip(log_odds, -370, 370), rtol=1e-12, atol=1e-14)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=600))
def test_the_most_frequent_end(ends: list[tuple[int, int]]) -> None:
    array = np.array(ends, dtype=np.int32).reshape(-1, 2)
    times = Counter(end for pair in ends for end in pair)
    assert most_frequent(array, 10) == max(times.values(), default=0)


def test_a_very_frequent_end() -> None:
    assert most_frequent(np.array([[0, i] for i in range(1, 400)], dtype=np.int32), 400) == 399
