"""What the formulas that tie a label to others say of it, one by one.

Take all factors of one label away, and ask what its neighbours believe then. If f holds with
probability P(y) under these beliefs when the label is y, the factor with weight w says

    log(1 - P(y) + P(y) exp(w))        of label y, or log P(y) if it is hard.

That is the message that belief propagation sends on a tree. There the messages and what is said of
the label alone add up to its log-odds exactly. Where neighbours are tied to each other behind the
label's back (around a loop), their beliefs are not independent and the sum misses something.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tacit.errors import TacitWarning
from tacit.graph import FactorGraph, GroupFactors
from tacit.graph.build import NO_EXPECTATIONS
from tacit.graph.factor_graph import Floats, Ints, Truths
from tacit.graph.groups import truth_of_sum
from tacit.grounding import GroundFactors, GroupBlock, TableBlock
from tacit.inference import infer
from tacit.inference.components import components_of

Block = TableBlock | GroupBlock
Marginal = Callable[[int], Floats]  # a variable's probabilities


@dataclass(frozen=True, slots=True)
class Incoming:
    """One factor of a label and what it says of each state; only differences count."""

    block: Block
    index: int
    log_message: Floats  # (states); minus infinity where a hard formula rules the state out

    @property
    def weight(self) -> int:
        """The number of the factor's weight."""
        return int(self.block.weight[self.index])

    @property
    def count(self) -> float:
        """How many merged groundings the factor stands for."""
        return float(self.block.count[self.index])

    @property
    def variables(self) -> list[int]:
        """The label variables of the factor, each once."""
        return list(dict.fromkeys(_variables(self.block, self.index).tolist()))


def incoming(
    factors: GroundFactors,
    graph: FactorGraph,
    weights: Floats,
    log_unary: dict[str, Floats],
    variable: int,
) -> list[Incoming]:
    """The factors of a label variable, with what each says of it."""
    blocks: list[Block] = [*factors.tables, *factors.groups]
    touching = [(block, index) for block in blocks for index in _touching(block, variable)]
    if not touching:
        return []
    believed = _beliefs_without(graph, weights, log_unary, variable)

    def marginal(other: int) -> Floats:
        return believed[graph.first_state[other] : graph.first_state[other + 1]]

    found = []
    for block, index in touching:
        worth = float(weights[block.weight[index]] * block.count[index])
        holds = np.clip(_probability(block, index, variable, marginal), 0.0, 1.0)
        found.append(Incoming(block, index, _log_message(holds, worth)))
    return found


def _touching(block: Block, variable: int) -> list[int]:
    """The factors of a block that a variable belongs to."""
    if isinstance(block, TableBlock):
        return list(map(int, np.flatnonzero((block.variables == variable).any(axis=1))))
    member = np.flatnonzero(block.variable_of_member == variable)
    group = np.searchsorted(block.first_member, member, side="right") - 1
    return list(map(int, np.unique(group)))


def _variables(block: Block, index: int) -> Ints:
    if isinstance(block, TableBlock):
        return np.asarray(block.variables[index])
    members = slice(block.first_member[index], block.first_member[index + 1])
    return np.asarray(block.variable_of_member[members])


def _beliefs_without(
    graph: FactorGraph, weights: Floats, log_unary: dict[str, Floats], variable: int
) -> Floats:
    """The probability of every state of a label's component, were the label tied to nothing."""
    component = components_of(graph).of_variable
    near = component == component[variable]
    tables = [
        block.where(near[block.variables[:, 0]] & (block.variables != variable).all(axis=1))
        for block in graph.tables
    ]
    groups = [block.where(_others(block, near, variable)) for block in graph.groups]
    apart = replace(
        graph,
        tables=tuple(block for block in tables if len(block)),
        groups=tuple(block for block in groups if len(block)),
        expectations=NO_EXPECTATIONS,  # their weights stay as they were found
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # what messages miss is shown as a part
        return infer(apart, "auto", weights=weights, log_unary=log_unary).by_state


def _others(block: GroupFactors, near: Truths, variable: int) -> Truths:
    """The groups of the component that a variable does not belong to."""
    group = np.repeat(np.arange(len(block)), np.diff(block.first_member))
    has = np.bincount(group, block.variable_of_member == variable, minlength=len(block)) > 0
    return np.asarray(near[block.variable_of_member[block.first_member[:-1]]] & ~has)


def _probability(block: Block, index: int, variable: int, marginal: Marginal) -> Floats:
    """For each state of a variable, how probably a formula holds, the others independent."""
    if isinstance(block, TableBlock):
        return _of_table(block, index, variable, marginal)
    return _of_group(block, index, variable, marginal)


def _of_table(block: TableBlock, index: int, variable: int, marginal: Marginal) -> Floats:
    holds = block.truth.astype(np.float64)
    others = block.variables[index].tolist()
    for axis in reversed(range(len(others))):
        if others[axis] != variable:
            holds = np.tensordot(holds, marginal(others[axis]), axes=(axis, 0))
    return np.asarray(holds)


def _of_group(block: GroupBlock, index: int, variable: int, marginal: Marginal) -> Floats:
    """By the distribution of the sum, member after member; sums beyond the end count as the end."""
    members = range(int(block.first_member[index]), int(block.first_member[index + 1]))
    gains: dict[int, Floats] = {}
    for at in members:
        gain = block.state_sets[block.set_of_member[at]].astype(np.float64)
        other = int(block.variable_of_member[at])
        gains[other] = gains.get(other, 0.0) + gain
    truth = truth_of_sum(block.quantifier, block.limit, block.limit + 1)
    end = len(truth) - 1
    own = gains.pop(variable).astype(np.int64)
    sums = np.zeros(len(truth))
    sums[0] = 1.0
    for other, gain in gains.items():
        adds = np.bincount(gain.astype(np.int64), marginal(other))
        whole = np.convolve(sums, adds)
        sums = whole[: end + 1]
        sums[end] += whole[end + 1 :].sum()
    reached = np.minimum(np.arange(len(truth))[None, :] + own[:, None], end)
    return np.asarray(truth[reached] @ sums)


def _log_message(holds: Floats, worth: float) -> Floats:
    """What a factor says of each state, from the probability that it holds there."""
    with np.errstate(divide="ignore"):
        log_holds, log_fails = np.log(holds), np.log1p(-holds)
    return log_holds if np.isinf(worth) else np.logaddexp(log_fails, log_holds + worth)
