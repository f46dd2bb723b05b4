"""Groups drawn at one stroke: members that nothing else ties, by running sums.

One by one, the members of a group of which exactly one counts could never change: two have to
change at once. All other variables kept, members that share no other factor are drawn together,
exactly, from their sum: backwards, what each running sum is worth; forwards, state by state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Floats, Ints, Longs
from tacit.inference.gibbs_scores import (
    Chain,
    Model,
    add_group,
    add_table,
    draw,
    log_sum,
    set_state,
)
from tacit.inference.incidence import FACTOR, Incidence, part


class Marks(NamedTuple):
    """What is noted while groups are drawn. A round is one group in one sweep of one chain."""

    rounds: Longs  # (1) how many there were
    tried: Longs  # (variables) the round in which a variable last had its turn
    taken: Longs  # (factors) the round in which a factor last had a variable drawn
    chosen: Ints  # (members of the largest group) the slots that are drawn together
    values: Floats  # (members + 1) x sums, flat: log of what the members from here on make of a sum


def no_marks(graph: Incidence) -> Marks:
    """Room for notes."""
    n_members = np.diff(graph.first_slot)[graph.n_tables :]
    n_sums = np.diff(graph.first_cell)[graph.block_of_factor[graph.n_tables :]]
    return Marks(
        np.zeros(1, dtype=np.int64),
        np.zeros(len(graph.first_state) - 1, dtype=np.int64),
        np.zeros(len(graph.block_of_factor), dtype=np.int64),
        np.empty(n_members.max(initial=0), dtype=np.int32),
        np.empty(((n_members + 1) * n_sums).max(initial=0)),
    )


@njit(cache=True)
def draw_groups(
    graph: Incidence, model: Model, chain: Chain, marks: Marks, start: int, numbers: Floats
) -> None:
    """Draw members of each group together, each variable at most once, from group `start` on."""
    n_tables, scores = graph.n_tables, np.empty(len(model.unary))
    n_groups = len(graph.block_of_factor) - n_tables
    last_round = marks.rounds[0]
    for step in range(n_groups):
        factor = n_tables + (start + step) % n_groups
        marks.rounds[0] += 1
        n_chosen = choose(graph, model, chain, marks, factor, last_round, scores)
        if n_chosen > 1:
            value_sums(graph, model, marks, factor, n_chosen, scores)
            draw_members(graph, model, chain, marks, factor, n_chosen, numbers, scores)


@part
def choose(
    graph: Incidence,
    model: Model,
    chain: Chain,
    marks: Marks,
    factor: int,
    last_round: int,
    scores: Floats,
) -> int:
    """Choose members that share no factor but this one, and score them; how many is returned."""
    places, now = graph.places, marks.rounds[0]
    n_chosen = 0
    for slot in range(graph.first_slot[factor], graph.first_slot[factor + 1]):
        variable = graph.variable_of_slot[slot]
        if marks.tried[variable] > last_round:
            continue
        marks.tried[variable] = now
        first, last = graph.first_place[variable], graph.first_place[variable + 1]
        free = True
        for at in range(first, last):
            free &= marks.taken[places[at, FACTOR]] != now
        if not free:
            continue
        marks.chosen[n_chosen] = slot
        n_chosen += 1
        begin, end = graph.first_state[variable], graph.first_state[variable + 1]
        for state in range(begin, end):
            scores[state] = model.unary[state]
        for at in range(first, last):
            other = places[at, FACTOR]
            if other == factor:
                continue
            marks.taken[other] = now
            if other < graph.n_tables:
                add_table(graph, model, chain, at, begin, end - begin, scores)
            else:
                add_group(
                    graph, model, chain, at, chain.states[variable], begin, end - begin, scores
                )
    return n_chosen


@part
def value_sums(
    graph: Incidence, model: Model, marks: Marks, factor: int, n_chosen: int, scores: Floats
) -> None:
    """Backwards: the log of what the chosen members from each on make of every sum before it."""
    values, gains = marks.values, graph.gains
    block, potential = graph.block_of_factor[factor], graph.potential_of_factor[factor]
    first_cell = graph.first_cell[block]
    n_sums = graph.first_cell[block + 1] - first_cell
    for n in range(n_sums):
        holds = int(graph.truth[first_cell + n])
        values[n_chosen * n_sums + n] = model.values[potential, holds]
    row = np.empty(model.most_states)
    for at in range(n_chosen - 1, -1, -1):
        slot = marks.chosen[at]
        variable, first_gain = graph.variable_of_slot[slot], graph.step_of_slot[slot]
        begin, end = graph.first_state[variable], graph.first_state[variable + 1]
        for n in range(n_sums):
            for s in range(end - begin):
                longer = min(n + gains[first_gain + s], n_sums - 1)
                row[s] = scores[begin + s] + values[(at + 1) * n_sums + longer]
            values[at * n_sums + n] = log_sum(row, 0, end - begin)


@part
def draw_members(
    graph: Incidence,
    model: Model,
    chain: Chain,
    marks: Marks,
    factor: int,
    n_chosen: int,
    numbers: Floats,
    scores: Floats,
) -> None:
    """Forwards: draw one chosen member after another, given the sum so far."""
    values, gains = marks.values, graph.gains
    block = graph.block_of_factor[factor]
    n_sums = graph.first_cell[block + 1] - graph.first_cell[block]
    total = chain.sums[factor - graph.n_tables]
    for at in range(n_chosen):
        slot = marks.chosen[at]
        total -= gains[graph.step_of_slot[slot] + chain.states[graph.variable_of_slot[slot]]]
    row, shares = np.empty(model.most_states), np.empty(model.most_states)
    for at in range(n_chosen):
        slot = marks.chosen[at]
        variable, first_gain = graph.variable_of_slot[slot], graph.step_of_slot[slot]
        begin, end = graph.first_state[variable], graph.first_state[variable + 1]
        for s in range(end - begin):
            longer = min(total + gains[first_gain + s], n_sums - 1)
            row[s] = scores[begin + s] + values[(at + 1) * n_sums + longer]
        drawn = draw(row, 0, end - begin, numbers[variable], shares)
        set_state(graph, model, chain, variable, drawn)
        total += gains[first_gain + drawn]
