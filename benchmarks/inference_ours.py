"""The calls of this library that the inference benchmark measures, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.inference_graphs import Arrays
from tacit.graph import FactorGraph, build_graph
from tacit.grounding import GroupBlock, TableBlock

MOST_SWEEPS = 1000
NEVER = -1.0  # no change is that small, so every factor takes part in every sweep
COUPLING, GROUP = 0, 1  # the two weights


def built(arrays: Arrays) -> FactorGraph:
    """The factor graph of drawn arrays; fields are passed to each inference, as a network's are."""
    n_states = arrays.n_states
    sizes = np.full(arrays.n_variables, n_states, dtype=np.int32)
    weight, once = _constant(COUPLING, arrays.n_edges), np.broadcast_to(1.0, arrays.n_edges)
    same = np.eye(n_states, dtype=bool)
    pairs = TableBlock(("y", "y"), same, arrays.pairs, weight, once)
    groups = [_groups(arrays)] if arrays.n_groups else []
    weights = [arrays.coupling, arrays.group_weight]
    return build_graph(sizes, weights=weights, tables=[pairs], groups=groups)


def swept(graph: FactorGraph, arrays: Arrays, sweeps: int) -> Any:
    """The beliefs after so many sweeps, however little messages change."""
    return _inferred(graph, arrays, sweeps, NEVER)


def settled(graph: FactorGraph, arrays: Arrays, tolerance: float, method: str = "bp") -> Any:
    """The beliefs once no message changes more than so much."""
    return _inferred(graph, arrays, MOST_SWEEPS, tolerance, method)


def _inferred(
    graph: FactorGraph, arrays: Arrays, sweeps: int, tolerance: float, method: str = "bp"
) -> Any:
    # Imported here, for a fresh process's first call is measured with what it imports.
    from tacit.inference import AutoConfig, BPConfig, infer

    bp = BPConfig(max_sweeps=sweeps, tolerance=tolerance)
    config = AutoConfig(bp=bp) if method == "auto" else bp
    found: Any = infer(graph, method, config=config, log_unary=arrays.fields)  # type: ignore[arg-type]
    return found


def _groups(arrays: Arrays) -> GroupBlock:
    n_groups, n_members = arrays.n_groups, len(arrays.variable_of_member)
    is_one = np.arange(arrays.n_states) == 1
    return GroupBlock(
        "atleast",
        1,
        arrays.first_member,
        arrays.variable_of_member,
        _constant(0, n_members),
        (is_one,),
        _constant(GROUP, n_groups),
        np.broadcast_to(1.0, n_groups),
    )


def _constant(value: int, length: int) -> Any:
    """One number as a long array that takes no memory, as constant columns of groundings do."""
    return np.broadcast_to(np.int32(value), length)
