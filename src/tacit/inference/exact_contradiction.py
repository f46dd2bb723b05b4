"""Naming what contradicts itself, where no assignment of labels is possible."""

from __future__ import annotations

import numpy as np

from tacit.errors import Contradiction, listed
from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.exact_layout import Layout
from tacit.inference.potentials import name_of_variable


def contradiction(
    graph: FactorGraph, layout: Layout, log_values: Floats, clique: int | None
) -> Contradiction:
    """The error for a clique whose table has no possible cell; None: for the empty scope."""
    turn_of_factor = _turn_of_factor(layout)
    if clique is None:
        never = _hard_formulas(graph, layout, log_values, turn_of_factor < 0)
        return Contradiction(
            f"hard evidence that no labels can satisfy: {never}",
            remedy="correct it, or give it a finite weight",
        )
    inside = _below(layout, clique)
    there = (turn_of_factor >= 0) & inside[turn_of_factor]
    formulas = _hard_formulas(graph, layout, log_values, there)
    variables = _tied(graph, layout, clique, inside)
    n_others = len(variables) - 1
    others = f" together with {n_others} tied to it" if n_others else ""
    return Contradiction(
        f"no labels are possible for {name_of_variable(graph, int(variables[0]))}{others}"
        + (f"; hard formulas there: {formulas}" if formulas else ""),
        remedy="hard evidence contradicts itself: correct it, or give it a finite weight",
    )


def _variable_of_clique(layout: Layout) -> Ints:
    return np.asarray(layout.axes["variable"][layout.cliques["first_axis"][:-1]])


def _turn(layout: Layout) -> Longs:
    """The clique that sums out each variable."""
    variables = _variable_of_clique(layout)
    turn = np.empty(len(variables), dtype=np.int64)
    turn[variables] = np.arange(len(variables))
    return turn


def _turn_of_factor(layout: Layout) -> Longs:
    """The clique that each factor belongs to; -1 for a factor over no variables."""
    first = layout.factors["first_member"]
    some = first[1:] > first[:-1]
    turns = np.full(len(some), -1, dtype=np.int64)
    if some.any():
        turn_of_member = _turn(layout)[layout.members["variable"]]
        turns[some] = np.minimum.reduceat(turn_of_member, first[:-1][some])
    return turns


def _below(layout: Layout, clique: int) -> Truths:
    """The cliques that a clique has had messages from, directly or through others; and itself."""
    n_cliques = len(layout.cliques) - 1
    first = layout.cliques["first_axis"]
    has_message = np.flatnonzero(first[1:] - first[:-1] > 1)
    above = np.full(n_cliques + 1, n_cliques)  # the last entry stands for no clique
    above[has_message] = _turn(layout)[layout.axes["variable"][first[has_message] + 1]]
    above[clique] = n_cliques
    inside = np.arange(n_cliques + 1) == clique
    while (above < n_cliques).any():  # each round looks twice as far up as the one before
        inside |= inside[above]
        above = above[above]
    return np.asarray(inside)


def _tied(graph: FactorGraph, layout: Layout, clique: int, inside: Truths) -> Ints:
    """The graph's variables that take part, the nearest to the contradiction first."""
    first, end = layout.cliques["first_axis"][clique : clique + 2]
    near = layout.axes["variable"][first:end]
    far = _variable_of_clique(layout)[inside[:-1]][::-1]
    of_graph = np.concatenate([np.arange(graph.n_variables), layout.member_of_auxiliary])
    tied = dict.fromkeys(of_graph[np.concatenate([near, far])].tolist())
    return np.fromiter(tied, dtype=np.int32)


def _hard_formulas(graph: FactorGraph, layout: Layout, log_values: Floats, factors: Truths) -> str:
    """The names of the hard formulas among some factors."""
    weight_of_value = np.concatenate([*(block.potentials.weight for block in graph.blocks), [-1]])
    values = np.unique(layout.factors["value"][:-1][factors])
    weights = np.unique(weight_of_value[values[np.isinf(log_values[values])]])
    names = [
        graph.weight_names[weight] if graph.weight_names else f"weight {weight}"
        for weight in weights[weights >= 0].tolist()
    ]
    return listed(names, most=4) if names else ""
