"""Potentials in numbers: a graph's weights and unary evidence, ready for a method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.errors import BadInput, BadWeight, Contradiction
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats


@dataclass(frozen=True, slots=True)
class LogPotentials:
    """What every state, and every factor that holds, is worth.

    A factor that does not hold is worth 0. A hard factor is infinite here: it is worth 0 where it
    holds and minus infinity where it does not.
    """

    unary: Floats  # (states); minus infinity where hard evidence rules a state out
    tables: tuple[Floats, ...]  # for each block, by potential
    groups: tuple[Floats, ...]

    @property
    def blocks(self) -> tuple[Floats, ...]:
        """Those of all the factors over several variables, as `FactorGraph.blocks` has them."""
        return (*self.tables, *self.groups)


def log_potentials(
    graph: FactorGraph, weights: Floats | None = None, log_unary: Floats | None = None
) -> LogPotentials:
    """The potentials of a graph under given weights, and what else is known of single states."""
    weights = usable(graph, weights)
    finite = np.where(np.isfinite(weights), weights, 0.0)
    if log_unary is not None and not graph.counts.nnz:
        unary = np.asarray(log_unary, dtype=np.float64)  # nothing is added: no copy
    else:
        unary = np.asarray(graph.counts @ finite)
        if log_unary is not None:
            unary += log_unary
    if not unary.max(initial=0.0) < np.inf:  # which is false for what is no number, too
        raise BadInput(
            f"{int((~np.isfinite(unary)).sum())} states have potentials that are no numbers",
            remedy="pass log probabilities: at most finite, minus infinity where impossible",
        )
    if graph.possible is not None:
        unary = np.where(graph.possible, unary, -np.inf)
    _require_possible(graph, unary)
    return LogPotentials(
        unary,
        tuple(block.potentials.log_values(weights) for block in graph.tables),
        tuple(block.potentials.log_values(weights) for block in graph.groups),
    )


def usable(graph: FactorGraph, weights: Floats | None) -> Floats:
    """Weights that inference can use: those given, or those that the graph starts with."""
    if weights is None:
        return graph.weights
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != graph.weights.shape:
        raise BadInput(f"{weights.size} weights for a graph that has {graph.n_weights}")
    wrong = ~np.isfinite(weights) & (weights != graph.weights)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        name = graph.weight_names[at] if graph.weight_names else f"number {at}"
        raise BadWeight(
            f"the weight of {name} is {weights[at]}",
            remedy="use finite weights; what is hard is settled when the graph is built",
        )
    return weights


def _require_possible(graph: FactorGraph, unary: Floats) -> None:
    """Refuse a variable none of whose states is possible."""
    ruled_out = np.flatnonzero(unary == -np.inf)
    if not len(ruled_out):
        return
    variable = np.searchsorted(graph.first_state, ruled_out, side="right") - 1
    stuck = np.flatnonzero(np.bincount(variable, minlength=graph.n_variables) == graph.sizes)
    if len(stuck):
        raise Contradiction(
            f"no label is possible for {name_of_variable(graph, int(stuck[0]))}"
            + (f", nor for {len(stuck) - 1} others" if len(stuck) > 1 else ""),
            remedy="hard evidence rules out each of its labels: correct it, or make it finite",
        )


def name_of_variable(graph: FactorGraph, variable: int) -> str:
    """A variable as people would call it: its label function and the number of its instance."""
    for span in graph.spans:
        if span.first_variable <= variable < span.first_variable + span.n_variables:
            return f"{span.name}, instance {variable - span.first_variable}"
    return f"variable {variable}"
