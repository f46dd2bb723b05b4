"""What Gibbs sampling knows and does of one variable: its log scores, its draw, its state.

Scores of a variable stand in an array from `begin` on, one for each of its `n_states`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.incidence import (
    BLOCK,
    CELL,
    FACTOR,
    POTENTIAL,
    SLOT,
    STEP,
    Incidence,
    inner,
    part,
)


class Model(NamedTuple):
    """What states and factors are worth."""

    unary: Floats
    values: Floats  # (potentials, 2) the log of what a factor is worth that fails, that holds
    most_states: int  # of a variable


class Chain(NamedTuple):
    """Where a chain stands."""

    states: Ints  # (variables)
    sums: Longs  # (groups) of what the members' states add


@inner
def add_cells(
    places: Ints,
    at: int,
    cell: int,
    truth: Truths,
    values: Floats,
    begin: int,
    n_states: int,
    scores: Floats,
) -> None:
    """Add what a table says of the variable at a place; `cell` is that of its first state."""
    for s in range(n_states):
        holds = int(truth[cell + s * places[at, STEP]])
        scores[begin + s] += values[places[at, POTENTIAL], holds]


@part
def add_table(
    graph: Incidence, model: Model, chain: Chain, at: int, begin: int, n_states: int, scores: Floats
) -> None:
    """Add what a table says of the variable at a place, its other variables being as they are."""
    factor, own, cell = graph.places[at, FACTOR], graph.places[at, SLOT], graph.places[at, CELL]
    for slot in range(graph.first_slot[factor], graph.first_slot[factor + 1]):
        if slot != own:
            cell += chain.states[graph.variable_of_slot[slot]] * graph.step_of_slot[slot]
    add_cells(graph.places, at, cell, graph.truth, model.values, begin, n_states, scores)


@part
def add_group(
    graph: Incidence,
    model: Model,
    chain: Chain,
    at: int,
    state: int,
    begin: int,
    n_states: int,
    scores: Floats,
) -> None:
    """Add what a group says of the member at a place, which is in a state and may change it."""
    first_gain, gains = graph.places[at, STEP], graph.gains
    for s in range(n_states):
        added = gains[first_gain + s] - gains[first_gain + state]
        scores[begin + s] += group_value(graph, model, chain, at, added)


@inner
def group_value(graph: Incidence, model: Model, chain: Chain, at: int, added: int) -> float:
    """What the group at a place would be worth if something were added to its sum."""
    total = chain.sums[graph.places[at, FACTOR] - graph.n_tables] + added
    last_cell = graph.first_cell[graph.places[at, BLOCK] + 1] - 1
    holds = int(graph.truth[min(graph.places[at, CELL] + total, last_cell)])
    value: float = model.values[graph.places[at, POTENTIAL], holds]
    return value


@inner
def log_sum(scores: Floats, begin: int, n_states: int) -> float:
    """log(sum(exp(scores)))."""
    high, total = -np.inf, 0.0
    for s in range(n_states):
        high = max(high, scores[begin + s])
    if high > -np.inf:
        for s in range(n_states):
            total += np.exp(scores[begin + s] - high)
        high += np.log(total)
    return high


@inner
def draw(scores: Floats, begin: int, n_states: int, number: float, shares: Floats) -> int:
    """A state in proportion to exp(scores), by a number from 0 to 1.

    The probabilities of all the states are noted in `shares`, where the scores stand in theirs.
    """
    total = log_sum(scores, begin, n_states)
    drawn, reached = -1, 0.0
    for s in range(n_states):
        share = np.exp(scores[begin + s] - total)
        # Where rounding leaves the sum short of the number, the last possible state is drawn.
        if share > 0.0 and reached <= number:
            drawn = s
        shares[begin + s] = share
        reached += share
    return drawn


@part
def set_state(
    graph: Incidence, model: Model, chain: Chain, variable: int, state: int
) -> tuple[float, int]:
    """Give a variable a state, and keep the sums of its groups true.

    Returned is what the groups are worth more now, and how many hard ones more fail.
    """
    old = chain.states[variable]
    chain.states[variable] = state
    gained, broken = 0.0, 0
    first, last = graph.first_place[variable], graph.first_place[variable + 1]
    for at in range(last - 1, first - 1, -1):
        group = graph.places[at, FACTOR] - graph.n_tables
        if group < 0:
            break  # groups come last
        first_gain = graph.places[at, STEP]
        added = graph.gains[first_gain + state] - graph.gains[first_gain + old]
        before, after = (
            group_value(graph, model, chain, at, 0),
            group_value(graph, model, chain, at, added),
        )
        broken += int(after == -np.inf) - int(before == -np.inf)
        gained += (after if after > -np.inf else 0.0) - (before if before > -np.inf else 0.0)
        chain.sums[group] += added
    return gained, broken
