"""Wires: a graph laid out for message passing, made once; weights have no part in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Floats, Longs
from tacit.inference.components import components_of
from tacit.inference.kernels.maths import HARD
from tacit.inference.links import MOST, Link, group_link, table_link
from tacit.inference.ordering import visiting_order
from tacit.inference.settling import Stretches, stretches


@dataclass(frozen=True)
class Wires:
    """The links of a graph, and where its components lie along them."""

    links: tuple[Link, ...]
    stretches: tuple[Stretches, ...]
    n_components: int
    made_for: tuple[bool, ...]  # noisy-or or not; which blocks fast kernels can carry


def wires_of(graph: FactorGraph, log_values: Sequence[Floats], *, noisy_or: bool = False) -> Wires:
    """A graph's layout for message passing; made anew only when other kernels are needed.

    `log_values` are what potentials are worth, block by block.
    """
    made_for = (noisy_or, *(bool((np.abs(values) <= MOST).all()) for values in log_values))
    known: Wires | None = graph.derived.get("wires")
    if known is None or known.made_for != made_for:
        graph.derived["wires"] = known = _lay(graph, log_values, made_for)
    return known


def first_odds_of(graph: FactorGraph) -> Longs:
    """Where the log-odds of each variable begin (variables + 1): a first state has none."""
    return graph.first_state - np.arange(graph.n_variables + 1)


def odds_of(graph: FactorGraph, log_unary: Floats) -> tuple[Floats, float]:
    """Unary potentials as log-odds, and the sum of those of first states, which are thereby 0."""
    finite = log_unary
    if log_unary.min(initial=0.0) < -HARD:
        finite = np.maximum(log_unary, -HARD)
    if graph.is_binary:
        return finite[1::2] - finite[::2], float(finite[::2].sum())
    first = finite[graph.first_state[:-1]]
    is_first = np.zeros(graph.n_states, dtype=bool)
    is_first[graph.first_state[:-1]] = True
    others = finite[~is_first] - np.repeat(first, graph.sizes - 1)
    return others, float(first.sum())


def _lay(graph: FactorGraph, log_values: Sequence[Floats], made_for: tuple[bool, ...]) -> Wires:
    first_odds = None if graph.is_binary else first_odds_of(graph)
    n_odds = graph.n_states - graph.n_variables
    components = components_of(graph)
    links: list[Link] = []
    where: list[Stretches] = []
    for block, values in zip(graph.tables, log_values, strict=False):
        order = visiting_order(block, n_odds, components)
        if order is not None:
            block = block.where(order)
        links.append(table_link(block, first_odds, values))
        where.append(stretches(links[-1], block.variables[:, 0], components.of_variable))
    for groups in graph.groups:
        first = groups.variable_of_member[groups.first_member[:-1]]
        links.append(group_link(groups, first_odds_of(graph), noisy_or=made_for[0]))
        where.append(stretches(links[-1], first, components.of_variable))
    return Wires(tuple(links), tuple(where), len(components), made_for)
