"""Message passing by definition: every cell of every factor is visited, with plain loops.

Numbers are logs. What a variable believes without a factor, its cavity, is what it believes less
what the factor has said. A factor's new word on a state gathers the cells with that state, less
the cavity of the variable itself, and is told as log-odds against the first state. What cannot be
is kept at a limit, so that words can be added and taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, inf, log
from typing import Any

from tacit.graph import FactorGraph, GroupFactors, TableFactors

LIMIT = 1e8  # words stay within this, as in the library

Word = list[list[float]]  # by place in the factor's scope, by state; the first state has 0
Join = Callable[[Sequence[float]], float]


def log_sum(values: Sequence[float]) -> float:
    """log of the sum of exponentials."""
    high = max(values, default=-inf)
    return high if high == -inf else high + log(sum(exp(value - high) for value in values))


def highest(values: Sequence[float]) -> float:
    """The largest; minus infinity when there is none."""
    return max(values, default=-inf)


def scope(block: TableFactors | GroupFactors, factor: int) -> list[int]:
    """The variables of one factor."""
    if isinstance(block, TableFactors):
        return [int(v) for v in block.variables[factor]]
    low, high = block.first_member[factor], block.first_member[factor + 1]
    return [int(v) for v in block.variable_of_member[low:high]]


def truth(block: TableFactors | GroupFactors, factor: int, states: Sequence[int]) -> bool:
    """Whether a factor holds when the variables of its scope have these states."""
    if isinstance(block, TableFactors):
        return bool(block.truth[tuple(states)])
    first = int(block.first_member[factor])
    total = sum(
        int(block.gains[block.gain_of_member[first + at]][state]) for at, state in enumerate(states)
    )
    return bool(block.holds[min(total, len(block.holds) - 1)])


@dataclass(frozen=True)
class Cell:
    """One way to give states to the variables of a factor."""

    states: tuple[int, ...]
    holds: bool
    worth: float  # of the factor alone


def cells(
    graph: FactorGraph, block: TableFactors | GroupFactors, factor: int, log_value: float
) -> Iterator[Cell]:
    """Every cell of a factor, with what it is worth; a hard factor forbids where it is false."""
    sizes = [int(graph.sizes[v]) for v in scope(block, factor)]
    for states in product(*(range(size) for size in sizes)):
        holds = truth(block, factor, states)
        if log_value == inf:
            yield Cell(states, holds, 0.0 if holds else -inf)
        else:
            yield Cell(states, holds, log_value if holds else 0.0)


def new_word(
    graph: FactorGraph,
    block: TableFactors | GroupFactors,
    factor: int,
    log_value: float,
    cavity: Word,
    maximise: bool = False,
) -> Word:
    """What a factor says next, given what its variables believe without it."""
    join: Join = highest if maximise else log_sum
    every = list(cells(graph, block, factor, log_value))
    word: Word = []
    for place, own in enumerate(cavity):
        out = []
        for state in range(len(own)):
            values = [
                cell.worth + sum(x[cell.states[at]] for at, x in enumerate(cavity) if at != place)
                for cell in every
                if cell.states[place] == state
            ]
            out.append(join(values))
        word.append(as_odds(out))
    return word


def as_odds(values: Sequence[float]) -> list[float]:
    """Logs by state as log-odds against the first; what cannot be lies at the limit."""
    high = max(values)
    if high == -inf:
        return [0.0] * len(values)
    kept = [max(value - high, -LIMIT) for value in values]
    return [value - kept[0] for value in kept]


@dataclass(frozen=True)
class Said:
    """What one factor amounts to."""

    log_z: float  # of its cells, less the log-sums of its variables' beliefs
    holds: float  # the probability that it holds


def amount(
    graph: FactorGraph,
    block: TableFactors | GroupFactors,
    factor: int,
    log_value: float,
    belief: Word,
    cavity: Word,
) -> Said:
    """log Z_f minus the sum of log Z_i of its variables, and the probability that it holds."""
    true, false = [], []
    for cell in cells(graph, block, factor, log_value):
        value = cell.worth + sum(x[s] for x, s in zip(cavity, cell.states, strict=True))
        (true if cell.holds else false).append(value)
    log_z = log_sum([*true, *false])
    alone = sum(log_sum(own) for own in belief)
    return Said(log_z - alone, exp(log_sum(true) - log_z))


def sweep(
    graph: FactorGraph,
    worth: Sequence[Sequence[float]],
    shares: Sequence[Sequence[float]],
    beliefs: Sequence[Sequence[float]],
    words: Sequence[Sequence[Word]],
    *,
    damping: float = 0.0,
    maximise: bool = False,
) -> list[list[Word]]:
    """All factors speak at once: new words, block by block and factor by factor.

    `worth` and `shares` are by block and factor; a word counts in its variable's belief by its
    share. Of the old word, `damping` is kept.
    """
    spoken: list[list[Word]] = []
    for at, block in enumerate(graph.blocks):
        spoken.append([])
        for factor in range(len(block)):
            old = words[at][factor]
            cavity = cavities(block, factor, beliefs, old)
            new = new_word(graph, block, factor, worth[at][factor], cavity, maximise)
            spoken[-1].append(
                [
                    [damping * a + (1 - damping) * b for a, b in zip(was, now, strict=True)]
                    for was, now in zip(old, new, strict=True)
                ]
            )
    return spoken


def measure(
    graph: FactorGraph,
    worth: Sequence[Sequence[float]],
    shares: Sequence[Sequence[float]],
    beliefs: Sequence[Sequence[float]],
    words: Sequence[Sequence[Word]],
) -> tuple[float, list[list[float]]]:
    """The log-partition that messages amount to, and the probability that each factor holds."""
    total = sum(log_sum(own) for own in beliefs)
    holds: list[list[float]] = []
    for at, block in enumerate(graph.blocks):
        holds.append([])
        for factor in range(len(block)):
            belief = [list(beliefs[v]) for v in scope(block, factor)]
            cavity = cavities(block, factor, beliefs, words[at][factor])
            said = amount(graph, block, factor, worth[at][factor], belief, cavity)
            total += shares[at][factor] * said.log_z
            holds[-1].append(said.holds)
    return total, holds


def cavities(
    block: TableFactors | GroupFactors,
    factor: int,
    beliefs: Sequence[Sequence[float]],
    word: Word,
) -> Word:
    """What the variables of a factor believe without what it has said."""
    return [
        [b - w for b, w in zip(beliefs[v], said, strict=True)]
        for v, said in zip(scope(block, factor), word, strict=True)
    ]


def believed(
    graph: FactorGraph,
    log_unary: Sequence[float],
    shares: Sequence[Sequence[float]],
    words: Sequence[Sequence[Word]],
) -> list[list[float]]:
    """What each variable believes of each state: what is known of it alone, and every word."""
    beliefs = [
        [max(float(log_unary[state]), -LIMIT) for state in range(first, first + size)]
        for first, size in zip(graph.first_state.tolist(), graph.sizes.tolist(), strict=False)
    ]
    for at, block in enumerate(graph.blocks):
        for factor in range(len(block)):
            for v, said in zip(scope(block, factor), words[at][factor], strict=True):
                for state, number in enumerate(said):
                    beliefs[v][state] += shares[at][factor] * number
    return beliefs


def added(one: Word, other: Word) -> Word:
    """Two words taken together."""
    return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(one, other, strict=True)]


def normalised(beliefs: Sequence[Sequence[float]]) -> tuple[list[float], list[float]]:
    """Probabilities by state, variable after variable, and the log of each variable's sum."""
    sums = [log_sum(own) for own in beliefs]
    return [exp(x - z) for own, z in zip(beliefs, sums, strict=True) for x in own], sums


def joined(n_variables: int, scopes: Sequence[Sequence[int]]) -> list[int]:
    """The lowest variable that each variable hangs together with, by walking from neighbours."""
    near: dict[int, set[int]] = {v: set() for v in range(n_variables)}
    for variables in scopes:
        for v in variables:
            near[v].update(variables)
    lowest = list(range(n_variables))
    for start in range(n_variables):
        if lowest[start] != start:
            continue
        waiting = [start]
        while waiting:
            v = waiting.pop()
            lowest[v] = start
            waiting += [other for other in near[v] if lowest[other] > start]
    return lowest


def closes_cycle(chosen: Sequence[Sequence[int]], variables: Sequence[int]) -> bool:
    """Whether two variables of a scope already hang together through chosen ones."""
    return any(
        _reaches(chosen, one, other) for at, one in enumerate(variables) for other in variables[:at]
    )


def _reaches(scopes: Sequence[Sequence[int]], one: int, other: int) -> bool:
    seen, waiting = {one}, [one]
    while waiting:
        v = waiting.pop()
        for variables in scopes:
            if v in variables:
                waiting += [u for u in variables if u not in seen]
                seen.update(variables)
    return other in seen


def stretches(components: Sequence[int], chunks: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The chunk and the component of each run of factors of one component within a chunk."""
    found = []
    for at, (low, high) in enumerate(chunks):
        for factor in range(low, high):
            if factor == low or components[factor] != components[factor - 1]:
                found.append((at, components[factor]))
    return found


def all_scopes(graph: FactorGraph) -> list[list[int]]:
    """The variables of every factor, block after block."""
    blocks: tuple[Any, ...] = graph.blocks
    return [scope(block, factor) for block in blocks for factor in range(len(block))]
