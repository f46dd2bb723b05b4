"""Messages passed by PyTorch say what messages passed by the CPU's kernels say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.errors import BadInput, MissingExtra
from tacit.graph import FactorGraph, build_graph
from tacit.inference import AutoConfig, BPConfig, infer
from tacit.inference.bp import solve_bp
from tacit.inference.potentials import LogPotentials, log_potentials
from tacit.inference.solution import Solution
from tests.inference.blocks import assert_distributions, sets, ties
from tests.inference.cases import Shape, random_graph
from tests.oracles.inference import enumerate_all

try:
    import torch
except ModuleNotFoundError:  # the core does without
    torch = None  # type: ignore[assignment]

needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch (the extra `neural`) is missing")
CLOSE = 1e-4  # what both sides promise
SETTLED = BPConfig(tolerance=1e-6, max_sweeps=500)


def on_device(
    graph: FactorGraph,
    potentials: LogPotentials,
    device: str = "cpu",
    config: BPConfig = SETTLED,
    **options: Any,
) -> Solution:
    from tacit.inference.device import solve_on_device

    return solve_on_device(graph, potentials, config=config, device=device, **options)


def assert_same(
    graph: FactorGraph,
    log_unary: np.ndarray | None = None,
    *,
    device: str = "cpu",
    config: BPConfig = SETTLED,
    **options: Any,
) -> None:
    """Both settle, and agree on everything."""
    potentials = log_potentials(graph, log_unary=log_unary)
    kernels = solve_bp(graph, potentials, config=config, **options)
    found = on_device(graph, potentials, device, config, **options)
    assert_distributions(graph, found.marginals)
    assert found.converged == kernels.converged
    if not kernels.converged:
        return
    np.testing.assert_allclose(found.marginals, kernels.marginals, rtol=0, atol=CLOSE)
    scale = max(1.0, abs(kernels.log_partition))
    assert abs(found.log_partition - kernels.log_partition) <= CLOSE * scale
    for mine, yours in zip(
        (*found.tables, *found.groups), (*kernels.tables, *kernels.groups), strict=True
    ):
        np.testing.assert_allclose(mine, yours, rtol=CLOSE, atol=CLOSE)


def graph_of_kind(kind: str, rng: np.random.Generator, hard: bool = False) -> FactorGraph:
    """A graph of forty variables with loops, of one kind of factor."""
    n, weights = 40, [np.inf if hard else 0.4, -0.3]
    near = np.array([[v, (v + 1) % n] for v in range(n)] + [[v, (v + 7) % n] for v in range(n)])
    weight = np.zeros(len(near)) if hard else rng.integers(0, 2, len(near))
    trios = [[v, (v + 1) % n, (v + 5) % n] for v in range(0, n, 2)]
    own = np.zeros(len(trios)) if hard else rng.integers(0, 2, len(trios))
    if kind == "pairs":
        return build_graph([2] * n, weights=weights, tables=[ties(near, weight=weight)])
    if kind == "implications":
        block = ties(near, [[1, 1], [0, 1]], weight=weight)
        return build_graph([2] * n, weights=weights, tables=[block])
    if kind in ("agreement", "difference"):
        truth = np.eye(4, dtype=bool) if kind == "agreement" else ~np.eye(4, dtype=bool)
        return build_graph([4] * n, weights=weights, tables=[ties(near, truth, weight=weight)])
    if kind == "tables":
        truth = np.ones((2, 2, 2), dtype=bool)
        truth[1, 0, 1] = truth[0, 1, 1] = False
        return build_graph([2] * n, weights=weights, tables=[ties(trios, truth, weight=own)])
    sizes = [3 if v % 3 == 0 else 2 for v in range(n)]
    kinds = [[0 if v % 3 else 1 for v in trio] for trio in trios]
    state_sets = [[False, True], [True, False, True]]
    quantifier, limit = {"at least one": ("atleast", 1), "at most one": ("atmost", 1)}.get(
        kind, ("exactly", 2)
    )
    block = sets(quantifier, limit, trios, state_sets, kinds, weight=own)
    return build_graph(sizes, weights=weights, groups=[block])


KINDS = [
    "pairs", "implications", "agreement", "difference", "tables", "at least one", "at most one",
    "exactly two",
]  # fmt: skip
HARD_KINDS = ["implications", "tables", "at least one", "at most one"]


@needs_torch
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str) -> None:
    rng = np.random.default_rng(0)
    graph = graph_of_kind(kind, rng)
    assert_same(graph, rng.normal(0, 1, graph.n_states))


@needs_torch
@pytest.mark.parametrize("kind", HARD_KINDS)
def test_every_hard_kind(kind: str) -> None:
    rng = np.random.default_rng(1)
    graph = graph_of_kind(kind, rng, hard=True)
    assert_same(graph, rng.normal(0, 1, graph.n_states))


@needs_torch
@pytest.mark.parametrize("kind", KINDS)
def test_the_best_assignment(kind: str) -> None:
    rng = np.random.default_rng(2)
    graph = graph_of_kind(kind, rng)
    potentials = log_potentials(graph, log_unary=rng.normal(0, 2, graph.n_states))
    kernels = solve_bp(graph, potentials, config=SETTLED, maximise=True)
    found = on_device(graph, potentials, maximise=True)
    assert found.converged == kernels.converged
    if kernels.converged:
        np.testing.assert_array_equal(found.best, kernels.best)
        assert found.log_partition == pytest.approx(kernels.log_partition)


@needs_torch
@pytest.mark.parametrize("kind", KINDS)
def test_damping(kind: str) -> None:
    rng = np.random.default_rng(3)
    graph = graph_of_kind(kind, rng)
    assert_same(graph, rng.normal(0, 1, graph.n_states), config=replace(SETTLED, damping=0.3))


@needs_torch
def test_noisy_or() -> None:
    rng = np.random.default_rng(4)
    graph = graph_of_kind("at least one", rng)
    config = replace(SETTLED, at_least_one="noisy_or")
    assert_same(graph, rng.normal(0, 1, graph.n_states), config=config)


@needs_torch
@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_random_trees_are_exact(seed: int, hard: bool) -> None:
    shape = Shape(tree=True, hard=hard, most_variables=5, most_factors=8)
    graph = random_graph(np.random.default_rng(seed), shape)
    truth = enumerate_all(graph)
    assume(truth.log_partition > -np.inf)
    found = on_device(graph, log_potentials(graph))
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=CLOSE, atol=CLOSE)


@needs_torch
@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_random_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, Shape(largest=0.5))
    assert_same(graph, rng.normal(0, 1, graph.n_states))


@needs_torch
@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from([10.0, 30.0]))
def test_trees_of_strong_weights(seed: int, largest: float) -> None:
    rng = np.random.default_rng(seed)
    shape = Shape(tree=True, largest=largest, most_variables=5, most_factors=8)
    graph = random_graph(rng, shape)
    log_unary = rng.normal(0, 1, graph.n_states)
    truth = enumerate_all(graph, log_unary=log_unary)
    found = on_device(graph, log_potentials(graph, log_unary=log_unary))
    np.testing.assert_allclose(found.marginals, truth.marginals, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(found.log_partition, truth.log_partition, rtol=CLOSE, atol=CLOSE)


@needs_torch
@pytest.mark.parametrize("kind", ["pairs", "agreement"])
@pytest.mark.parametrize("strength", [150.0, 500.0])
def test_strong_evidence_through_strong_ties(kind: str, strength: float) -> None:
    size = 2 if kind == "pairs" else 3
    ends = [[0, 1], [1, 2]]
    graph = build_graph([size] * 3, weights=[strength], tables=[ties(ends, np.eye(size))])
    log_unary = np.zeros(3 * size)
    log_unary[1] = 1.5 * strength
    log_unary[-1] = 0.7
    assert_same(graph, log_unary)


@needs_torch
@pytest.mark.parametrize("kind", KINDS)
def test_going_on(kind: str) -> None:
    rng = np.random.default_rng(5)
    graph = graph_of_kind(kind, rng)
    potentials = log_potentials(graph, log_unary=rng.normal(0, 1, graph.n_states))
    first = on_device(graph, potentials)
    config = replace(SETTLED, tolerance=1e-5)
    again = on_device(graph, potentials, config=config, start=first.messages)
    assert again.converged
    assert again.sweeps <= 4
    kernels = solve_bp(graph, potentials, config=config, start=first.messages)
    assert kernels.sweeps <= 2
    np.testing.assert_allclose(again.marginals, first.marginals, rtol=0, atol=CLOSE)


@needs_torch
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bits_twice(kind: str) -> None:
    rng = np.random.default_rng(6)
    graph = graph_of_kind(kind, rng)
    potentials = log_potentials(graph, log_unary=rng.normal(0, 1, graph.n_states))
    one, other = on_device(graph, potentials), on_device(graph, potentials)
    np.testing.assert_array_equal(one.marginals, other.marginals)
    assert one.log_partition == other.log_partition


@needs_torch
def test_what_single_precision_can_settle() -> None:
    n = 2_000
    rng = np.random.default_rng(7)
    ends = rng.integers(0, n, (3 * n, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    graph = build_graph([2] * n, weights=[0.15], tables=[ties(ends)])
    assert_same(graph, rng.normal(0, 3, 2 * n), config=BPConfig())


@needs_torch
def test_a_hub() -> None:
    n = 5_000
    ends = np.stack([np.zeros(n), np.arange(1, n + 1)], axis=1)
    graph = build_graph([2] * (n + 1), weights=[0.3], tables=[ties(ends)])
    log_unary = np.random.default_rng(8).normal(0, 0.05, 2 * (n + 1))
    assert_same(graph, log_unary)


@needs_torch
def test_little_or_nothing() -> None:
    for graph in (
        build_graph([]),
        build_graph([2, 3]),
        build_graph([1, 1], weights=[1.0], tables=[ties([[0, 1]], [[True]])]),
        build_graph([1, 2], weights=[1.0], tables=[ties([[0, 1]], [[True, False]])]),
        build_graph(
            [1, 2, 3], weights=[1.0],
            groups=[sets("atleast", 1, [[0, 1, 2]], [[True], [False, True], [True, False, True]],
                         [[0, 1, 2]])],
        ),
    ):  # fmt: skip
        assert_same(graph)


@needs_torch
def test_hard_evidence() -> None:
    rng = np.random.default_rng(9)
    graph = graph_of_kind("pairs", rng)
    possible = np.ones(graph.n_states, dtype=bool)
    possible[[0, 11, 30]] = False
    assert_same(replace(graph, possible=possible), rng.normal(0, 1, graph.n_states))


@needs_torch
def test_no_cuda_is_told() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    with pytest.raises(BadInput, match="no CUDA device"):
        infer(graph_of_kind("pairs", np.random.default_rng(0)), "bp", device="cuda")


@pytest.mark.skipif(torch is not None, reason="PyTorch is installed")
def test_without_torch_the_extra_is_named() -> None:
    with pytest.raises(MissingExtra, match=r"device='cuda' needs torch") as error:
        infer(graph_of_kind("pairs", np.random.default_rng(0)), "bp", device="cuda")
    assert error.value.remedy == "pip install 'tacit[neural]'"


# -- on a GPU --------------------------------------------------------------------------------------


@needs_torch
@pytest.mark.gpu
@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_on_a_gpu(kind: str, maximise: bool) -> None:
    rng = np.random.default_rng(0)
    graph = graph_of_kind(kind, rng)
    log_unary = rng.normal(0, 1, graph.n_states)
    assert_same(graph, log_unary, device="cuda", maximise=maximise)


@needs_torch
@pytest.mark.gpu
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_bits_twice_on_a_gpu(kind: str) -> None:
    rng = np.random.default_rng(1)
    graph = graph_of_kind(kind, rng)
    potentials = log_potentials(graph, log_unary=rng.normal(0, 1, graph.n_states))
    one, other = (on_device(graph, potentials, "cuda") for _ in range(2))
    np.testing.assert_array_equal(one.marginals, other.marginals)
    assert one.log_partition == other.log_partition


@needs_torch
@pytest.mark.gpu
def test_many_pairs_and_hubs_on_a_gpu() -> None:
    n, rng = 100_000, np.random.default_rng(2)
    ends = rng.integers(0, n, (3 * n, 2))
    ends[: n // 2, 0] = 0
    ends = ends[ends[:, 0] != ends[:, 1]]
    graph = build_graph([2] * n, weights=[0.1], tables=[ties(ends)])
    potentials = log_potentials(graph, log_unary=rng.normal(0, 1, 2 * n))
    config = BPConfig()
    one, other = (on_device(graph, potentials, "cuda", config) for _ in range(2))
    np.testing.assert_array_equal(one.marginals, other.marginals)
    kernels = solve_bp(graph, potentials, config=config)
    np.testing.assert_allclose(one.marginals, kernels.marginals, rtol=0, atol=CLOSE)


@needs_torch
@pytest.mark.gpu
def test_auto_on_a_gpu() -> None:
    rng = np.random.default_rng(3)
    graph = graph_of_kind("pairs", rng)
    log_unary = rng.normal(0, 1, graph.n_states)
    config = AutoConfig(max_variables=0, max_cycles=-1)
    found = infer(graph, "auto", log_unary=log_unary, config=config, device="cuda")
    plain = infer(graph, "auto", log_unary=log_unary, config=config)
    np.testing.assert_allclose(found.by_state, plain.by_state, rtol=0, atol=CLOSE)


@needs_torch
@pytest.mark.gpu
@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_random_loops_on_a_gpu(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, Shape(largest=0.5))
    assert_same(graph, rng.normal(0, 1, graph.n_states), device="cuda")
