"""Our side of the inference benchmark on a GPU: `python -m benchmarks.inference --device cuda`.

The graph is drawn by numpy, exactly as for the CPU, and put together from flat arrays; nothing of
grounding is needed, so neither duckdb nor numba are imported here: the machine with the GPU needs
torch, numpy and scipy. What the GPU finds is compared with belief propagation written in numpy
(`plain`). Numbers are float32 on the GPU. A sweep has two passes, so that nothing is added in an
order that may change: the first must move 24 bytes an edge (two indices 8, two messages read and
written 16), the second 16 (two messages and where they lie) and 20 a variable. The floor
is these bytes over the device's own copy bandwidth (read + write); `x_of_fused_floor` takes the
first pass alone, as if sums could be had for nothing.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.inference_graphs import QUICK, SPECS, Arrays, Floats, Spec, draw, floor_bytes
from tacit.graph import Expectations, FactorGraph, LabelSpan, Potentials, TableFactors

Record = dict[str, Any]

ROUNDS = 5
FEW, MANY = 10, 110  # sweeps: the slope between them is a sweep
COPIED = 2**30  # bytes
NEVER = -1.0  # no change is that small, so every factor takes part in every sweep
AGREE = 20  # sweeps after which GPU and CPU are compared


def measure(*, quick: bool) -> Record:
    """Every figure of the largest graph of pairs; or why there is none."""
    try:
        torch = import_module("torch")
    except ImportError as why:
        return {"device": "cuda", "skipped": str(why)}
    if not torch.cuda.is_available():
        return {"device": "cuda", "skipped": "torch finds no CUDA device"}
    warnings.simplefilter("ignore")  # that a few sweeps are too few is known here
    spec = _largest(quick)
    arrays = draw(spec)
    try:
        run = on_device(arrays)
    except ImportError as why:
        return {"device": "cuda", "skipped": str(why)}
    sweep = _sweep_seconds(arrays, torch)
    bandwidth = copy_bandwidth(torch, COPIED // 64 if quick else COPIED)
    fused = floor_bytes(spec, 0, number=4) / bandwidth
    floor = fused + (16 * spec.n_edges + 12 * spec.n_variables) / bandwidth
    first, second = run(AGREE), run(AGREE)
    return {
        "device": torch.cuda.get_device_name(),
        "graph": spec.name,
        "variables": spec.n_variables,
        "edges": spec.n_edges,
        "sweep_ms": 1e3 * sweep,
        "copy_bytes_per_second": bandwidth,
        "floor_ms": 1e3 * floor,
        "x_of_floor": sweep / floor,
        "x_of_fused_floor": sweep / fused,
        "bit_identical": bool(np.array_equal(first, second)),
        "max_difference_from_cpu": float(np.abs(first - plain(arrays, AGREE)).max()),
        "torch": torch.__version__,
    }


def on_device(arrays: Arrays) -> Callable[[int], Floats]:
    """So many sweeps on the GPU -> marginals (variables, states)."""
    from tacit.inference import BPConfig, infer

    if "device" not in inspect.signature(infer).parameters:
        raise ImportError("infer has no `device` yet")
    graph = graph_of(arrays)
    asked: dict[str, Any] = {"method": "bp", "device": "cuda", "log_unary": arrays.fields}

    def run(sweeps: int) -> Floats:
        config = BPConfig(max_sweeps=sweeps, tolerance=NEVER)
        return infer(graph, config=config, **asked).marginals()

    return run


def graph_of(arrays: Arrays) -> FactorGraph:
    """The factor graph of drawn pairs, put together without what grounding needs."""
    n_variables, n_states = arrays.fields.shape
    order = np.argsort(arrays.pairs[:, 0], kind="stable")  # as grounding and build_graph have it
    potential = np.zeros(arrays.n_edges, dtype=np.int32)
    potentials = Potentials(np.zeros(1, dtype=np.int32), np.ones(1))
    same = np.eye(n_states, dtype=bool)
    nothing = np.empty(0)
    return FactorGraph(
        spans=(LabelSpan("y", tuple(map(str, range(n_states))), 0, n_variables),),
        sizes=np.full(n_variables, n_states, dtype=np.int32),
        weights=np.array([arrays.coupling]),
        weight_names=None,
        counts=sparse.csr_array((n_variables * n_states, 1)),
        possible=None,
        tables=(TableFactors(same, arrays.pairs[order], potential, potentials),),
        groups=(),
        expectations=Expectations(nothing.astype(np.int32), nothing, nothing, nothing),
    )


def plain(arrays: Arrays, sweeps: int) -> Floats:
    """The marginals of binary variables after so many sweeps, in numpy and float64.

    The log-odds that a pair sends are 2 artanh(tanh(w / 2) tanh(x / 2)) of those that it hears.
    """
    first, second = arrays.pairs.T
    strength = np.tanh(arrays.coupling / 2)
    fields = arrays.fields[:, 1] - arrays.fields[:, 0]
    to_first, to_second = np.zeros(arrays.n_edges), np.zeros(arrays.n_edges)
    log_odds = fields
    for _ in range(sweeps):
        heard = log_odds[first] - to_first, log_odds[second] - to_second
        to_second, to_first = (2 * np.arctanh(strength * np.tanh(one / 2)) for one in heard)
        log_odds = fields + np.bincount(first, to_first, arrays.n_variables)
        log_odds += np.bincount(second, to_second, arrays.n_variables)
    positive = 1 / (1 + np.exp(-log_odds))
    return np.stack([1 - positive, positive], axis=1)


def copy_bandwidth(torch: Any, size: int) -> float:
    """The bytes read and written a second when the device copies memory, best of some."""
    source = torch.ones(size // 4, dtype=torch.float32, device="cuda")
    target = torch.empty_like(source)
    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    best = np.inf
    for _ in range(2 * ROUNDS):
        begun.record()
        target.copy_(source)
        ended.record()
        torch.cuda.synchronize()
        best = min(best, begun.elapsed_time(ended) / 1e3)
    return 2 * size / best


def _sweep_seconds(arrays: Arrays, torch: Any) -> float:
    """One sweep by the device's own clock, as the slope between few and many; the best of some."""
    from tacit.inference.bp import BPConfig, Passing
    from tacit.inference.device import DevicePassing
    from tacit.inference.potentials import log_potentials

    graph = graph_of(arrays)
    potentials = log_potentials(graph, None, arrays.fields.reshape(-1))
    passing = DevicePassing(Passing(graph, potentials), "cuda")
    best = {FEW: np.inf, MANY: np.inf}
    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for number in range(ROUNDS + 1):
        for sweeps in best:
            begun.record()
            passing.run(BPConfig(max_sweeps=sweeps, tolerance=NEVER))
            ended.record()
            torch.cuda.synchronize()
            if number:  # the first compiles
                best[sweeps] = min(best[sweeps], begun.elapsed_time(ended) / 1e3)
    return (best[MANY] - best[FEW]) / (MANY - FEW)


def _largest(quick: bool) -> Spec:
    specs = QUICK if quick else SPECS
    return next(spec for spec in specs if spec.name == "pairs_10m")
