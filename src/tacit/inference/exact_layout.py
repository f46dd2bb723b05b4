"""Where everything lies: the tables of all cliques in one array of cells, and what goes where.

A clique is a variable that is summed out, with its neighbours; its table has an axis for each, the
variable's own the fastest, the others in the order of elimination. Factors and messages that come
into a clique are over some of its axes. They are gathered in *margins*, one for each set of axes
that occurs: on the way up a margin sums what comes in, on the way down it holds the probabilities
of its cells. So a clique visits each margin once, however many factors and messages lie behind it.
A margin over all the axes is the table itself, and has no cells of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Ints, Truths
from tacit.inference.elimination import Elimination, Records
from tacit.inference.exact_scopes import Scopes

CLIQUE = np.dtype(
    [
        ("first_axis", np.int64),
        ("first_cell", np.int64),  # of its table
        ("n_cells", np.int64),
        ("message", np.int64),  # the first cell of the margin, in another clique, that takes it
    ]
)
AXIS = np.dtype([("variable", np.int32), ("size", np.int32)])
MARGIN = np.dtype(
    [
        ("axes", np.int64),  # one bit for each axis of its clique
        ("first_cell", np.int64),
        ("following", np.int64),  # the next margin of the same clique; 0: none
    ]
)
FACTOR = np.dtype(
    [
        ("first_member", np.int64),
        ("first_cell", np.int64),  # of the margin that it is part of
        ("truth", np.int32),  # where its truth table begins
        ("value", np.int32),
    ]
)
MEMBER = np.dtype(
    [
        ("variable", np.int32),
        ("size", np.int32),
        ("step", np.int64),  # how far apart its states lie in the factor's margin
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Cliques in the order of elimination, their margins, and the places of factors and messages.

    Margin 0, in cell 0, is over no variables at all. Margin 1 + c is the first of clique c, over
    the variable that c sums out.
    """

    cliques: Records  # and one behind the last
    axes: Records
    margins: Records
    factors: Records  # and one behind the last
    members: Records
    truth: Truths  # all the truth tables, one behind the other
    member_of_auxiliary: Ints
    n_values: int
    n_cells: int
    most_cells: int  # of one table

    @property
    def n_variables(self) -> int:
        """How many variables there are, the auxiliary ones included."""
        return len(self.cliques) - 1


def lay_out(scopes: Scopes, elimination: Elimination) -> Layout:
    """Give every clique its axes and cells, and every factor and message its margin."""
    n_cliques = len(elimination.order)
    turn = np.empty(len(scopes.sizes), dtype=np.int32)
    turn[elimination.order] = np.arange(n_cliques)
    cliques = np.zeros(n_cliques + 1, dtype=CLIQUE)
    cliques["first_axis"] = elimination.first_neighbour + np.arange(n_cliques + 1)
    axes = np.empty(cliques["first_axis"][-1], dtype=AXIS)
    _place_axes(cliques, axes, turn, elimination.order, elimination.neighbours)
    axes["size"] = scopes.sizes[axes["variable"]]
    factors, members = _factors(scopes), _members(scopes)
    # one for each clique, factor and message at most; memory that is never touched costs nothing
    margins = np.zeros(1 + n_cliques + len(factors) + n_cliques, dtype=MARGIN)
    n_margins = _place_margins(cliques, axes, turn, factors, members, margins)
    margins = margins[:n_margins]
    n_cells, most_cells = _place_cells(cliques, axes, margins)
    for records, place in ((cliques, "message"), (factors, "first_cell")):
        records[place] = margins["first_cell"][records[place]]  # they held numbers of margins
    return Layout(
        cliques,
        axes,
        margins,
        factors,
        members,
        scopes.truth,
        scopes.member_of_auxiliary,
        scopes.n_values,
        n_cells,
        most_cells,
    )


def _factors(scopes: Scopes) -> Records:
    factors = np.zeros(len(scopes.first_member), dtype=FACTOR)
    factors["first_member"] = scopes.first_member
    factors["truth"][:-1] = scopes.truth_of_factor
    factors["value"][:-1] = scopes.value_of_factor
    return factors


def _members(scopes: Scopes) -> Records:
    members = np.empty(len(scopes.variable_of_member), dtype=MEMBER)
    members["variable"] = scopes.variable_of_member
    members["size"] = scopes.sizes[scopes.variable_of_member]
    return members


@njit(cache=True)
def _place_axes(cliques: Records, axes: Records, turn: Ints, order: Ints, neighbours: Ints) -> None:
    """The axes of each clique: its own variable, then its neighbours as their turns come."""
    for clique in range(len(order)):
        first = cliques[clique].first_axis
        axes[first].variable = order[clique]
        for axis in range(first + 1, cliques[clique + 1].first_axis):
            variable = neighbours[axis - clique - 1]
            at = axis
            while at > first + 1 and turn[axes[at - 1].variable] > turn[variable]:
                axes[at].variable = axes[at - 1].variable
                at -= 1
            axes[at].variable = variable


@njit(cache=True)
def _place_margins(
    cliques: Records,
    axes: Records,
    turn: Ints,
    factors: Records,
    members: Records,
    margins: Records,
) -> int:
    """Find the margin of each message and each factor; returns how many there are."""
    n_cliques = len(cliques) - 1
    for clique in range(n_cliques):
        margins[1 + clique].axes = 1
    n_margins = 1 + n_cliques
    for clique in range(n_cliques):
        first, end = cliques[clique].first_axis + 1, cliques[clique + 1].first_axis
        if first < end:
            to = turn[axes[first].variable]
            bits = _bits(cliques[to].first_axis, axes, axes, first, end)
            cliques[clique].message = _margin(margins, n_margins, to, bits)
            n_margins = max(n_margins, cliques[clique].message + 1)
    for factor in range(len(factors) - 1):
        first, end = factors[factor].first_member, factors[factor + 1].first_member
        if first < end:
            to = turn[members[first].variable]
            for member in range(first + 1, end):
                to = min(to, turn[members[member].variable])
            bits = _bits(cliques[to].first_axis, axes, members, first, end)
            for member in range(first, end):
                axis = _axis(cliques[to].first_axis, axes, members[member].variable)
                members[member].step = _n_cells(cliques[to].first_axis, axes, axis, bits)
            factors[factor].first_cell = _margin(margins, n_margins, to, bits)
            n_margins = max(n_margins, factors[factor].first_cell + 1)
    return n_margins


@njit(cache=True)
def _margin(margins: Records, n_margins: int, clique: int, bits: int) -> int:
    """The margin of a clique over given axes; a new one, behind the others, if there is none."""
    margin = 1 + clique
    while margins[margin].axes != bits:
        if margins[margin].following == 0:
            margins[margin].following = n_margins
            margins[n_margins].axes = bits
        margin = margins[margin].following
    return margin


@njit(cache=True)
def _bits(first_axis: int, axes: Records, scope: Records, first: int, end: int) -> int:
    """The axes that belong to the variables of a scope, one bit for each."""
    bits = 0
    for i in range(first, end):
        bits |= 1 << _axis(first_axis, axes, scope[i].variable)
    return bits


@njit(cache=True)
def _axis(first_axis: int, axes: Records, variable: int) -> int:
    """Which axis of a clique belongs to a variable."""
    axis = 0
    while axes[first_axis + axis].variable != variable:
        axis += 1
    return axis


@njit(cache=True)
def _n_cells(first_axis: int, axes: Records, n_axes: int, bits: int) -> int:
    """How many cells there are over those of the first axes whose bits are set."""
    n_cells = 1
    for axis in range(n_axes):
        if bits >> axis & 1:
            n_cells *= axes[first_axis + axis].size
    return n_cells


@njit(cache=True)
def _place_cells(cliques: Records, axes: Records, margins: Records) -> tuple[int, int]:
    """Give each table and margin its cells; returns the number of all, and of the longest table."""
    cell, most = 1, 1
    for at in range(len(cliques) - 1):
        first_axis = cliques[at].first_axis
        n_axes = cliques[at + 1].first_axis - first_axis
        all_axes = (1 << n_axes) - 1
        n_cells = _n_cells(first_axis, axes, n_axes, all_axes)
        cliques[at].first_cell = cell
        cliques[at].n_cells = n_cells
        most = max(most, n_cells)
        cell += n_cells
        margin = 1 + at
        while margin > 0:
            bits = margins[margin].axes
            if bits == all_axes:
                margins[margin].first_cell = cliques[at].first_cell
            else:
                margins[margin].first_cell = cell
                cell += _n_cells(first_axis, axes, n_axes, bits)
            margin = margins[margin].following
    return cell, most
