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
    kernel.roots(parent)
    ends = np.zeros(graph.n_variables, dtype=np.int64)  # by root
    touched = np.zeros(graph.n_variables, dtype=bool)
    for block in graph.tables:
        n_axes = block.variables.shape[1]
        ends += (n_axes - 1) * np.bincount(parent[block.variables[:, 0]], minlength=len(ends))
        touched[block.variables] = True
    for groups in graph.groups:
        size = np.diff(groups.first_member)
        full = np.flatnonzero(size)
        first = groups.variable_of_member[groups.first_member[full]]
        ends += np.bincount(parent[first], size[full] - 1, minlength=len(ends)).astype(np.int64)
        touched[groups.variable_of_member] = True
    root = np.flatnonzero(touched & (parent == np.arange(len(parent))))
    number = np.full(graph.n_variables, -1, dtype=np.int32)
    number[root] = np.arange(len(root), dtype=np.int32)
    of_variable = np.where(touched, number[parent], np.int32(-1)).astype(np.int32)
    n_variables = np.bincount(of_variable[touched], minlength=len(root))
    return Components(of_variable, n_variables.astype(np.int64), ends[root])


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
