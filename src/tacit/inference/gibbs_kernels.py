"""Gibbs sampling's compiled part: sweeps in which trees and groups are drawn at one stroke.

All variables outside a tree kept, every member's log scores gather what factors outside the tree
say, and what the members below it say; then states are drawn from the root down. Sums of groups are
kept up to date, so that a sweep is linear in the number of places.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.graph.factor_graph import Floats, Ints, Truths
from tacit.inference.gibbs_scores import (
    Chain,
    Model,
    add_cells,
    add_group,
    add_table,
    draw,
    log_sum,
    set_state,
)
from tacit.inference.gibbs_trees import FIRST_LINK, LAST_LINK, PARENT, TREE, Trees
from tacit.inference.incidence import (
    CELL,
    FACTOR,
    PARTNER,
    PARTNER_STEP,
    Incidence,
    inner,
    part,
)


@njit(cache=True)
def draw_trees(
    graph: Incidence,
    model: Model,
    chain: Chain,
    trees: Trees,
    n_trees: int,
    loose: bool,
    numbers: Floats,
    luck: Floats,
    shares: Floats,
) -> None:
    """Draw tree after tree: the states of its variables together, given all others.

    Loose trees are drawn as if there were no groups. By Metropolis and Hastings, such a draw is
    kept with the ratio of what the groups are worth after it to what they were worth before, or for
    certain where that is above 1; otherwise it is taken back.
    """
    scores, before = model.unary.copy(), chain.states.copy()
    for tree in range(n_trees):
        gather_tree(graph, model, chain, trees, tree, loose, scores)
        gained, broken = draw_tree(graph, model, chain, trees, tree, numbers, scores, shares)
        if loose and (broken > 0 or luck[tree] >= np.exp(min(gained, 0.0))):
            for at in range(trees.first_member[tree], trees.first_member[tree + 1]):
                set_state(graph, model, chain, trees.member[at], before[trees.member[at]])


@part
def gather_tree(
    graph: Incidence,
    model: Model,
    chain: Chain,
    trees: Trees,
    tree: int,
    loose: bool,
    scores: Floats,
) -> None:
    """Upwards: let every variable of a tree know what lies outside the tree and below it."""
    # Taken out of the tuples once: each time costs more than a number read from an array.
    states, nodes, values = chain.states, trees.nodes, model.values
    places, truth, first_place = graph.places, graph.truth, graph.first_place
    first_state, member, row = graph.first_state, trees.member, np.empty(model.most_states)
    for its in range(trees.first_member[tree + 1] - 1, trees.first_member[tree] - 1, -1):
        variable = member[its]
        begin, n_states = first_state[variable], first_state[variable + 1] - first_state[variable]
        for at in range(first_place[variable], first_place[variable + 1]):
            other = places[at, PARTNER]
            if other >= 0:
                if nodes[other, TREE] != tree:
                    cell = places[at, CELL] + states[other] * places[at, PARTNER_STEP]
                    add_cells(places, at, cell, truth, values, begin, n_states, scores)
            elif places[at, FACTOR] < graph.n_tables:
                if mate(graph, trees, at, variable) < 0:
                    add_table(graph, model, chain, at, begin, n_states, scores)
            elif not loose:
                add_group(graph, model, chain, at, states[variable], begin, n_states, scores)
        parent = nodes[variable, PARENT]
        if parent >= 0:
            now = states[parent]
            for state in range(first_state[parent], first_state[parent + 1]):
                for s in range(n_states):
                    row[s] = scores[begin + s]
                states[parent] = state - first_state[parent]
                if add_links(variable, nodes, places, truth, values, states, 0, n_states, row):
                    add_larger_links(graph, model, chain, trees, variable, 0, n_states, row)
                scores[state] += log_sum(row, 0, n_states)
            states[parent] = now


@part
def draw_tree(
    graph: Incidence,
    model: Model,
    chain: Chain,
    trees: Trees,
    tree: int,
    numbers: Floats,
    scores: Floats,
    shares: Floats,
) -> tuple[float, int]:
    """Downwards: draw the states of a tree's variables, each given its parent's.

    Returned is what the groups are worth more now, and how many hard ones more fail.
    """
    states, nodes, values = chain.states, trees.nodes, model.values
    places, truth, first_state, member = graph.places, graph.truth, graph.first_state, trees.member
    gained, broken = 0.0, 0
    for its in range(trees.first_member[tree], trees.first_member[tree + 1]):
        variable = member[its]
        begin, n_states = first_state[variable], first_state[variable + 1] - first_state[variable]
        if nodes[variable, PARENT] >= 0 and add_links(
            variable, nodes, places, truth, values, states, begin, n_states, scores
        ):
            add_larger_links(graph, model, chain, trees, variable, begin, n_states, scores)
        drawn = draw(scores, begin, n_states, numbers[variable], shares)
        if drawn != states[variable]:
            more_gained, more_broken = set_state(graph, model, chain, variable, drawn)
            gained, broken = gained + more_gained, broken + more_broken
    return gained, broken


@inner
def add_links(
    variable: int,
    nodes: Ints,
    places: Ints,
    truth: Truths,
    values: Floats,
    states: Ints,
    begin: int,
    n_states: int,
    scores: Floats,
) -> bool:
    """Add to a variable's scores what the state of its parent means for it, told by pairs.

    Returned is whether there may be larger tables that tie the two.
    """
    parent, larger = nodes[variable, PARENT], False
    for at in range(nodes[variable, FIRST_LINK], nodes[variable, LAST_LINK] + 1):
        larger |= places[at, PARTNER] < 0
        if places[at, PARTNER] == parent:
            cell = places[at, CELL] + states[parent] * places[at, PARTNER_STEP]
            add_cells(places, at, cell, truth, values, begin, n_states, scores)
    return larger


@part
def add_larger_links(
    graph: Incidence,
    model: Model,
    chain: Chain,
    trees: Trees,
    variable: int,
    begin: int,
    n_states: int,
    scores: Floats,
) -> None:
    """Add to a variable's scores what the state of its parent means for it, by larger tables."""
    places, node = graph.places, trees.nodes[variable]
    for at in range(node[FIRST_LINK], node[LAST_LINK] + 1):
        if places[at, PARTNER] < 0 and mate(graph, trees, at, variable) == node[PARENT]:
            add_table(graph, model, chain, at, begin, n_states, scores)


@part
def mate(graph: Incidence, trees: Trees, at: int, variable: int) -> int:
    """The other variable of a table that is in the same tree; -1: there is none."""
    factor, tree = graph.places[at, FACTOR], trees.nodes[variable, TREE]
    for slot in range(graph.first_slot[factor], graph.first_slot[factor + 1]):
        other: int = graph.variable_of_slot[slot]
        if other != variable and trees.nodes[other, TREE] == tree:
            return other
    return -1


@njit(cache=True)
def count_holding(graph: Incidence, chain: Chain, holding: Floats) -> None:
    """Add to each potential how many of its factors hold."""
    for factor in range(len(graph.block_of_factor)):
        block = graph.block_of_factor[factor]
        cell, last_cell = graph.first_cell[block], graph.first_cell[block + 1] - 1
        if factor < graph.n_tables:
            for slot in range(graph.first_slot[factor], graph.first_slot[factor + 1]):
                cell += chain.states[graph.variable_of_slot[slot]] * graph.step_of_slot[slot]
        else:
            cell = min(cell + chain.sums[factor - graph.n_tables], last_cell)
        if graph.truth[cell]:
            holding[graph.potential_of_factor[factor]] += 1.0


@njit(cache=True)
def sums_of_groups(graph: Incidence, chain: Chain) -> None:
    """Add up what the members of each group add, in place."""
    for factor in range(graph.n_tables, len(graph.block_of_factor)):
        total = 0
        for slot in range(graph.first_slot[factor], graph.first_slot[factor + 1]):
            state = chain.states[graph.variable_of_slot[slot]]
            total += graph.gains[graph.step_of_slot[slot] + state]
        chain.sums[factor - graph.n_tables] = total
