"""Extreme inputs: answers stay finite and valid, and right where the answer is known."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import e, exp, log, log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data import Task
from tacit.errors import Contradiction, TacitError
from tacit.graph import FactorGraph, build_graph, ground
from tacit.inference import BPConfig, infer
from tacit.inference.bp import solve_bp
from tacit.inference.potentials import log_potentials
from tacit.logic.program import Program
from tests.inference.blocks import assert_distributions, sets, ties, unary
from tests.inference.cases import Shape, random_graph
from tests.oracles.inference import enumerate_all

METHODS = ["auto", "exact", "bp", "trw", "mean_field"]
CERTAIN = ["auto", "exact", "bp"]  # right on trees
MANY = 100_000


def beliefs(graph: FactorGraph, method: str, **options: object):  # type: ignore[no-untyped-def]
    found = infer(graph, method, **options)  # type: ignore[arg-type]
    assert_distributions(graph, found.by_state)
    assert np.isfinite(found.log_partition)
    assert np.isfinite(found.expected_counts).all()
    return found


# -- weights of +-1e4 ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weight", [1e4, -1e4])
def test_a_pair_of_huge_weight(method: str, weight: float) -> None:
    graph = build_graph([2, 2], weights=[weight], tables=[ties([[0, 1]])])
    found = beliefs(graph, method, log_unary=np.array([0.0, 1.0, 0.0, 0.0]))
    if method in CERTAIN:
        together = weight > 0
        second = e / (1 + e) if together else 1 / (1 + e)
        np.testing.assert_allclose(found.by_state[[1, 3]], [e / (1 + e), second], atol=1e-9)
        np.testing.assert_allclose(found.expected_counts, [float(together)], atol=1e-9)
        np.testing.assert_allclose(found.log_partition, max(weight, 0) + log1p(e), rtol=1e-12)


@pytest.mark.parametrize("method", CERTAIN)
@pytest.mark.parametrize("evidence", [1e4, -1e4])
def test_huge_evidence_through_ties_of_every_kind(method: str, evidence: float) -> None:
    graph = build_graph(
        [2] * 6,
        weights=[2.0, 1e4],
        tables=[ties([[0, 1]], weight=0), ties([[1, 2], [4, 5]], weight=1)],
        groups=[sets("atleast", 1, [[2, 3]], weight=0), sets("atmost", 1, [[3, 4]], weight=1)],
    )
    log_unary = np.zeros(12)
    log_unary[1] = evidence
    found = beliefs(graph, method, log_unary=log_unary)
    truth = enumerate_all(graph, log_unary=log_unary)
    np.testing.assert_allclose(found.by_state, truth.marginals, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=1e-9)


@pytest.mark.parametrize("schedule", ["flooding", "sequential"])
@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1e3, 1e4]))
def test_trees_of_huge_weights(schedule: str, seed: int, largest: float) -> None:
    shape = Shape(tree=True, largest=largest, most_variables=5, most_factors=8)
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, shape)
    log_unary = rng.normal(0, 1, graph.n_states)
    truth = enumerate_all(graph, log_unary=log_unary)
    config = BPConfig(schedule=schedule)
    found = solve_bp(graph, log_potentials(graph, log_unary=log_unary), config=config)
    assert found.converged
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from(METHODS), st.booleans())
def test_loops_of_huge_weights(seed: int, method: str, hard: bool) -> None:
    binary = method == "trw"  # else test_labels_of_one_state_that_never_agree_enough
    shape = Shape(largest=1e4, most_variables=5, hard=hard, binary=binary)
    graph = random_graph(np.random.default_rng(seed), shape)
    if enumerate_all(graph).log_partition == -np.inf:
        return
    if hard and method == "mean_field":
        return  # it may find nothing that keeps all hard factors, and has its own tests
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            beliefs(graph, method)
        except Contradiction:  # test_hard_loops_that_can_be_satisfied_are_no_contradiction
            assert hard
            assert method == "bp"


def test_huge_weights_leave_the_ties_of_others_alone() -> None:
    weak = build_graph([2, 2], weights=[0.7], tables=[ties([[0, 1]])])
    both = build_graph([2] * 4, weights=[0.7, 1e4], tables=[ties([[0, 1], [2, 3]], weight=[0, 1])])
    log_unary = np.array([0.0, 0.5, 0.0, -1.0])
    alone = infer(weak, "bp", log_unary=log_unary)
    found = infer(both, "bp", log_unary=np.concatenate([log_unary, log_unary]))
    np.testing.assert_allclose(found.by_state[:4], alone.by_state, rtol=0, atol=1e-9)


# -- hard contradictions ---------------------------------------------------------------------------

CLASH = """
label y(item) = neg | pos
observed near(item, item)
observed gold(item, class)
gold:  hard gold(r, l) => y(r) = l
agree: hard near(r, s) => y(r) = y(s)
soft:  1.0  near(r, s) => y(r) = pos
"""
TABLES = {
    "item": ["a", "b", "c"],
    "near": [("a", "b"), ("b", "c")],
    "gold": [("a", "neg"), ("c", "pos")],
}


@pytest.mark.parametrize("method", CERTAIN)
def test_a_contradiction_names_its_formula(method: str) -> None:
    graph = ground(Program.parse(CLASH), Task(TABLES))
    with pytest.raises(Contradiction, match="agree"):
        infer(graph, method)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", CERTAIN)
@pytest.mark.parametrize("kind", ["never", "at least one", "exactly"])
def test_contradictions_of_every_kind(method: str, kind: str) -> None:
    possible = np.array([True, False] * 3)
    if kind == "never":
        graph = build_graph([2] * 3, weights=[np.inf], tables=[ties([[0, 1]], np.zeros((2, 2)))])
    elif kind == "at least one":
        block = sets("atleast", 1, [[0, 1, 2]])
        graph = build_graph([2] * 3, weights=[np.inf], possible=possible, groups=[block])
    else:
        block = sets("exactly", 2, [[0, 1, 2]])
        graph = build_graph([2] * 3, weights=[np.inf], possible=possible, groups=[block])
    with pytest.raises(Contradiction, match="weight 0"):
        infer(graph, method)  # type: ignore[arg-type]


@pytest.mark.parametrize("maximise", [False, True])
def test_contradictions_among_many_that_are_none(maximise: bool) -> None:
    n = 3_000
    possible = np.ones(2 * n, dtype=bool)
    possible[2 * (n // 2) + 1] = False
    possible[2 * (n // 2 + 1)] = False
    ends = np.arange(n).reshape(-1, 2) if n // 2 % 2 == 0 else np.arange(1, n - 1).reshape(-1, 2)
    graph = build_graph([2] * n, weights=[np.inf], possible=possible, tables=[ties(ends)])
    for method in CERTAIN:
        with pytest.raises(Contradiction):
            infer(graph, method, maximise=maximise)  # type: ignore[arg-type]


def test_hard_formulas_that_agree_are_no_contradiction() -> None:
    # Three ways to say the same, and more of them than there is room for in one log-odds.
    n = 30
    ends = [[0, v] for v in range(1, n)] * 5
    graph = build_graph(
        [2] * n, weights=[np.inf], possible=np.array([False, True] + [True] * (2 * n - 2)),
        tables=[ties(ends)],
    )  # fmt: skip
    for method in CERTAIN:
        found = beliefs(graph, method)
        np.testing.assert_allclose(found.by_state[1::2], 1.0, atol=1e-9)
        np.testing.assert_allclose(found.log_partition, 0.0, atol=1e-5)


# -- graphs with little in them --------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_variables_without_factors(method: str) -> None:
    own = unary(5, {(1, 0): 1.0, (4, 1): 2.0}, 2)
    graph = build_graph([2, 3], weights=[0.5, -1.0], counts=own)
    found = beliefs(graph, method)
    z0, z1 = 1 + exp(0.5), 2 + exp(-2.0)
    np.testing.assert_allclose(
        found.by_state, [1 / z0, exp(0.5) / z0, 1 / z1, 1 / z1, exp(-2.0) / z1], atol=1e-9
    )
    np.testing.assert_allclose(found.log_partition, log(z0) + log(z1), atol=1e-9)
    np.testing.assert_allclose(
        found.expected_counts, [exp(0.5) / z0, 2 * exp(-2.0) / z1], atol=1e-9
    )
    assert found.converged


@pytest.mark.parametrize("method", [*METHODS, "gibbs"])
def test_no_variables_at_all(method: str) -> None:
    graph = build_graph([], weights=[1.0, 2.0])
    found = infer(graph, method)  # type: ignore[arg-type]
    assert found.by_state.shape == (0,)
    assert found.expected_counts.tolist() == [0.0, 0.0]
    if method != "gibbs":
        assert found.log_partition == 0.0
    assert found.converged


def test_the_marginals_of_no_variables() -> None:
    graph = build_graph([])
    assert infer(graph).marginals().shape[0] == 0


def test_the_marginals_of_variables_of_several_sizes() -> None:
    found = infer(build_graph([2, 3]))
    try:
        assert found.marginals().shape == (2, 3)
    except TacitError as error:
        assert "by_state" in str(error)


@pytest.mark.parametrize("method", CERTAIN)
def test_the_best_assignment_of_little(method: str) -> None:
    assert infer(build_graph([]), method, maximise=True).best.shape == (0,)  # type: ignore[arg-type]
    graph = build_graph([1, 2], weights=[1.0], tables=[ties([[0, 1]], [[True, False]])])
    found = infer(graph, method, maximise=True, log_unary=np.array([0.0, 0.0, 3.0]))  # type: ignore[arg-type]
    assert found.best.tolist() == [0, 1]
    assert found.log_partition == pytest.approx(3.0)


@pytest.mark.parametrize("method", METHODS)
def test_labels_of_one_state(method: str) -> None:
    graph = build_graph(
        [1, 2, 1, 3],
        weights=[0.8, -0.4],
        tables=[
            ties([[0, 1]], [[True, False]], weight=0),
            ties([[0, 2]], [[True]], weight=1),
            ties([[2, 3]], [[False, True, True]], weight=1),
        ],
        groups=[
            sets("atleast", 1, [[0, 2]], [[True], [False]], [[0, 1]], weight=0),
            sets("exactly", 1, [[0, 1, 2]], [[True], [False, True]], [[0, 1, 0]], weight=1),
        ],
    )
    found = beliefs(graph, method)
    truth = enumerate_all(graph)
    np.testing.assert_allclose(found.by_state, truth.marginals, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.expected_counts, truth.expected_counts, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    "method",
    [
        *CERTAIN,
        "trw",
    ],
)
def test_labels_of_one_state_that_never_agree_enough(method: str) -> None:
    graph = build_graph([1, 1], weights=[-500.0], tables=[ties([[0, 1], [0, 1]], [[True]])])
    found = beliefs(graph, method)
    np.testing.assert_allclose(found.expected_counts, [2.0])
    np.testing.assert_allclose(found.log_partition, -1000.0)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_but_labels_of_one_state(method: str) -> None:
    graph = build_graph(
        [1, 1], weights=[2.0], tables=[ties([[0, 1]], [[True]])],
        groups=[sets("atmost", 1, [[0, 1]], [[True]])],
    )  # fmt: skip
    found = beliefs(graph, method)
    np.testing.assert_array_equal(found.by_state, [1.0, 1.0])
    np.testing.assert_allclose(found.log_partition, 2.0)
    np.testing.assert_allclose(found.expected_counts, [1.0])


@pytest.mark.parametrize("method", METHODS)
def test_a_weight_that_nothing_uses(method: str) -> None:
    used = build_graph([2, 2], weights=[0.7], tables=[ties([[0, 1]])])
    graph = build_graph([2, 2], weights=[1e4, 0.7, -3.0], tables=[ties([[0, 1]], weight=1)])
    found, plain = beliefs(graph, method), beliefs(used, method)
    np.testing.assert_array_equal(found.by_state, plain.by_state)
    assert found.log_partition == plain.log_partition
    np.testing.assert_array_equal(found.expected_counts, [0.0, plain.expected_counts[0], 0.0])


def test_groups_of_one_member() -> None:
    blocks = [sets("atleast", 1, [[0]], weight=0), sets("atmost", 0, [[1]], weight=1)]
    graph = build_graph([2, 2], weights=[0.6, 0.9], groups=blocks)
    for method in CERTAIN:
        found = beliefs(graph, method)
        np.testing.assert_allclose(found.by_state[1], 1 / (1 + exp(-0.6)), atol=1e-9)
        np.testing.assert_allclose(found.by_state[3], 1 / (1 + exp(0.9)), atol=1e-9)


# -- a variable with 10^5 neighbours ---------------------------------------------------------------


def star(weight: float, **options: object) -> FactorGraph:
    ends = np.stack([np.zeros(MANY), np.arange(1, MANY + 1)], axis=1)
    return build_graph([2] * (MANY + 1), weights=[weight], tables=[ties(ends)], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", CERTAIN)
@pytest.mark.parametrize("weight", [0.5, -2.0, 1e4])
def test_a_hub_of_many(method: str, weight: float) -> None:
    # Neighbours without evidence tell the hub nothing: it believes its own evidence.
    log_unary = np.zeros(2 * (MANY + 1))
    log_unary[1] = 0.3
    found = beliefs(star(weight), method, log_unary=log_unary)
    p = 1 / (1 + exp(-0.3))
    same = 1 / (1 + exp(-max(weight, -700.0)))
    neighbour = p * same + (1 - p) * (1 - same)
    assert found.converged
    np.testing.assert_allclose(found.by_state[1], p, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.by_state[3::2], neighbour, rtol=0, atol=1e-6)
    total = log1p(exp(0.3)) + MANY * float(np.logaddexp(0, weight))
    np.testing.assert_allclose(found.log_partition, total, rtol=1e-9)
    np.testing.assert_allclose(found.expected_counts, [MANY * same], rtol=1e-6)


@pytest.mark.parametrize("method", CERTAIN)
def test_a_hub_that_many_push(method: str) -> None:
    log_unary = np.zeros(2 * (MANY + 1))
    log_unary[3::2] = 1.0
    found = beliefs(star(1.0), method, log_unary=log_unary)
    np.testing.assert_allclose(found.by_state[1], 1.0, atol=1e-9)
    np.testing.assert_allclose(found.by_state[3::2], 1 / (1 + exp(-2.0)), atol=1e-6)


@pytest.mark.parametrize("method", ["trw", "mean_field"])
def test_a_hub_of_many_bounded(method: str) -> None:
    found = beliefs(star(0.5), method)
    total = log(2) + MANY * log1p(exp(0.5))
    if method == "trw":
        assert found.log_partition >= total - 1e-4
    else:
        assert found.log_partition <= total + 1e-4


def hard_hub(n: int) -> FactorGraph:
    """A variable whose first label each of n neighbours rules out; evidence for its third."""
    ends = np.stack([np.zeros(n), np.arange(1, n + 1)], axis=1)
    rules_out = [[False, False], [True, True], [True, True]]
    own = unary(3 + 2 * n, {(2, 1): 1.0}, 2)
    return build_graph(
        [3] + [2] * n, weights=[np.inf, 1.0], counts=own, tables=[ties(ends, rules_out)]
    )


@pytest.mark.parametrize("method", CERTAIN)
def test_a_hub_that_many_hard_ties_hold(method: str) -> None:
    found = beliefs(hard_hub(MANY), method)
    np.testing.assert_allclose(found.by_state[1:3], [1 / (1 + e), e / (1 + e)], atol=1e-6)


@pytest.mark.parametrize(
    "method",
    [
        "auto",
        "exact",
        pytest.param("bp", marks=pytest.mark.xfail(strict=True, reason="1e5 times 1e8 is summed")),
    ],
)
def test_the_log_partition_of_a_hub_that_many_hard_ties_hold(method: str) -> None:
    found = beliefs(hard_hub(MANY), method)
    np.testing.assert_allclose(found.log_partition, MANY * log(2) + log1p(e), rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    "method",
    [
        "auto",
        "exact",
        pytest.param("bp", marks=pytest.mark.xfail(strict=True, reason="1e5 times -1e8 is summed")),
    ],
)
def test_the_log_partition_of_many_whose_first_label_is_ruled_out(method: str) -> None:
    n = 2 * MANY
    ends = np.arange(n).reshape(-1, 2)
    graph = build_graph(
        [3] * n, weights=[0.5], possible=np.tile([False, True, True], n),
        tables=[ties(ends, np.eye(3))],
    )  # fmt: skip
    found = beliefs(graph, method)
    exact = MANY * log(2 + 2 * exp(0.5))
    np.testing.assert_allclose(found.log_partition, exact, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    "method",
    [
        "auto",
        "exact",
        pytest.param("bp", marks=pytest.mark.xfail(strict=True, reason="1e9 outweighs 1e8")),
    ],
)
def test_no_soft_evidence_outweighs_hard(method: str) -> None:
    possible = np.ones(2 * (MANY + 1), dtype=bool)
    possible[1] = False
    log_unary = np.zeros(2 * (MANY + 1))
    log_unary[3::2] = 2e4
    found = beliefs(star(1e4, possible=possible), method, log_unary=log_unary)
    assert found.by_state[0] == pytest.approx(1.0)


# -- groups of 10^5 members ------------------------------------------------------------------------


def group(quantifier: str, limit: int, weight: float, n: int = MANY) -> FactorGraph:
    return build_graph([2] * n, weights=[weight], groups=[sets(quantifier, limit, [range(n)])])


@pytest.mark.parametrize("method", CERTAIN)
@pytest.mark.parametrize("weight", [2.0, np.inf])
def test_at_least_one_of_many(method: str, weight: float) -> None:
    # Each counts with odds 1 to MANY: none does with probability about 1/e.
    log_unary = np.tile([0.0, -log(MANY)], MANY)
    found = beliefs(group("atleast", 1, weight), method, log_unary=log_unary)
    log_none = -MANY * log1p(1 / MANY)
    some = 1 - exp(log_none)
    boost = weight if weight < np.inf else 0.0
    none = exp(log_none) if weight < np.inf else 0.0
    z = exp(boost) * some + none
    p = exp(boost) / (MANY + 1) / z
    assert found.converged
    np.testing.assert_allclose(found.by_state[1::2], p, rtol=1e-5)
    np.testing.assert_allclose(found.log_partition, -log_none + log(z), rtol=1e-6)
    if weight < np.inf:
        np.testing.assert_allclose(found.expected_counts, [exp(boost) * some / z], rtol=1e-6)


@pytest.mark.parametrize("method", CERTAIN)
@pytest.mark.parametrize("quantifier", ["atmost", "exactly"])
def test_at_most_and_exactly_one_of_many(method: str, quantifier: str) -> None:
    log_unary = np.tile([0.0, -log(MANY)], MANY)
    found = beliefs(group(quantifier, 1, np.inf), method, log_unary=log_unary)
    ways = 1.0 if quantifier == "exactly" else 2.0  # one of them, each worth 1 / MANY; or none
    np.testing.assert_allclose(found.by_state[1::2], 1 / MANY / ways, rtol=1e-6)
    np.testing.assert_allclose(found.log_partition, log(ways), rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", ["trw", "mean_field"])
def test_many_members_bounded(method: str) -> None:
    log_unary = np.tile([0.0, -log(MANY)], MANY)
    found = beliefs(group("atleast", 1, 2.0), method, log_unary=log_unary)
    log_none = -MANY * log1p(1 / MANY)
    exact = -log_none + log(exp(2.0) * (1 - exp(log_none)) + exp(log_none))
    if method == "trw":
        assert found.log_partition >= exact - 1e-6
    else:
        assert found.log_partition <= exact + 1e-6


@pytest.mark.parametrize(
    "method",
    [
        "auto",
        "exact",
        "bp",
    ],
)
@pytest.mark.parametrize("n", [3, 1_000])
def test_at_least_one_of_the_most_unlikely(method: str, n: int) -> None:
    found = beliefs(group("atleast", 1, np.inf, n), method, log_unary=np.tile([0.0, -1e4], n))
    np.testing.assert_allclose(found.by_state[1::2], 1 / n, rtol=1e-6)
    np.testing.assert_allclose(found.log_partition, -1e4 + log(n), rtol=0, atol=1e-6)


@pytest.mark.parametrize("method", CERTAIN)
def test_at_least_one_of_the_most_likely(method: str) -> None:
    found = beliefs(group("atleast", 1, 5.0, 1_000), method, log_unary=np.tile([0.0, 1e4], 1_000))
    np.testing.assert_allclose(found.by_state[1::2], 1.0, atol=1e-12)
    np.testing.assert_allclose(found.log_partition, 1e7 + 5, rtol=1e-12)
    np.testing.assert_allclose(found.expected_counts, [1.0])


@pytest.mark.parametrize("method", CERTAIN)
def test_one_member_that_must(method: str) -> None:
    graph = group("atleast", 1, np.inf, 50)
    possible = np.tile([True, False], 50)
    possible[2 * 7 + 1] = True
    found = beliefs(replace(graph, possible=possible), method)
    assert found.by_state[2 * 7 + 1] == pytest.approx(1.0)
    assert found.by_state[1::2].sum() == pytest.approx(1.0)
