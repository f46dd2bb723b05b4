"""The two passes of exact inference over the cells of a layout, and what is read off afterwards.

Upwards, in log space: a clique adds its margins to its table and sums out its own variable; the
log-sums are its message, and the table becomes the variable's distribution given its neighbours,

    message(n) = log sum_x exp table(x, n),    p(x | n) = exp(table(x, n) - message(n)).

Downwards: p(x, n) = p(x | n) p(n), where p(n) is read off a margin of a clique that is finished.
To maximise, sums become maxima; the tables stay in log space, and the largest cell of each is 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.elimination import Records


@njit(cache=True)
def _spread(places: Ints, length: int, size: int, step: int) -> int:
    """Add an axis to a list of places; returns the new length.

    The list grows by copies of itself, each moved by one more step: when all the axes of a table
    are added, it holds for each cell of the table the place of that cell in another table.
    """
    for state in range(1, size):
        for i in range(length):
            places[state * length + i] = places[i] + state * step
    return length * size


@njit(cache=True)
def _places_in_margin(axes: Records, first: int, end: int, bits: int, places: Ints) -> None:
    """For each cell of a clique's table, its place in the margin over some of the axes."""
    places[0] = 0
    length, step = 1, 1
    for axis in range(first, end):
        is_shared = bits >> (axis - first) & 1
        length = _spread(places, length, axes[axis].size, step * is_shared)
        if is_shared:
            step *= axes[axis].size


@njit(cache=True)
def _places_of_factor(members: Records, first: int, end: int, places: Ints) -> int:
    """For each cell of a factor's truth table, its place in the margin; returns how many."""
    places[0] = 0
    length = 1
    for member in range(first, end):
        length = _spread(places, length, members[member].size, members[member].step)
    return length


@njit(cache=True)
def add_factors(
    factors: Records,
    members: Records,
    truth: Truths,
    log_values: Floats,
    places: Ints,
    cells: Floats,
) -> None:
    """Add to each factor's margin what the factor is worth; infinite values are hard."""
    for at in range(len(factors) - 1):
        factor = factors[at]
        value = log_values[factor.value]
        length = _places_of_factor(
            members, factor.first_member, factors[at + 1].first_member, places
        )
        for i in range(length):
            cell = factor.first_cell + places[i]
            if truth[factor.truth + i]:
                if value != np.inf:
                    cells[cell] += value
            elif value == np.inf:
                cells[cell] = -np.inf


@njit(cache=True)
def pass_up(
    cliques: Records,
    axes: Records,
    margins: Records,
    first_state: Longs,
    log_unary: Floats,
    maximise: bool,
    places: Ints,
    cells: Floats,
) -> tuple[float, int]:
    """Turn sums of log potentials into conditionals; returns the log-partition.

    The second number is -1; or, where no assignment is possible, the clique that found out.
    Messages are kept near 0, and what is taken off them is summed together with its rounding
    errors: so a long chain of large weights loses no digits.
    """
    message = np.empty(len(places), dtype=np.float64)
    log_partition, lost = cells[0], 0.0
    for at in range(len(cliques) - 1):
        clique = cliques[at]
        own = axes[clique.first_axis]
        if own.variable < len(first_state) - 1:
            for state in range(own.size):
                cell = margins[1 + at].first_cell + state
                cells[cell] += log_unary[first_state[own.variable] + state]
        _gather(cliques, axes, margins, at, places, cells)
        highest = _condition(clique.first_cell, clique.n_cells, own.size, maximise, message, cells)
        if highest == -np.inf:
            return highest, at
        total = log_partition + highest
        if abs(log_partition) >= abs(highest):
            lost += (log_partition - total) + highest
        else:
            lost += (highest - total) + log_partition
        log_partition = total
        if clique.n_cells > own.size:
            for i in range(clique.n_cells // own.size):
                cells[clique.message + i] += message[i] - highest
    return log_partition + lost, -1


@njit(cache=True)
def _gather(
    cliques: Records, axes: Records, margins: Records, at: int, places: Ints, cells: Floats
) -> None:
    """Add the margins of a clique to its table."""
    clique, end = cliques[at], cliques[at + 1].first_axis
    margin = 1 + at
    while margin > 0:
        first = margins[margin].first_cell
        if first != clique.first_cell:
            _places_in_margin(axes, clique.first_axis, end, margins[margin].axes, places)
            for i in range(clique.n_cells):
                cells[clique.first_cell + i] += cells[first + places[i]]
        margin = margins[margin].following


@njit(cache=True)
def _condition(
    first: int, n_cells: int, size: int, maximise: bool, message: Floats, cells: Floats
) -> float:
    """Turn a table (neighbours, states) into conditionals; returns the largest message.

    Where no state is possible, none becomes so.
    """
    highest = -np.inf
    for i in range(n_cells // size):
        row = range(first + i * size, first + (i + 1) * size)
        high = -np.inf
        for cell in row:
            high = max(high, cells[cell])
        message[i] = high
        if high == -np.inf:
            for cell in row:
                cells[cell] = -np.inf if maximise else 0.0
            continue
        for cell in row:
            cells[cell] -= high
        if not maximise:
            total = 0.0
            for cell in row:
                cells[cell] = np.exp(cells[cell])
                total += cells[cell]
            for cell in row:
                cells[cell] /= total
            message[i] += np.log(total)
        highest = max(highest, message[i])
    return highest


@njit(cache=True)
def pass_down(
    cliques: Records,
    axes: Records,
    margins: Records,
    first_state: Longs,
    maximise: bool,
    places: Ints,
    cells: Floats,
    marginals: Floats,
) -> None:
    """Turn conditionals into probabilities, in all tables and margins; writes the marginals.

    To maximise: into the logs of how likely the best assignment with these states is, next to
    the best of all.
    """
    cells[0] = 0.0 if maximise else 1.0
    for at in range(len(cliques) - 2, -1, -1):
        clique = cliques[at]
        own = axes[clique.first_axis]
        if clique.n_cells > own.size:
            _extend(clique.first_cell, clique.n_cells, own.size, clique.message, maximise, cells)
        margin = 1 + at
        while margin > 0:
            first = margins[margin].first_cell
            if first != clique.first_cell:
                end = cliques[at + 1].first_axis
                _places_in_margin(axes, clique.first_axis, end, margins[margin].axes, places)
                _project(clique.first_cell, clique.n_cells, places, first, maximise, cells)
            margin = margins[margin].following
        if own.variable < len(first_state) - 1:
            first = margins[1 + at].first_cell
            _normalise(first, own.size, first_state[own.variable], maximise, cells, marginals)


@njit(cache=True)
def _extend(
    first: int, n_cells: int, size: int, neighbours: int, maximise: bool, cells: Floats
) -> None:
    """From a variable's conditional to its joint distribution with its neighbours.

    Their probabilities are divided by their sum: rounding errors do not grow with the depth.
    """
    total = 0.0
    for i in range(n_cells // size):
        total += cells[neighbours + i]
    for i in range(n_cells // size):
        for cell in range(first + i * size, first + (i + 1) * size):
            if maximise:
                cells[cell] += cells[neighbours + i]
            else:
                cells[cell] *= cells[neighbours + i] / total


@njit(cache=True)
def _project(
    first: int, n_cells: int, places: Ints, margin: int, maximise: bool, cells: Floats
) -> None:
    """Sum a table, or take its maxima, over the axes that a margin has not."""
    for i in range(n_cells):
        cells[margin + places[i]] = -np.inf if maximise else 0.0
    for i in range(n_cells):
        cell = margin + places[i]
        if maximise:
            cells[cell] = max(cells[cell], cells[first + i])
        else:
            cells[cell] += cells[first + i]


@njit(cache=True)
def _normalise(
    first: int, size: int, state: int, maximise: bool, cells: Floats, marginals: Floats
) -> None:
    """Write the marginal of a variable from its margin."""
    total = 0.0
    for i in range(size):
        marginals[state + i] = np.exp(cells[first + i]) if maximise else cells[first + i]
        total += marginals[state + i]
    for i in range(size):
        marginals[state + i] /= total


@njit(cache=True)
def expected(
    factors: Records, members: Records, truth: Truths, places: Ints, cells: Floats, held: Floats
) -> None:
    """Sum by value how many of its factors hold, expected, once the cells are probabilities.

    The rounding errors of each sum are kept and added to the next term: there may be millions.
    """
    lost = np.zeros(len(held), dtype=np.float64)
    for at in range(len(factors) - 1):
        factor = factors[at]
        length = _places_of_factor(
            members, factor.first_member, factors[at + 1].first_member, places
        )
        term = lost[factor.value]
        for i in range(length):
            if truth[factor.truth + i]:
                term += cells[factor.first_cell + places[i]]
        total = held[factor.value] + term
        lost[factor.value] = (held[factor.value] - total) + term
        held[factor.value] = total


@njit(cache=True)
def assign(cliques: Records, axes: Records, cells: Floats, uniform: Floats, states: Ints) -> None:
    """Give every variable a state, from conditionals: by one uniform number for each clique.

    Where the uniform numbers are empty, the best state, and the first of several.
    """
    for at in range(len(cliques) - 2, -1, -1):
        first, end = cliques[at].first_axis, cliques[at + 1].first_axis
        size = axes[first].size
        cell, step = cliques[at].first_cell, size
        for axis in range(first + 1, end):
            cell += step * states[axes[axis].variable]
            step *= axes[axis].size
        if len(uniform) == 0:
            states[axes[first].variable] = _best(cells, cell, size)
        else:
            states[axes[first].variable] = _drawn(cells, cell, size, uniform[at])


@njit(cache=True)
def _best(cells: Floats, first: int, size: int) -> int:
    """The state with the largest number, and the first of several."""
    best = 0
    for state in range(1, size):
        if cells[first + state] > cells[first + best]:
            best = state
    return best


@njit(cache=True)
def _drawn(cells: Floats, first: int, size: int, uniform: float) -> int:
    """The first state at which the sum of probabilities exceeds a number; always a possible one."""
    total, drawn = 0.0, 0
    for state in range(size):
        if cells[first + state] > 0.0:
            drawn = state
            total += cells[first + state]
            if uniform < total:
                break
    return drawn


@njit(cache=True)
def held_at(factors: Records, members: Records, truth: Truths, states: Ints, held: Floats) -> None:
    """Sum by value how many of its factors hold at an assignment."""
    for at in range(len(factors) - 1):
        cell, step = factors[at].truth, 1
        for member in range(factors[at].first_member, factors[at + 1].first_member):
            cell += step * states[members[member].variable]
            step *= members[member].size
        if truth[cell]:
            held[factors[at].value] += 1.0
