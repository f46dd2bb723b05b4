"""Trees: variables parted so that each part can be drawn at one stroke.

A part is a tree where, all other variables kept, its variables are tied in pairs and without
cycles: its states can be drawn together, exactly, in time linear in its size. Variables that are
bound tightly, as by a hard rule that two be equal, then move together instead of never.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Ints, Longs
from tacit.inference.incidence import FACTOR, Incidence, inner

# The columns of nodes: a variable's tree; the neighbour it hangs on, or -1; the first and the last
# of its places whose table ties the two; and while trees grow, the last tree that has a neighbour
# of it, and which that is, or -1 where there are several.
TREE, PARENT, FIRST_LINK, LAST_LINK, TOUCHED_BY, ANCHOR = range(6)

# A linear congruential generator, for it does not matter much which neighbour joins first.
MULTIPLIER, MASK = 25214903917, (1 << 48) - 1


class Trees(NamedTuple):
    """A partition of the variables into trees, and what is noted while it is made."""

    nodes: Ints  # (variables, 6)
    member: Ints  # (variables) tree after tree, parents before their children
    first_member: Longs  # (variables + 1) of each tree; as many as there are trees are in use
    tree_of_group: Ints  # (groups) the last tree that has a member of it
    queue: Ints  # (variables) that may join the tree that grows


def no_trees(n_variables: int, n_groups: int) -> Trees:
    """Room for a partition."""
    return Trees(
        np.zeros((n_variables, 6), dtype=np.int32),
        np.zeros(n_variables, dtype=np.int32),
        np.zeros(n_variables + 1, dtype=np.int64),
        np.zeros(n_groups, dtype=np.int32),
        np.zeros(n_variables, dtype=np.int32),
    )


@njit(cache=True)
def grow_trees(graph: Incidence, seed: int, most: int, loose: bool, trees: Trees) -> int:
    """Part the variables into trees of `most` at most, in place; their number is returned.

    A tree grows as far as it can, at random (`seed`): a variable joins where one member alone is
    its neighbour, by tables, and none by a group. Groups do not matter where trees are `loose`.
    Linear in the number of places.
    """
    nodes, queue, first_member = trees.nodes, trees.queue, trees.first_member
    n_variables = len(nodes)
    for variable in range(n_variables):
        nodes[variable, TREE] = nodes[variable, TOUCHED_BY] = -1
    for group in range(len(trees.tree_of_group)):
        trees.tree_of_group[group] = -1
    n_trees, n_joined, start = 0, 0, seed % max(n_variables, 1)
    for step in range(n_variables):
        root = (start + step) % n_variables
        if nodes[root, TREE] >= 0:
            continue
        first_member[n_trees] = n_joined
        queue[0], nodes[root, ANCHOR] = root, -1
        head, n_queued = 0, 1
        while head < n_queued and n_joined - first_member[n_trees] < most:
            seed = (seed * MULTIPLIER + 11) & MASK
            at = head + (seed >> 17) % (n_queued - head)
            variable, queue[at] = queue[at], queue[head]
            if head == 0 or may_join(graph, trees, variable, n_trees, loose):
                trees.member[n_joined] = variable
                n_joined += 1
                n_queued = join(graph, trees, variable, n_trees, n_queued)
            head += 1
        n_trees += 1
    first_member[n_trees] = n_joined
    return n_trees


@inner
def may_join(graph: Incidence, trees: Trees, variable: int, tree: int, loose: bool) -> bool:
    """Whether a variable has one neighbour in a tree, and no group in common that matters."""
    free: bool = trees.nodes[variable, ANCHOR] >= 0
    first, last = graph.first_place[variable], graph.first_place[variable + 1]
    for at in range(last - 1, first - 1, -1):
        group = graph.places[at, FACTOR] - graph.n_tables
        if group < 0 or loose or not free:
            break  # groups come last
        free = trees.tree_of_group[group] != tree
    return free


@inner
def join(graph: Incidence, trees: Trees, variable: int, tree: int, n_queued: int) -> int:
    """Add a variable to a tree and touch its neighbours; how many are queued now is returned."""
    nodes, slots, queue = trees.nodes, graph.variable_of_slot, trees.queue
    parent = nodes[variable, ANCHOR]
    nodes[variable, TREE], nodes[variable, PARENT] = tree, parent
    nodes[variable, FIRST_LINK] = -1
    for at in range(graph.first_place[variable], graph.first_place[variable + 1]):
        factor = graph.places[at, FACTOR]
        if factor >= graph.n_tables:
            trees.tree_of_group[factor - graph.n_tables] = tree
            continue
        for slot in range(graph.first_slot[factor], graph.first_slot[factor + 1]):
            other = slots[slot]
            if other == parent:
                nodes[variable, LAST_LINK] = at
                if nodes[variable, FIRST_LINK] < 0:
                    nodes[variable, FIRST_LINK] = at
            elif nodes[other, TREE] < 0 and nodes[other, TOUCHED_BY] != tree:
                nodes[other, TOUCHED_BY], nodes[other, ANCHOR] = tree, variable
                queue[n_queued] = other
                n_queued += 1
            elif nodes[other, TREE] < 0 and nodes[other, ANCHOR] != variable:
                nodes[other, ANCHOR] = -1
    return n_queued
