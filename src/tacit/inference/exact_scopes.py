"""Every factor of a graph as a small truth table over few variables, in flat arrays.

A group of any number of members becomes a chain. An auxiliary variable holds the sum of the members
so far, and one small factor a member ties it to the sum before; the last factor knows whether the
sum is right. So a group over 100,000 members is a tree, and costs no more than its members.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tacit.graph import FactorGraph, GroupFactors
from tacit.graph.factor_graph import Ints, Longs, Truths


class Scopes(NamedTuple):
    """Truth tables over variables. The first axis of a table is its fastest.

    Behind the graph's own variables come the auxiliary ones. Variables of one state are no members:
    nothing depends on them.
    """

    sizes: Ints  # (variables) number of states
    first_member: Longs  # (factors + 1)
    variable_of_member: Ints
    truth: Truths  # all the truth tables, one behind the other
    truth_of_factor: Ints  # (factors) where its truth table begins
    value_of_factor: Ints  # (factors) which potential, counted over all blocks
    member_of_auxiliary: Ints  # (auxiliary variables) a variable of the group it belongs to
    n_values: int  # the last is hard, and belongs to no block


MANY_SUMS = 16  # beyond, sums are rounded up to powers of two: few truth tables serve all members


@dataclass(frozen=True, slots=True)
class _Part:
    """Factors that share a truth table."""

    truth: Truths
    variables: Ints  # (factors, axes)
    value: Ints  # (factors)

    def without_single_states(self) -> _Part:
        """The same without the axes that have one state."""
        keep = [axis for axis, size in enumerate(self.truth.shape) if size > 1]
        if len(keep) == self.truth.ndim:
            return self
        return _Part(self.truth.reshape(-1), self.variables[:, keep], self.value)


def scopes_of(graph: FactorGraph) -> Scopes:
    """All the factors of a graph over its variables and auxiliary ones."""
    first_value = np.cumsum([0, *(len(block.potentials) for block in graph.blocks)]).tolist()
    n_values = first_value[-1] + 1
    parts = [
        _Part(block.truth, block.variables, block.potential + first)
        for block, first in zip(graph.tables, first_value, strict=False)
    ]
    sizes, owners = [graph.sizes], [np.empty(0, dtype=np.int32)]
    n_variables = graph.n_variables
    for groups, first in zip(graph.groups, first_value[len(graph.tables) :], strict=False):
        chain = _Chain(groups, n_variables)
        parts += chain.parts(groups.potential + first, n_values - 1)
        sizes.append(chain.sizes)
        owners.append(groups.variable_of_member[chain.is_sum])
        n_variables += len(chain.sizes)
    return _flat(parts, np.concatenate(sizes), np.concatenate(owners), n_values)


def widest_steps(graph: FactorGraph) -> Longs:
    """For each variable, the states of the largest truth table that a group of it would take."""
    widest = np.zeros(graph.n_variables, dtype=np.int64)
    for groups in graph.groups:
        chain = _Chain(groups, 0)
        n_sums = np.where(chain.is_sum, chain.n_sums, 1)
        before = np.where(chain.at > 1, np.roll(n_sums, 1), 1)
        states = before * graph.sizes[groups.variable_of_member] * n_sums
        np.maximum.at(widest, groups.variable_of_member, states)
    return widest


def _flat(parts: list[_Part], sizes: Ints, owners: Ints, n_values: int) -> Scopes:
    parts = [part.without_single_states() for part in parts]
    n_factors = [len(part.value) for part in parts]
    n_axes = np.repeat([part.variables.shape[1] for part in parts], n_factors)
    lengths = [part.truth.size for part in parts]
    starts = np.cumsum([0, *lengths])[:-1]
    # the last axis of an array is its fastest
    variables = _joined([part.variables[:, ::-1].reshape(-1) for part in parts])
    return Scopes(
        sizes,
        np.concatenate([[0], np.cumsum(n_axes)]).astype(np.int64),
        variables,
        np.concatenate([np.zeros(0, dtype=bool), *(part.truth.reshape(-1) for part in parts)]),
        np.repeat(starts, n_factors).astype(np.int32),
        _joined([part.value for part in parts]),
        owners,
        n_values,
    )


def _joined(arrays: list[Ints]) -> Ints:
    return np.concatenate([np.empty(0, dtype=np.int32), *arrays]).astype(np.int32)


class _Chain:
    """The groups of one block as chains of running sums.

    A group of k members has k - 2 auxiliary variables: the sum after the second member, after the
    third, up to the last but one. The sum after the first is what the first member's state adds.
    """

    def __init__(self, groups: GroupFactors, first_auxiliary: int) -> None:
        self.groups = groups
        self.n_members = np.diff(groups.first_member)
        self.group = np.repeat(np.arange(len(groups)), self.n_members)
        at = np.arange(len(self.group)) - groups.first_member[self.group]
        self.is_last = at == self.n_members[self.group] - 1
        self.is_sum = (at > 0) & ~self.is_last  # whether an auxiliary variable follows the member
        self.at = at
        self.n_sums = self._n_sums()
        self.sizes = self.n_sums[self.is_sum].astype(np.int32)
        self.auxiliary = first_auxiliary + np.cumsum(self.is_sum) - self.is_sum

    def _n_sums(self) -> Longs:
        """How many different sums there can be after each member."""
        groups = self.groups
        most = np.array([gain.max() for gain in groups.gains] or [0], dtype=np.int64)
        added = np.cumsum(most[groups.gain_of_member])
        before = np.concatenate([[0], added])[groups.first_member[self.group]]
        n_sums = added - before + 1
        rounded = 2 ** np.ceil(np.log2(n_sums)).astype(np.int64)
        n_sums = np.where(n_sums <= MANY_SUMS, n_sums, rounded)
        return np.asarray(np.minimum(n_sums, len(groups.holds)))

    def parts(self, value: Ints, hard: int) -> Iterator[_Part]:
        """The factors: a last member's has the potential of its group, the others are hard."""
        groups = self.groups
        empty, single = self.n_members == 0, self.n_members == 1
        yield _Part(groups.holds[:1], np.empty((empty.sum(), 0), dtype=np.int32), value[empty])
        alone = np.flatnonzero(single[self.group])
        for kind, rows in _by_code(groups.gain_of_member[alone], alone):
            variables = groups.variable_of_member[rows, None]
            yield _Part(groups.holds[groups.gains[kind]], variables, value[self.group[rows]])
        yield from self._steps(value, hard)

    def _steps(self, value: Ints, hard: int) -> Iterator[_Part]:
        """One factor for each member but the first: (sum before, member, sum after)."""
        groups, n_kinds = self.groups, len(self.groups.gains)
        members = np.flatnonzero(self.at > 0)
        is_second = self.at[members] == 1
        before = members - 1
        variable = np.where(is_second, groups.variable_of_member[before], self.auxiliary[before])
        # a running sum is a kind of member as well: its states add 0, 1, 2, ...
        kind = np.where(is_second, groups.gain_of_member[before], n_kinds + self.n_sums[before])
        n_after = np.where(self.is_last[members], 0, self.n_sums[members])
        code = (kind * n_kinds + groups.gain_of_member[members]) * (len(groups.holds) + 1) + n_after
        for one, rows in _by_code(code, np.arange(len(members))):
            rest, n_states = divmod(one, len(groups.holds) + 1)
            member = members[rows]
            columns = [variable[rows], groups.variable_of_member[member]]
            truth = self._truth(*divmod(rest, n_kinds), n_states)
            if n_states == 0:
                yield _Part(truth, np.stack(columns, axis=1), value[self.group[member]])
            else:
                columns.append(self.auxiliary[member])
                yield _Part(truth, np.stack(columns, axis=1), np.full(len(rows), hard))

    def _truth(self, before: int, kind: int, n_after: int) -> Truths:
        """Whether the group holds for (before, member); or whether `after` is their sum."""
        groups = self.groups
        n_kinds = len(groups.gains)
        gain = np.arange(before - n_kinds) if before >= n_kinds else groups.gains[before]
        total = np.minimum(gain[:, None] + groups.gains[kind][None, :], len(groups.holds) - 1)
        if n_after == 0:
            return np.asarray(groups.holds[total])
        return np.asarray(total[:, :, None] == np.arange(n_after))


def _by_code(codes: Longs | Ints, rows: Longs) -> Iterator[tuple[int, Longs]]:
    """The rows of each code, one code after the other."""
    if not len(codes):
        return
    order = np.argsort(codes, kind="stable")
    values, first = np.unique(codes[order], return_index=True)
    for value, chosen in zip(values.tolist(), np.split(order, first[1:]), strict=True):
        yield value, rows[chosen]
