"""Expected shares are met, and by the least that meets them."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tacit.errors import TacitWarning
from tacit.graph import Expectations, FactorGraph, build_graph
from tacit.inference import infer
from tacit.inference.expectations import covariance, meet_expectations
from tacit.inference.solution import Solution
from tests.inference.blocks import assert_distributions, ties, unary
from tests.oracles.inference import enumerate_all, score

Asked = tuple[dict[int, float], float, float]  # counts by state, share, margin


def asking(
    graph_sizes: list[int],
    asked: list[Asked],
    *,
    own: dict[int, float] | None = None,
    ends: object = (),
    weight: float = 0.0,
    n_groundings: list[float] | None = None,
) -> FactorGraph:
    """Variables with evidence of their own, ties of one weight, and expectations."""
    own = own or {}
    entries = {(state, 1): value for state, value in own.items()}
    for at, (counts, _, _) in enumerate(asked):
        entries |= {(state, 2 + at): count for state, count in counts.items()}
    weights = np.array([weight, 1.0, *(0.0 for _ in asked)])
    counts_ = unary(sum(graph_sizes), entries, len(weights))
    blocks = [ties(ends)] if len(ends) else []  # type: ignore[arg-type]
    graph = build_graph(graph_sizes, weights=weights, counts=counts_, tables=blocks)
    totals = n_groundings or [sum(counts.values()) for counts, _, _ in asked]
    expectations = Expectations(
        np.arange(2, 2 + len(asked), dtype=np.int32),
        np.array([share for _, share, _ in asked]),
        np.array([margin for _, _, margin in asked]),
        np.array(totals, dtype=np.float64),
    )
    return replace(graph, expectations=expectations)


def positives(n: int) -> dict[int, float]:
    """The second state of each of n binary variables."""
    return {2 * v + 1: 1.0 for v in range(n)}


def shares(graph: FactorGraph, by_state: np.ndarray) -> np.ndarray:
    """The expected shares under some marginals."""
    asked = graph.expectations
    return np.asarray(graph.counts[:, asked.weight].T @ by_state) / asked.n_groundings


def constrained(graph: FactorGraph) -> tuple[np.ndarray, np.ndarray, float]:
    """The nearest distribution that meets all shares, over all assignments; how far it is off."""
    asked = graph.expectations
    every = list(product(*(range(size) for size in graph.sizes)))
    base = np.array([score(graph, graph.weights, np.zeros(graph.n_states), s)[0] for s in every])
    states = np.array([graph.first_state[:-1] + np.array(s) for s in every])
    counts = graph.counts[:, asked.weight].toarray()[states].sum(axis=1)
    n, k = asked.n_groundings, len(asked)

    def dual(both: np.ndarray) -> tuple[float, np.ndarray]:
        up, down = both[:k], both[k:]
        scores = base + counts @ (up - down)
        high = scores.max()
        p = np.exp(scores - high)
        log_z, p = high + np.log(p.sum()), p / p.sum()
        off = p @ counts - n * asked.share
        value = log_z - (up - down) @ (n * asked.share) + (up + down) @ (n * asked.margin)
        return value, np.concatenate([off + n * asked.margin, -off + n * asked.margin])

    found = minimize(
        dual, np.zeros(2 * k), jac=True, method="L-BFGS-B", bounds=[(0, 40)] * (2 * k),
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000},
    )  # fmt: skip
    weights = found.x[:k] - found.x[k:]
    p = np.exp(base + counts @ weights - (base + counts @ weights).max())
    p /= p.sum()
    marginals = np.bincount(states.reshape(-1), np.repeat(p, graph.n_variables), graph.n_states)
    gap = np.abs(p @ counts / n - asked.share) - asked.margin
    return weights, marginals, float(gap.max())


def random_problem(rng: np.random.Generator) -> FactorGraph:
    """Five variables of two or three labels, tied at random, and one to four expectations."""
    sizes = rng.choice([2, 2, 3], 5).tolist()
    first = np.concatenate([[0], np.cumsum(sizes)])
    binary = [v for v in range(5) if sizes[v] == 2]
    ends = [rng.permutation(binary)[:2] for _ in range(4)] if len(binary) > 1 else []
    asked = []
    for _ in range(int(rng.integers(1, 5))):
        chosen = [v for v in range(5) if rng.random() < 0.7] or [0]
        counts = {int(first[v] + rng.integers(sizes[v])): float(rng.integers(1, 3)) for v in chosen}
        asked.append((counts, rng.uniform(0.2, 0.8), float(rng.choice([0.0, 0.05, 0.2]))))
    own = {s: float(rng.normal()) for s in range(int(first[-1]))}
    return asking(sizes, asked, own=own, ends=ends, weight=float(rng.normal()))


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
@example(17077)  # the quadratic of a step is a narrow valley
def test_the_constrained_optimum(seed: int) -> None:
    graph = random_problem(np.random.default_rng(seed))
    weights, marginals, gap = constrained(graph)
    assume(gap < 1e-7)
    assume(np.abs(weights).max() < 20)
    found = infer(graph, "exact")
    assert found.diagnostics.expectation_gap < 1e-5
    np.testing.assert_allclose(found.by_state, marginals, rtol=0, atol=2e-4)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
@example(541)  # shares that can just be met, by weights up to 34
def test_a_weight_moves_only_where_its_share_needs_it(seed: int) -> None:
    graph = random_problem(np.random.default_rng(seed))
    _, _, gap = constrained(graph)
    assume(gap < 1e-7)
    found = infer(graph, "exact")
    asked = graph.expectations
    share, dual = shares(graph, found.by_state), found.weights[asked.weight]
    assert (np.abs(share - asked.share) <= asked.margin + 1e-5).all()
    pulled = np.abs(dual) > 1e-3  # complementary slackness: a pulled share lies on its edge
    edge = asked.share - np.sign(dual) * asked.margin
    np.testing.assert_allclose(share[pulled], edge[pulled], rtol=0, atol=1e-5)


@pytest.mark.parametrize("method", ["exact", "bp", "auto", "trw", "mean_field"])
@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.9])
def test_an_exact_share_is_met(method: str, share: float) -> None:
    n = 40
    rng = np.random.default_rng(0)
    own = {2 * v + 1: float(rng.normal()) for v in range(n)}
    ends = [[v, v + 1] for v in range(0, n - 1, 2)]
    graph = asking([2] * n, [(positives(n), share, 0.0)], own=own, ends=ends, weight=0.6)
    found = infer(graph, method)  # type: ignore[arg-type]
    np.testing.assert_allclose(shares(graph, found.by_state), share, rtol=0, atol=2e-6)
    assert found.diagnostics.expectation_gap < 2e-6
    assert found.expected_counts[2] == pytest.approx(share * n, abs=1e-3)


def test_a_share_within_its_margin_moves_nothing() -> None:
    graph = asking([2] * 10, [(positives(10), 0.45, 0.1)], own={2 * v + 1: 0.1 for v in range(10)})
    found = infer(graph)
    bare = infer(replace(graph, expectations=build_graph([]).expectations))
    assert found.weights[2] == 0.0
    assert found.diagnostics.expectation_gap == 0.0
    np.testing.assert_array_equal(found.by_state, bare.by_state)


@pytest.mark.parametrize(("own", "edge"), [(3.0, 0.6), (-3.0, 0.4)])
def test_a_share_outside_its_margin_goes_to_the_nearer_edge(own: float, edge: float) -> None:
    evidence = {2 * v + 1: own for v in range(10)}
    graph = asking([2] * 10, [(positives(10), 0.5, 0.1)], own=evidence)
    found = infer(graph)
    np.testing.assert_allclose(shares(graph, found.by_state), edge, rtol=0, atol=1e-5)
    assert found.weights[2] == pytest.approx(np.log(edge / (1 - edge)) - own, abs=1e-3)


def test_going_on_from_found_weights_takes_no_step() -> None:
    graph = asking([2] * 10, [(positives(10), 0.8, 0.0)], own={1: 0.3, 5: -2.0})
    first = infer(graph)
    again = infer(graph, weights=first.weights)
    np.testing.assert_array_equal(again.weights, first.weights)


def test_a_weight_that_is_needed_no_longer_goes_back_to_zero() -> None:
    graph = asking([2] * 10, [(positives(10), 0.5, 0.1)], own={})
    weights = graph.weights.copy()
    weights[2] = -2.5  # as an earlier round may have left it
    found = infer(graph, weights=weights)
    assert found.weights[2] == 0.0
    np.testing.assert_allclose(found.by_state, 0.5)


def test_several_at_once_that_share_labels() -> None:
    # Half of all are positive, but nine in ten of the first five.
    graph = asking(
        [2] * 20,
        [(positives(20), 0.5, 0.0), (positives(5), 0.9, 0.0)],
        own={2 * v + 1: -1.0 for v in range(20)},
    )
    found = infer(graph)
    np.testing.assert_allclose(shares(graph, found.by_state), [0.5, 0.9], rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.by_state[1:10:2], 0.9, rtol=0, atol=1e-4)
    np.testing.assert_allclose(found.by_state[11::2], 5.5 / 15, rtol=0, atol=1e-4)


def test_shares_of_each_label() -> None:
    n = 30
    sizes = [3] * n
    asked = [({3 * v + s: 1.0 for v in range(n)}, share, 0.0) for s, share in enumerate((0.2, 0.3))]
    graph = asking(sizes, asked, own={3 * v: 1.0 for v in range(n)})
    found = infer(graph)
    mean = found.marginals().mean(axis=0)
    np.testing.assert_allclose(mean, [0.2, 0.3, 0.5], rtol=0, atol=1e-5)


def test_expectations_that_exclude_each_other_leave_a_gap_and_a_warning() -> None:
    graph = asking([2] * 10, [(positives(10), 0.8, 0.0), (positives(10), 0.3, 0.0)])
    with pytest.warns(TacitWarning, match="an expected share is missed by"):
        found = infer(graph)
    assert found.diagnostics.expectation_gap > 0.2
    assert found.converged


@pytest.mark.parametrize("seed", [950, 14739])
def test_steps_end_where_only_rounding_is_left(seed: int) -> None:
    # Shares that cannot be met: weights go to their limit, and what is left to move is 1e-15.
    graph = random_problem(np.random.default_rng(seed))
    with pytest.warns(TacitWarning, match="an expected share is missed by"):
        found = infer(graph, "exact")
    assert_distributions(graph, found.by_state)


def test_an_expectation_that_hard_evidence_rules_out() -> None:
    graph = asking([2] * 4, [(positives(4), 0.9, 0.0)])
    graph = replace(graph, possible=np.array([True, False] * 3 + [True, True]))
    with pytest.warns(TacitWarning, match=r"missed by 0\.65"):
        found = infer(graph)
    assert np.isfinite(found.by_state).all()
    assert found.by_state[-1] > 0.999


def test_an_expectation_about_nothing() -> None:
    graph = asking([2, 2], [({}, 0.5, 0.6)], n_groundings=[0.0])
    found = infer(graph)
    assert found.weights[2] == 0.0


def test_no_expectations_one_inference() -> None:
    graph = build_graph([2], weights=[1.0])
    seen = []

    def solve(weights: np.ndarray, before: Solution | None) -> Solution:
        seen.append(before)
        return Solution(
            marginals=np.array([0.5, 0.5]), tables=(), groups=(), log_partition=0.0,
            meaning="exact",
        )  # fmt: skip

    met = meet_expectations(graph, graph.weights, solve)
    assert seen == [None]
    assert met.gap == 0.0
    assert met.weights is not graph.weights


def test_few_inferences_are_needed() -> None:
    graph = asking([2] * 50, [(positives(50), 0.02, 0.0)], own={2 * v + 1: 2.0 for v in range(50)})
    seen = []

    def solve(weights: np.ndarray, before: Solution | None) -> Solution:
        seen.append(weights[2])
        found = infer(replace(graph, expectations=build_graph([]).expectations), weights=weights)
        return Solution(
            marginals=found.by_state, tables=(), groups=(), log_partition=0.0, meaning="exact"
        )

    assert meet_expectations(graph, graph.weights, solve).gap < 1e-6
    assert len(seen) < 25


def test_the_covariance_of_independent_labels() -> None:
    graph = random_problem(np.random.default_rng(3))
    columns = graph.counts[:, graph.expectations.weight]
    bare = replace(graph, tables=())
    marginals = enumerate_all(bare).marginals
    expected = np.zeros((columns.shape[1],) * 2)
    for v in range(graph.n_variables):
        low, high = graph.first_state[v], graph.first_state[v + 1]
        p, f = marginals[low:high], columns.toarray()[low:high]
        expected += f.T @ np.diag(p) @ f - np.outer(p @ f, p @ f)
    np.testing.assert_allclose(covariance(graph, columns, marginals), expected, atol=1e-12)
