"""The order in which variables are summed out, and the neighbours that each of them has then.

Summing out a variable joins the factors that mention it into one table, over the variable and its
neighbours; what is left is a new factor over the neighbours. All later cost lies in these tables,
and the order decides how large they are. To find the best order is NP-hard; here the variable with
the smallest table goes next.

Variables, sets of variables and the entries of these sets are records: what is known of one lies
together in memory, because a search jumps from one to another.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacit.graph.factor_graph import Ints, Longs, Truths
from tacit.inference.exact_scopes import Scopes

Records = NDArray[Any]

NODE = np.dtype(  # a variable
    [
        ("states", np.float64),  # of the table over it and its neighbours
        ("n_neighbours", np.int32),  # or UNKNOWN; then its states are a lower bound
        ("size", np.int32),  # how many states it has itself
        ("start", np.int32),  # its first entry; -1: none
        ("key", np.int32),  # in the queue; OUT: it is summed out
        ("after", np.int32),  # the next variable of the same key; -1: none
        ("before", np.int32),
        ("seen", np.int32),  # in the present search
    ],
    align=True,
)
SET = np.dtype([("first", np.int64), ("alive", np.int64)])  # not alive: a later set replaces it
ENTRY = np.dtype(  # one variable in one set; those of a set lie together
    [
        ("variable", np.int32),
        ("within", np.int32),  # the set
        ("following", np.int32),  # the next entry of the same variable; -1: none
    ],
    align=True,
)
FINENESS = 4  # keys for each doubling of a table: tables of one key differ by less than a fifth
MOST_FOUND = 128  # neighbours: each has two states at least, so 2^62 states and a set of 64 more
OUT = -1
UNKNOWN = -1
UNSEEN, IN_FIRST, LATER = 0, 1, 2


class Elimination(NamedTuple):
    """The variables that were summed out, in order, and the neighbours each had at its turn."""

    order: Ints  # (cliques) the variable that each clique sums out
    first_neighbour: Longs  # (cliques + 1)
    neighbours: Ints
    left: Truths  # (variables) true where the limits did not allow it
    needed: float  # how many states, or more, the next table would have; 0: all are done


def eliminate(scopes: Scopes, max_table_states: int, max_total_states: int) -> Elimination:
    """Sum out one variable after another, smallest table first, as long as the limits allow."""
    nodes, sets, entries = _nodes(scopes), _sets(scopes), _entries(scopes)
    limit, left = float(max_table_states), float(max_total_states)
    heads = np.full(int(FINENESS * np.log2(limit)) + 2, -1, dtype=np.int32)
    order = np.empty(len(nodes), dtype=np.int32)
    _fill_queue(nodes, sets, entries, heads, limit)
    n_done, left, is_full = _go_on(nodes, sets, entries, heads, limit, order, 0, left)
    while is_full:
        entries = np.append(entries, np.empty_like(entries))
        n_done, left, is_full = _go_on(nodes, sets, entries, heads, limit, order, n_done, left)
    n_factors = len(scopes.value_of_factor)
    first = sets["first"][n_factors : n_factors + n_done + 1]
    neighbours = entries["variable"][first[0] : first[-1]].copy()
    is_left = nodes["key"] != OUT
    needed = float(nodes["states"].min(where=is_left, initial=np.inf)) if is_left.any() else 0.0
    return Elimination(order[:n_done], first - first[0], neighbours, is_left, needed)


def _nodes(scopes: Scopes) -> Records:
    nodes = np.zeros(len(scopes.sizes), dtype=NODE)
    nodes["size"] = scopes.sizes
    nodes["start"] = -1
    return nodes


def _sets(scopes: Scopes) -> Records:
    """The variables of each factor; behind them, room for what each summing out leaves."""
    sets = np.zeros(len(scopes.value_of_factor) + len(scopes.sizes) + 1, dtype=SET)
    sets["first"][: len(scopes.first_member)] = scopes.first_member
    sets["alive"] = 1
    return sets


def _entries(scopes: Scopes) -> Records:
    n_members = len(scopes.variable_of_member)
    room = n_members + 2 * len(scopes.sizes) + MOST_FOUND  # enough for a forest
    entries = np.empty(room, dtype=ENTRY)
    entries["variable"][:n_members] = scopes.variable_of_member
    n_axes = np.diff(scopes.first_member)
    entries["within"][:n_members] = np.repeat(np.arange(len(n_axes)), n_axes)
    return entries


@njit(cache=True)
def _fill_queue(nodes: Records, sets: Records, entries: Records, heads: Ints, limit: float) -> None:
    """Link the entries of each variable, count its neighbours, and give it its place."""
    found = np.empty(MOST_FOUND, dtype=np.int32)
    n_factors = len(sets) - 1 - len(nodes)
    for entry in range(sets[n_factors].first - 1, -1, -1):
        _link(nodes, entries, entry)
    for variable in range(len(nodes) - 1, -1, -1):
        _count(nodes, sets, entries, variable, limit, found)
        _insert(nodes, heads, variable, limit)


@njit(cache=True)
def _go_on(
    nodes: Records,
    sets: Records,
    entries: Records,
    heads: Ints,
    limit: float,
    order: Ints,
    n_done: int,
    left: float,
) -> tuple[int, float, bool]:
    """Sum out variables until none can be, or until the entries have no room for more.

    Takes and returns how many were summed out and how many states are left to use; the last says
    whether the room was the reason.
    """
    found = np.empty(MOST_FOUND, dtype=np.int32)
    n_factors = len(sets) - 1 - len(nodes)
    lowest = 0
    while lowest < len(heads) - 1:
        variable = heads[lowest]
        if variable < 0:
            lowest += 1
            continue
        if nodes[variable].states > left:
            break
        new = n_factors + n_done
        first = sets[new].first
        if first + MOST_FOUND > len(entries):
            return n_done, left, True
        left -= nodes[variable].states
        n_found = _count(nodes, sets, entries, variable, limit, found)
        _remove(nodes, heads, variable)
        nodes[variable].key = OUT
        _join(nodes, sets, entries, variable, new, found, n_found)
        order[n_done] = variable
        n_done += 1
        for i in range(first, first + n_found):
            neighbour = entries[i].variable
            _remove(nodes, heads, neighbour)
            if not _without(nodes[neighbour], nodes[variable].size, n_found, limit):
                _count(nodes, sets, entries, neighbour, limit, found)
            _insert(nodes, heads, neighbour, limit)
            lowest = min(lowest, nodes[neighbour].key)
    return n_done, left, False


@njit(cache=True)
def _without(node: Any, size: int, n_tied: int, limit: float) -> bool:
    """Count a variable's neighbours when one of some size was summed out, if no search is needed.

    The neighbours of the one summed out, `n_tied` in number, are tied to each other now. Nothing
    is new if this variable was the only one; and where too many are left by any count, no more
    need be known. So a hub with 100,000 neighbours costs little more than one with twenty.
    """
    is_known = node.n_neighbours != UNKNOWN
    if (is_known and n_tied > 1) or (not is_known and node.states / size <= limit):
        return False
    node.states /= size
    if is_known:
        node.n_neighbours -= 1
    return True


@njit(cache=True)
def _count(
    nodes: Records, sets: Records, entries: Records, variable: int, limit: float, found: Ints
) -> int:
    """Find the neighbours of a variable; returns how many were found.

    The search ends at the square of the limit: then many neighbours can go before another search.
    On the way, sets are taken off the variable's list when another set on it contains them.
    """
    node = nodes[variable]
    n_found, states, mark = 0, float(node.size), IN_FIRST
    last, entry = -1, node.start
    while entry >= 0 and states <= limit * limit:
        within, following = entries[entry].within, entries[entry].following
        n_others, n_in_first, n_before = 0, 0, n_found
        if sets[within].alive:
            for i in range(sets[within].first, sets[within + 1].first):
                other = nodes[entries[i].variable]
                if entries[i].variable != variable and other.key != OUT:
                    if other.seen == UNSEEN:
                        other.seen = mark
                        found[n_found] = entries[i].variable
                        n_found += 1
                        states *= other.size
                    n_others += 1
                    n_in_first += other.seen == IN_FIRST
        # a pair says nothing new of a neighbour that another set has shown to be one
        is_known = n_others == n_in_first or n_others == 1
        if n_others == 0 or (n_found == n_before and is_known):
            if last < 0:
                node.start = following
            else:
                entries[last].following = following
        else:
            last, mark = entry, LATER
        entry = following
    for i in range(n_found):
        nodes[found[i]].seen = UNSEEN
    node.states = states
    node.n_neighbours = n_found if entry < 0 else UNKNOWN
    return n_found


@njit(cache=True)
def _join(
    nodes: Records, sets: Records, entries: Records, variable: int, new: int, found: Ints, n: int
) -> None:
    """Replace all the sets of a variable that is summed out by the set of its neighbours."""
    entry = nodes[variable].start
    while entry >= 0:
        sets[entries[entry].within].alive = 0
        entry = entries[entry].following
    first = sets[new].first
    sets[new + 1].first = first + n
    for i in range(n):
        entries[first + i].variable = found[i]
        entries[first + i].within = new
        if n > 1:  # one neighbour alone is tied to nothing by this
            _link(nodes, entries, first + i)


@njit(cache=True)
def _link(nodes: Records, entries: Records, entry: int) -> None:
    """Put an entry at the front of its variable's list."""
    node = nodes[entries[entry].variable]
    entries[entry].following = node.start
    node.start = entry


@njit(cache=True)
def _insert(nodes: Records, heads: Ints, variable: int, limit: float) -> None:
    """Put a variable into the queue, before the others of its key: the size of its table.

    Leaves of trees go first, however many states they have: they cost nothing that could be saved,
    and a tree stays a tree. A variable without neighbours has no table but its own, which is as
    large as its marginals: no limit forbids it.
    """
    node = nodes[variable]
    if node.states > limit and node.n_neighbours != 0:
        key = len(heads) - 1
    elif node.n_neighbours < 2:
        key = 0
    else:
        key = int(FINENESS * np.log2(node.states))
    head = heads[key]
    if head >= 0:
        nodes[head].before = variable
    heads[key] = variable
    node.key, node.before, node.after = key, -1, head


@njit(cache=True)
def _remove(nodes: Records, heads: Ints, variable: int) -> None:
    """Take a variable out of the queue."""
    node = nodes[variable]
    if node.before < 0:
        heads[node.key] = node.after
    else:
        nodes[node.before].after = node.after
    if node.after >= 0:
        nodes[node.after].before = node.before
