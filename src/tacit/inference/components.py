"""Connected components: parts of a graph that can be solved apart, each in its own way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.graph import FactorGraph
from tacit.graph.factor_graph import Ints, Longs, Truths
from tacit.inference.kernels import components as kernel


@dataclass(frozen=True, eq=False)
class Components:
    """The components of a graph that have factors; variables without are no component's."""

    of_variable: Ints  # -1: the variable has no factor
    n_variables: Longs  # (components)
    n_ends: Longs  # (components) how many variables its factors have, less one for each factor

    def __len__(self) -> int:
        return len(self.n_variables)

    @cached_property
    def n_cycles(self) -> Longs:
        """How many independent cycles each component has; a tree has none."""
        return self.n_ends - self.n_variables + 1


def components_of(graph: FactorGraph) -> Components:
    """The components of a graph, found once."""
    if "components" not in graph.derived:
        graph.derived["components"] = _find(graph)
    found: Components = graph.derived["components"]
    return found


def _find(graph: FactorGraph) -> Components:
    parent = np.arange(graph.n_variables, dtype=np.int32)
    for block in graph.tables:
        kernel.join_tables(parent, block.variables)
    for groups in graph.groups:
        kernel.join_groups(parent, groups.first_member, groups.variable_of_member)
    touched = np.zeros(graph.n_variables, dtype=bool)
    for block in graph.tables:
        kernel.mark(block.variables.reshape(-1), touched)
    for groups in graph.groups:
        kernel.mark(groups.variable_of_member, touched)
    n_components = kernel.number(parent, touched)
    of_variable = parent  # numbered in its place
    n_variables = np.zeros(n_components, dtype=np.int64)
    kernel.count_variables(of_variable, n_variables)
    n_ends = np.zeros(n_components, dtype=np.int64)
    for block in graph.tables:
        n_factors = np.zeros(n_components, dtype=np.int64)
        kernel.count_factors(block.variables[:, 0], of_variable, n_factors)
        n_ends += (block.variables.shape[1] - 1) * n_factors
    for groups in graph.groups:
        size = np.diff(groups.first_member)
        full = np.flatnonzero(size)
        first = of_variable[groups.variable_of_member[groups.first_member[full]]]
        n_ends += np.bincount(first, size[full] - 1, minlength=n_components).astype(np.int64)
    return Components(of_variable, n_variables, n_ends)


def restricted(graph: FactorGraph, kept: Truths) -> FactorGraph:
    """The same variables with the factors of some components only; `kept` is by component."""
    if kept.all():
        return graph
    of_variable = components_of(graph).of_variable
    tables = [block.where(kept[of_variable[block.variables[:, 0]]]) for block in graph.tables]
    groups = [
        block.where(kept[of_variable[block.variable_of_member[block.first_member[:-1]]]])
        for block in graph.groups
    ]
    return replace(graph, tables=tuple(tables), groups=tuple(groups))
