"""Incidence: all the factors of a graph as one set of flat arrays, and which touch each variable.

Factors are numbered block by block, tables before groups. A slot is one place in one factor, an
axis of a table or a member of a group; slots are numbered factor by factor. A place is the same
seen from the variable: places are numbered variable by variable. So a method may walk from a
variable to its factors and on to their other variables, through all the blocks, in compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacit.errors import BadInput
from tacit.graph import FactorGraph, GroupFactors
from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.potentials import LogPotentials

Number = TypeVar("Number", bound=np.generic)
Function = TypeVar("Function", bound=Callable[..., Any])

# The columns of places: what an update wants to know of a factor, repeated place by place, for
# reading it in order is ten times faster than looking it up. CELL is the first cell of its block,
# PARTNER the other variable of a table that has two, or -1.
SLOT, FACTOR, BLOCK, POTENTIAL, CELL, STEP, PARTNER, PARTNER_STEP = range(8)


class Incidence(NamedTuple):
    """A graph's factors from both sides; a named tuple, for compiled functions take those whole.

    Compiled functions that were cached know it by its name.
    """

    first_state: Longs  # (variables + 1)
    first_place: Longs  # (variables + 1)
    places: Ints  # (places, 8) a variable's tables come before its groups
    n_tables: int  # factors from here on are groups
    first_slot: Longs  # (factors + 1)
    block_of_factor: Ints
    potential_of_factor: Ints  # numbered through all the blocks
    variable_of_slot: Ints  # rising within a group
    step_of_slot: Ints  # how many cells apart its states lie; in a group, where its gains begin
    first_cell: Longs  # (blocks + 1)
    truth: Truths  # whether a factor holds, by cell of its table, or by the sum of its group
    gains: Ints  # what states add to a sum, one kind of member after another


def part(function: Function) -> Function:
    """Compile a part of a kernel, which Python itself does not call."""
    compile_: Any = njit
    compiled: Function = compile_(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return compiled


def inner(function: Function) -> Function:
    """Compile a small part of a kernel in its place: calls with many arrays are not cheap."""
    compile_: Any = njit
    compiled: Function = compile_(inline="always")(function)
    return compiled


def incidence_of(graph: FactorGraph) -> Incidence:
    """A graph's factors from both sides, in time linear in the graph. No weight is looked at."""
    tables, groups = graph.tables, [_sorted(block) for block in graph.groups]
    blocks, n_tables = graph.blocks, sum(map(len, tables))
    sizes = [np.full(len(block), block.variables.shape[1]) for block in tables]
    sizes += [np.diff(block.first_member) for block in groups]
    first_slot = _offsets(_joined(sizes, np.int64))
    variables = [block.variables.reshape(-1) for block in tables]
    variables += [block.variable_of_member for block in groups]
    truths = [block.truth.reshape(-1) for block in tables] + [block.holds for block in groups]
    first_cell = _offsets(np.array([len(truth) for truth in truths], dtype=np.int64))
    if max(first_slot[-1], first_cell[-1]) >= 2**31:
        raise BadInput(f"factors have {first_slot[-1]} slots; at most 2^31 can be numbered")
    first_potential = np.cumsum([0, *(len(block.potentials) for block in blocks)])
    potentials = [block.potential + first_potential[at] for at, block in enumerate(blocks)]
    flat = Incidence(
        first_state=graph.first_state,
        first_place=np.zeros(graph.n_variables + 1, dtype=np.int64),
        places=np.empty((first_slot[-1], 8), dtype=np.int32),
        n_tables=n_tables,
        first_slot=first_slot,
        block_of_factor=np.repeat(np.arange(len(blocks), dtype=np.int32), [*map(len, blocks)]),
        potential_of_factor=_joined(potentials, np.int32),
        variable_of_slot=_joined(variables, np.int32),
        step_of_slot=_steps(graph, groups),
        first_cell=first_cell,
        truth=_joined(truths, np.bool_),
        gains=_joined([gain for block in groups for gain in block.gains], np.int32),
    )
    fill_places(flat)
    return flat


def log_worths(potentials: LogPotentials) -> Floats:
    """What factors that hold are worth, by potentials numbered through all the blocks."""
    return _joined([*potentials.tables, *potentials.groups], np.float64)


def strongest(unary: Floats, worth: Floats) -> float:
    """The greatest of all finite potentials, from 1 to a bound that can still be multiplied."""
    finite = np.concatenate([unary[np.isfinite(unary)], worth[np.isfinite(worth)]])
    return min(float(np.abs(finite).max(initial=1.0)), 1e12)


def by_block(
    graph: FactorGraph, by_potential: Floats
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Numbers by potential, taken apart again: for each block of tables, and of groups."""
    ends = np.cumsum([0, *(len(block.potentials) for block in graph.blocks)])[1:]
    parts = tuple(np.split(by_potential, ends)[: len(graph.blocks)])
    return parts[: len(graph.tables)], parts[len(graph.tables) :]


@njit(cache=True)
def fill_places(graph: Incidence) -> None:
    """Sort the slots by variable, by counting, and note at each place what is known of it."""
    first_place, places, slots = graph.first_place, graph.places, graph.variable_of_slot
    for variable in slots:
        first_place[variable + 1] += 1
    for variable in range(len(first_place) - 1):
        first_place[variable + 1] += first_place[variable]
    free = first_place.copy()
    for factor in range(len(graph.block_of_factor)):
        begin, end = graph.first_slot[factor], graph.first_slot[factor + 1]
        for slot in range(begin, end):
            at = free[slots[slot]]
            free[slots[slot]] += 1
            places[at, SLOT], places[at, FACTOR] = slot, factor
            places[at, BLOCK] = graph.block_of_factor[factor]
            places[at, POTENTIAL] = graph.potential_of_factor[factor]
            places[at, CELL] = graph.first_cell[places[at, BLOCK]]
            places[at, STEP] = graph.step_of_slot[slot]
            places[at, PARTNER] = -1
            if factor < graph.n_tables and end - begin == 2:
                other = begin + end - 1 - slot
                places[at, PARTNER] = slots[other]
                places[at, PARTNER_STEP] = graph.step_of_slot[other]


def _steps(graph: FactorGraph, groups: Sequence[GroupFactors]) -> Ints:
    """How many cells apart the states of every slot lie; in a group, where its gains begin."""
    steps: list[NDArray[Any]] = []
    for table in graph.tables:
        apart = np.append(np.cumprod(table.truth.shape[:0:-1])[::-1], 1)
        steps.append(np.tile(apart, len(table)))
    n_gains = 0
    for block in groups:
        first_gain = np.cumsum([n_gains, *map(len, block.gains)])
        steps.append(first_gain[block.gain_of_member])
        n_gains = int(first_gain[-1])
    return _joined(steps, np.int32)


def _sorted(block: GroupFactors) -> GroupFactors:
    """The same groups, the members of each in the order of their variables."""
    variable = block.variable_of_member
    group = np.repeat(np.arange(len(block)), np.diff(block.first_member))
    if not ((variable[1:] < variable[:-1]) & (group[1:] == group[:-1])).any():
        return block
    order = np.lexsort((variable, group))
    return replace(
        block, variable_of_member=variable[order], gain_of_member=block.gain_of_member[order]
    )


def _offsets(sizes: Longs) -> Longs:
    """Where each of several consecutive stretches begins, and behind the last, where it ends."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _joined(parts: Sequence[NDArray[Any]], kind: type[Number]) -> NDArray[Number]:
    """Arrays one after another, copied, so that compiled functions meet one kind of array."""
    return np.concatenate([np.empty(0, dtype=kind), *parts]).astype(kind, copy=False)
