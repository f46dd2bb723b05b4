"""The two passes of exact inference over the cells of a layout.

Upwards, in log space: a clique adds its margins to its table and sums out its own variable; the
log-sums are its message, and the table becomes the variable's distribution given its neighbours,

    message(n) = log sum_x exp table(x, n),    p(x | n) = exp(table(x, n) - message(n)).

Downwards: p(x, n) = p(x | n) p(n), where p(n) is read off a margin of a clique that is finished.
To maximise, sums become maxima; the tables stay in log space, and the largest cell of each is 0.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Floats, Ints, Longs
from tacit.inference.elimination import Records
from tacit.inference.exact_factors import spread


@njit(cache=True)
def _places_in_margin(axes: Records, first: int, end: int, bits: int, places: Ints) -> None:
    """For each cell of a clique's table, its place in the margin over some of the axes."""
    places[0] = 0
    length, step = 1, 1
    for axis in range(first, end):
        is_shared = bits >> (axis - first) & 1
        length = spread(places, length, axes[axis].size, step * is_shared)
        if is_shared:
            step *= axes[axis].size


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
