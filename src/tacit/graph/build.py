"""Building a factor graph: from ground factors, or block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from tacit.data import Task
from tacit.errors import BadInput
from tacit.graph.factor_graph import (
    Expectations,
    FactorGraph,
    Floats,
    Ints,
    LabelSpan,
    TableFactors,
    Truths,
)
from tacit.graph.groups import group_factors
from tacit.graph.potentials import numbered, part
from tacit.grounding import GroundFactors, GroupBlock, TableBlock, ground_factors
from tacit.grounding.engine import Engine
from tacit.grounding.ground import LIMIT
from tacit.logic.check import check
from tacit.logic.evidence import Expect
from tacit.logic.program import Program

NO_EXPECTATIONS = Expectations(np.empty(0, np.int32), np.empty(0), np.empty(0), np.empty(0))


def ground(
    program: Program,
    task: Task,
    *,
    engine: Engine | None = None,
    limit: float = LIMIT,
    progress: Callable[[int, int, str], None] | None = None,
) -> FactorGraph:
    """The factor graph of a program on a task's tables: checked, grounded, ready for inference."""
    check(program, task)
    factors = ground_factors(program, task, engine=engine, limit=limit, progress=progress)
    return graph_of(factors)


def graph_of(factors: GroundFactors) -> FactorGraph:
    """The factor graph of ground factors; their arrays are shared where they can be."""
    variables, weights = factors.variables, factors.weights
    sizes = [
        np.full(len(instances), len(function.labels), dtype=np.int32)
        for function, instances in zip(variables.functions, variables.instances, strict=True)
    ]
    spans = tuple(
        LabelSpan(function.name, function.labels, variables.first_variable[function.name], len(one))
        for function, one in zip(variables.functions, variables.instances, strict=True)
    )
    graph = build_graph(
        np.concatenate(sizes or [np.empty(0, np.int32)]),
        weights=weights.start,
        counts=_counts(factors),
        possible=_possible(factors, spans),
        tables=factors.tables,
        groups=factors.groups,
    )
    names = tuple(map(weights.name_of, range(weights.n_weights)))
    return replace(graph, spans=spans, weight_names=names, expectations=_expectations(factors))


def build_graph(
    sizes: ArrayLike,
    *,
    weights: ArrayLike = (),
    counts: sparse.csr_array | None = None,
    possible: Truths | None = None,
    tables: Iterable[TableBlock] = (),
    groups: Iterable[GroupBlock] = (),
) -> FactorGraph:
    """A factor graph from its parts, for those who have no program.

    `sizes` holds the number of states of each variable, `counts` the evidence on single variables
    (states x weights).
    """
    sizes = np.asarray(sizes, dtype=np.int32)
    weights = np.array(weights, dtype=np.float64)
    if (sizes < 1).any():
        raise BadInput("a variable has no states", remedy="give each variable at least one state")
    if len(sizes) and (sizes == sizes[0]).all():
        sizes = np.broadcast_to(sizes[:1].copy()[0], len(sizes))  # one number for all
    n_states = int(sizes.sum(dtype=np.int64))
    if counts is None:
        counts = sparse.csr_array((n_states, len(weights)))
    _check_unary(counts, possible, n_states, weights)
    ties = [some for block in tables for some in table_factors(block, sizes, weights)]
    sets = [some for block in groups for some in group_factors(block, sizes, weights)]
    spans = (LabelSpan("y", _default_labels(sizes), 0, len(sizes)),)
    return FactorGraph(
        spans,
        sizes,
        weights,
        None,
        sparse.csr_array(counts),
        possible,
        tuple(ties),
        tuple(sets),
        NO_EXPECTATIONS,
    )


def table_factors(block: TableBlock, sizes: Ints, weights: Floats) -> list[TableFactors]:
    """The factors of a block of groundings, the hard ones apart from the others."""
    if not len(block.variables):
        return []
    _check_table(block, sizes, weights)
    potential, potentials = numbered(block.weight, block.count)
    whole = TableFactors(block.truth, block.variables, potential, potentials)
    hard = np.isinf(weights[potentials.weight])
    if hard.all() or not hard.any():
        return [whole]
    parts = [part(potential, potentials, kept) for kept in (~hard, hard)]
    return [
        TableFactors(block.truth, block.variables[chosen], numbers, own)
        for chosen, numbers, own in parts
    ]


def _check_unary(
    counts: sparse.csr_array, possible: Truths | None, n_states: int, weights: Floats
) -> None:
    if counts.shape != (n_states, len(weights)):
        raise BadInput(
            f"counts is {counts.shape}, but there are {n_states} states and {len(weights)} weights"
        )
    if possible is not None and np.shape(possible) != (n_states,):
        raise BadInput(f"possible is {np.shape(possible)}, but there are {n_states} states")
    hard = np.isinf(weights)
    if hard.any() and counts[:, np.flatnonzero(hard)].count_nonzero():
        raise BadInput(
            "counts has a column for a hard weight",
            remedy="say which states hard evidence leaves by `possible`",
        )


def _check_table(block: TableBlock, sizes: Ints, weights: Floats) -> None:
    shape = tuple(block.truth.shape)
    n_axes = block.variables.shape[1]
    if len(shape) != n_axes or n_axes < 2:
        raise BadInput(f"a truth table of {len(shape)} axes for factors over {n_axes} variables")
    if not len(block.variables) == len(block.weight) == len(block.count):
        raise BadInput(
            f"{len(block.weight)} weights and {len(block.count)} counts for "
            f"{len(block.variables)} factors"
        )
    if block.variables.min() < 0 or block.variables.max() >= len(sizes):
        raise BadInput("a factor names a variable that does not exist")
    if block.weight.min() < 0 or block.weight.max() >= len(weights):
        raise BadInput("a factor names a weight that does not exist")
    for axis, size in enumerate(shape):
        alike = sizes.strides == (0,)
        if sizes[0] != size if alike else (sizes[block.variables[:, axis]] != size).any():
            raise BadInput(f"a truth table has {size} states on axis {axis}, its variable has not")
        for other in range(axis):
            if (block.variables[:, axis] == block.variables[:, other]).any():
                raise BadInput("a factor names one variable twice", remedy="fold its truth table")


def _default_labels(sizes: Ints) -> tuple[str, ...]:
    return tuple(map(str, range(int(sizes.max(initial=0)))))


def _counts(factors: GroundFactors) -> sparse.csr_array:
    """Unary evidence and expectations as states x weights; hard evidence is in `possible`."""
    soft = sparse.coo_array(factors.counts)
    chosen = np.isfinite(factors.weights.start)[soft.coords[1]]
    states, weights, values = soft.coords[0][chosen], soft.coords[1][chosen], soft.data[chosen]
    blocks = factors.expectations
    state = np.concatenate([states, *(block.state for block in blocks)])
    weight = np.concatenate([weights, *(block.weight for block in blocks)])
    count = np.concatenate([values, *(block.count for block in blocks)])
    return sparse.csr_array(sparse.coo_array((count, (state, weight)), shape=soft.shape))


def _possible(factors: GroundFactors, spans: Sequence[LabelSpan]) -> Truths | None:
    if not factors.possible:
        return None
    rows = []
    for span in spans:
        allowed = factors.possible.get(span.name)
        size = span.n_variables * len(span.labels)
        rows.append(np.ones(size, dtype=bool) if allowed is None else allowed.reshape(-1))
    return np.concatenate(rows)


def _expectations(factors: GroundFactors) -> Expectations:
    blocks = factors.expectations
    if not blocks:
        return NO_EXPECTATIONS
    weight = np.concatenate([block.constrained for block in blocks])
    targets = [factors.weights.blocks[at].evidence.weight for at in _blocks_of(factors, weight)]
    expected = [target for target in targets if isinstance(target, Expect)]
    return Expectations(
        weight,
        np.array([target.share for target in expected]),
        np.array([target.margin for target in expected]),
        np.concatenate([block.n_groundings for block in blocks]),
    )


def _blocks_of(factors: GroundFactors, weight: Ints) -> list[int]:
    return [int(at) for at in factors.weights.block_of_weight[weight]]
