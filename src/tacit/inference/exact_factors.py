"""Factors and the cells of their margins: what they are worth there, and how often they hold."""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Floats, Ints, Truths
from tacit.inference.elimination import Records


@njit(cache=True)
def spread(places: Ints, length: int, size: int, step: int) -> int:
    """Add an axis to a list of places; returns the new length.

    The list grows by copies of itself, each moved by one more step: when all the axes of a table
    are added, it holds for each cell of the table the place of that cell in another table.
    """
    for state in range(1, size):
        for i in range(length):
            places[state * length + i] = places[i] + state * step
    return length * size


@njit(cache=True)
def _places_of_factor(members: Records, first: int, end: int, places: Ints) -> int:
    """For each cell of a factor's truth table, its place in the margin; returns how many."""
    places[0] = 0
    length = 1
    for member in range(first, end):
        length = spread(places, length, members[member].size, members[member].step)
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
def held_at(factors: Records, members: Records, truth: Truths, states: Ints, held: Floats) -> None:
    """Sum by value how many of its factors hold at an assignment."""
    for at in range(len(factors) - 1):
        cell, step = factors[at].truth, 1
        for member in range(factors[at].first_member, factors[at + 1].first_member):
            cell += step * states[members[member].variable]
            step *= members[member].size
        if truth[cell]:
            held[factors[at].value] += 1.0
