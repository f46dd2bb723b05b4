"""Mean field's compiled part: one sweep over all variables, and what the factors expect.

Under independent variables a factor of worth w fails with some probability given that one of its
variables v is in state s, and the best distribution of v, all others kept, is

    q(s)  proportional to  exp(unary(s) - sum over factors of v: w P(fails | v = s)).

Everything is told by failing, not by holding: a hard factor allows a state only where it fails with
probability 0, and sums of products of probabilities are exactly 0 where each product is.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.incidence import (
    BLOCK,
    CELL,
    FACTOR,
    PARTNER,
    PARTNER_STEP,
    POTENTIAL,
    SLOT,
    STEP,
    Incidence,
    inner,
    part,
)


@njit(cache=True)
def update_all(
    graph: Incidence,
    unary: Floats,
    worth: Floats,
    penalty: float,
    final: bool,
    shares: Floats,
    chains: Floats,
    first_chain: Longs,
    most_states: int,
) -> float:
    """Update each variable's shares in turn, in place; the largest change is returned.

    A hard factor costs `penalty` times its probability to fail. A state that makes one fail is
    ruled out altogether where the variable breaks none as it is, and in `final` sweeps wherever it
    has a state that breaks none: a bound that is finite remains so.
    """
    # Taken out of the tuple once: each time costs more than a number read from an array.
    first_state, first_place, places = graph.first_state, graph.first_place, graph.places
    truth, n_tables = graph.truth, graph.n_tables
    score, breaks, fails = np.empty(most_states), np.empty(most_states), np.empty(most_states)
    change = 0.0
    for variable in range(len(first_state) - 1):
        begin, end = first_state[variable], first_state[variable + 1]
        first, last = first_place[variable], first_place[variable + 1]
        n_states = end - begin
        for s in range(n_states):
            score[s], breaks[s] = unary[begin + s], 0.0
        for at in range(first, last):
            if places[at, PARTNER] >= 0:
                pair_fails(first_state, places, at, truth, shares, n_states, fails)
            elif places[at, FACTOR] < n_tables:
                table_fails(graph, shares, at, n_states, fails)
            else:
                group_fails(graph, shares, at, n_states, chains, first_chain, fails)
            strength = worth[places[at, POTENTIAL]]
            for s in range(n_states):
                if strength == np.inf:
                    breaks[s] += fails[s]
                else:
                    score[s] -= strength * fails[s]
        charge(score, breaks, shares, begin, n_states, penalty, final)
        change = max(change, assign_softmax(score, shares, begin, n_states))
        for at in range(last - 1, first - 1, -1):
            if places[at, FACTOR] < n_tables:
                break  # groups come last
            advance(graph, shares[begin:end], at, chains, first_chain)
    return change


@inner
def pair_fails(
    first_state: Longs,
    places: Ints,
    at: int,
    truth: Truths,
    shares: Floats,
    n_states: int,
    fails: Floats,
) -> None:
    """P(a factor of two variables fails | the one at a place is in state s), for every s."""
    other, step = places[at, PARTNER], places[at, PARTNER_STEP]
    begin, end = first_state[other], first_state[other + 1]
    for s in range(n_states):
        cell = places[at, CELL] + s * places[at, STEP]
        total = 0.0
        for state in range(begin, end):
            if not truth[cell]:
                total += shares[state]
            cell += step
        fails[s] = total


@part
def table_fails(graph: Incidence, shares: Floats, at: int, n_states: int, fails: Floats) -> None:
    """P(a table factor fails | the variable at a place is in state s), for every s."""
    block, factor, slot = graph.places[at, BLOCK], graph.places[at, FACTOR], graph.places[at, SLOT]
    first_cell, last_cell = graph.first_cell[block], graph.first_cell[block + 1]
    for s in range(n_states):
        fails[s] = 0.0
    for cell in range(last_cell - first_cell):
        if not graph.truth[first_cell + cell]:
            share = cell_share(graph, shares, factor, cell, slot)
            fails[(cell // graph.places[at, STEP]) % n_states] += share


@part
def cell_share(graph: Incidence, shares: Floats, factor: int, cell: int, left_out: int) -> float:
    """The probability that variables are as a cell of their table says, one slot left out."""
    share = 1.0
    for slot in range(graph.first_slot[factor], graph.first_slot[factor + 1]):
        step = graph.step_of_slot[slot]
        if slot != left_out:
            share *= shares[graph.first_state[graph.variable_of_slot[slot]] + cell // step]
        cell %= step
    return share


@part
def group_fails(
    graph: Incidence,
    shares: Floats,
    at: int,
    n_states: int,
    chains: Floats,
    first_chain: Longs,
    fails: Floats,
) -> None:
    """P(a group fails | the member at a place is in state s), for every s.

    A group's chain has a row for each member, and one behind the last. Rows up to the member whose
    turn it is hold P(sum of the members before), kept up to date; the rows behind it hold
    P(the group fails | sum of the members before), from the shares at the start of the sweep, which
    are still those of the members whose turn comes later.
    """
    block, factor, slot = graph.places[at, BLOCK], graph.places[at, FACTOR], graph.places[at, SLOT]
    first_slot = graph.first_slot[factor]
    if slot == first_slot:
        start_chain(graph, shares, factor, chains, first_chain)
    n_sums = graph.first_cell[block + 1] - graph.first_cell[block]
    now = first_chain[factor - graph.n_tables] + (slot - first_slot) * n_sums
    for s in range(n_states):
        gain = graph.gains[graph.places[at, STEP] + s]
        total = 0.0
        for n in range(n_sums):
            total += chains[now + n] * chains[now + n_sums + min(n + gain, n_sums - 1)]
        fails[s] = total


@part
def start_chain(
    graph: Incidence, shares: Floats, factor: int, chains: Floats, first_chain: Longs
) -> None:
    """P(the group fails | sum of the members before), for every member from the last to the first.

    Before the first member the sum is 0 for certain, and that is what the first row says.
    """
    block = graph.block_of_factor[factor]
    first_cell = graph.first_cell[block]
    n_sums = graph.first_cell[block + 1] - first_cell
    begin, end = graph.first_slot[factor], graph.first_slot[factor + 1]
    first = first_chain[factor - graph.n_tables]
    row = first + (end - begin) * n_sums
    for n in range(n_sums):
        chains[row + n] = 0.0 if graph.truth[first_cell + n] else 1.0
    for slot in range(end - 1, begin, -1):
        row -= n_sums
        variable = graph.variable_of_slot[slot]
        first_state, last_state = graph.first_state[variable], graph.first_state[variable + 1]
        first_gain = graph.step_of_slot[slot]
        for n in range(n_sums):
            total = 0.0
            for s in range(last_state - first_state):
                longer = min(n + graph.gains[first_gain + s], n_sums - 1)
                total += shares[first_state + s] * chains[row + n_sums + longer]
            chains[row + n] = total
    for n in range(n_sums):
        chains[first + n] = 1.0 if n == 0 else 0.0


@part
def advance(graph: Incidence, own: Floats, at: int, chains: Floats, first_chain: Longs) -> None:
    """Write P(sum of the members up to this one) into the next row of its group's chain."""
    block, factor, slot = graph.places[at, BLOCK], graph.places[at, FACTOR], graph.places[at, SLOT]
    n_sums = graph.first_cell[block + 1] - graph.first_cell[block]
    now = first_chain[factor - graph.n_tables] + (slot - graph.first_slot[factor]) * n_sums
    later = now + n_sums
    gain = graph.gains[graph.places[at, STEP] :]
    add_member(chains[now:later], own, gain, chains[later : later + n_sums])


@part
def add_member(sums: Floats, own: Floats, gain: Ints, longer: Floats) -> None:
    """The distribution of a sum that a member has been added to; the last sum stands for more."""
    for n in range(len(sums)):
        longer[n] = 0.0
    for n in range(len(sums)):
        for s in range(len(own)):
            longer[min(n + gain[s], len(sums) - 1)] += sums[n] * own[s]


@part
def charge(
    score: Floats,
    breaks: Floats,
    shares: Floats,
    begin: int,
    n_states: int,
    penalty: float,
    final: bool,
) -> None:
    """Lower the scores of states that make hard factors fail, or rule them out."""
    broken, clean = 0.0, False
    for s in range(n_states):
        broken += shares[begin + s] * breaks[s]
        clean |= breaks[s] == 0.0 and score[s] > -np.inf
    ruled_out = clean and (final or broken == 0.0)
    for s in range(n_states):
        if breaks[s] > 0.0:
            score[s] = -np.inf if ruled_out else score[s] - penalty * breaks[s]


@part
def assign_softmax(score: Floats, shares: Floats, begin: int, n_states: int) -> float:
    """Set a variable's shares in proportion to exp(score); the largest change is returned."""
    high = -np.inf
    for s in range(n_states):
        high = max(high, score[s])
    total = 0.0
    for s in range(n_states):
        score[s] = np.exp(score[s] - high)
        total += score[s]
    change = 0.0
    for s in range(n_states):
        share = score[s] / total
        change = max(change, abs(share - shares[begin + s]))
        shares[begin + s] = share
    return change


@njit(cache=True)
def expected_counts(
    graph: Incidence, shares: Floats, n_potentials: int, most_cells: int
) -> tuple[Floats, Floats]:
    """How many factors hold, and how many fail, expected, by potential."""
    holding, failing = np.zeros(n_potentials), np.zeros(n_potentials)
    cells, longer = np.empty(most_cells), np.empty(most_cells)
    for factor in range(len(graph.block_of_factor)):
        block, potential = graph.block_of_factor[factor], graph.potential_of_factor[factor]
        first_cell = graph.first_cell[block]
        n_cells = graph.first_cell[block + 1] - first_cell
        if factor < graph.n_tables:
            for cell in range(n_cells):
                cells[cell] = cell_share(graph, shares, factor, cell, -1)
        else:
            sum_shares(graph, shares, factor, cells[:n_cells], longer[:n_cells])
        for cell in range(n_cells):
            if graph.truth[first_cell + cell]:
                holding[potential] += cells[cell]
            else:
                failing[potential] += cells[cell]
    return holding, failing


@part
def sum_shares(graph: Incidence, shares: Floats, factor: int, sums: Floats, longer: Floats) -> None:
    """P(sum of all the members of a group), for every sum."""
    for n in range(len(sums)):
        sums[n] = 1.0 if n == 0 else 0.0
    for slot in range(graph.first_slot[factor], graph.first_slot[factor + 1]):
        variable = graph.variable_of_slot[slot]
        own = shares[graph.first_state[variable] : graph.first_state[variable + 1]]
        add_member(sums, own, graph.gains[graph.step_of_slot[slot] :], longer)
        for n in range(len(sums)):
            sums[n] = longer[n]
