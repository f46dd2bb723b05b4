"""Links: the factors of one block laid out for message passing, each kind for its own kernel.

Beliefs are log-odds against a variable's first state, so a variable with K states has K - 1
numbers and a binary variable one. Messages add to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.graph import GroupFactors, TableFactors
from tacit.graph.factor_graph import Floats, Ints, Longs, Truths
from tacit.inference.kernels import agreement, any_of, counting, pairs, tables
from tacit.inference.kernels.components import most_frequent

MOST = 600.0  # the largest potential whose exponential the fast kernels can write as a number


@dataclass(frozen=True, slots=True)
class Sweep:
    """How a sweep goes: what it reads, what it adds to, and how boldly."""

    log_odds: Floats
    changes: Floats  # (slots, positions); log_odds itself when messages count at once
    damping: float
    maximise: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """What the factors of a block say in the end."""

    log_sum: float  # what they add to the log-partition
    holds: Floats  # by potential: how many factors hold, expected
    least: float  # the least log-probability with which a factor can be satisfied
    least_factor: int


@dataclass(frozen=True, slots=True)
class Parts:
    """A formula over two ends taken apart: constant + first a + second b + sent * what is sent.

    Only the last part needs messages; what is said of single variables belongs to them.
    """

    constant: float = 0.0
    first: float = 0.0
    second: float = 0.0
    sent: float = 1.0


@dataclass(frozen=True, eq=False)
class Link:
    """The factors of one block with the layout of their messages."""

    kernel: Any  # a module with `sweep` and `measure`
    layout: tuple[Any, ...]  # the arrays that these take first
    potential: Ints  # (factors)
    n_potentials: int
    chunks: Longs  # (chunks, 2) stretches of factors that are worked on together
    message_shape: tuple[int, ...]
    parts: Parts = Parts()

    def __post_init__(self) -> None:
        for array in (*self.layout, self.potential):
            array.flags.writeable = False  # kernels are compiled for read-only arrays

    def start(self) -> Floats:
        """Messages that say nothing."""
        return np.zeros(self.message_shape)

    def values(self, log_values: Floats) -> Floats:
        """What the part that is sent is worth, by potential."""
        return log_values if self.parts.sent == 1.0 else log_values * self.parts.sent

    def sweep(
        self, values: Floats, shares: Floats, messages: Floats, chunks: Longs, how: Sweep
    ) -> Floats:
        """Update the messages of some chunks; returns the largest change in each."""
        residuals = np.zeros(len(chunks))
        self.kernel.sweep(
            *self.layout, self.potential, values, shares, messages,
            how.log_odds, how.changes, chunks, how.damping, how.maximise, residuals,
        )  # fmt: skip
        return residuals

    def measure(
        self, values: Floats, shares: Floats, messages: Floats, log_odds: Floats, n_slots: int
    ) -> Measured:
        """What the factors say, given the messages."""
        sent, least = np.zeros((n_slots, self.n_potentials)), np.zeros((n_slots, 2))
        totals = self.kernel.measure(
            *self.layout, self.potential, values, shares, messages, log_odds, sent, least
        )
        worst = int(least[:, 0].argmin())
        return Measured(
            float(totals.sum()),
            self.holding(sent, log_odds),
            float(least[worst, 0]),
            int(least[worst, 1]),
        )

    def holding(self, sent: Floats, log_odds: Floats) -> Floats:
        """How many factors hold, expected, given in how many the part that is sent does."""
        holds = self.parts.sent * sent.sum(axis=0)
        if self.parts.constant:
            holds += self.parts.constant * self.n_factors
        for part, ends in self._single():
            positive = 1.0 / (1.0 + np.exp(-np.clip(log_odds[ends], -MOST, MOST)))
            holds += part * np.bincount(self.potential, positive, minlength=len(holds))
        # Messages that have not settled may disagree.
        return np.asarray(np.clip(holds, 0.0, self.n_factors))

    def add_unary(self, log_values: Floats, log_odds: Floats) -> float:
        """Give single variables what is said of them; returns the part that is constant."""
        for part, ends in self._single():
            worth = part * log_values[self.potential]
            log_odds += np.bincount(ends, worth, minlength=len(log_odds))
        if not self.parts.constant:
            return 0.0
        return self.parts.constant * float(log_values @ self.n_factors)

    @cached_property
    def n_factors(self) -> Floats:
        """How many factors have each potential."""
        if self.n_potentials == 1:
            return np.array([float(len(self.potential))])
        return np.bincount(self.potential, minlength=self.n_potentials).astype(np.float64)

    @cached_property
    def busiest(self) -> int:
        """How many messages the variable gets that gets most, of factors over two variables."""
        ends = self.layout[0]
        return int(most_frequent(ends, int(ends.max(initial=-1)) + 1))

    def _single(self) -> list[tuple[float, Ints]]:
        sides = (self.parts.first, 0), (self.parts.second, 1)
        return [(part, self.layout[0][:, end]) for part, end in sides if part]


def table_link(block: TableFactors, first_odds: Longs | None, log_values: Floats) -> Link:
    """The fastest link that can carry a block's potentials; without `first_odds`, all is binary."""
    shape = block.truth.shape
    ends = block.variables
    if first_odds is not None:
        ends = first_odds[block.variables].astype(np.int32)
    small = np.isfinite(log_values).all() and np.abs(log_values).max(initial=0.0) <= MOST
    if small and shape == (2, 2):
        return _link(pairs, (ends,), block, (len(block), 2), _binary_parts(block.truth))
    if small and len(shape) == 2 and shape[0] == shape[1]:
        same = np.eye(shape[0], dtype=bool)
        size = (len(block), 2, shape[0] - 1)
        if (block.truth == same).all():
            return _link(agreement, (ends,), block, size)
        if (block.truth != same).all():
            return _link(agreement, (ends,), block, size, Parts(constant=1.0, sent=-1.0))
    cells = np.indices(shape, dtype=np.int32).reshape(len(shape), -1).T
    sizes = np.array(shape, dtype=np.int64)
    layout = sizes, np.ascontiguousarray(cells), block.truth.reshape(-1).copy(), ends
    return _link(tables, layout, block, (len(block), int((sizes - 1).sum())))


def _binary_parts(truth: Truths) -> Parts:
    """Any table over two binary variables, as agreement and what is said of each alone."""
    t = truth.astype(float)
    both = (t[0, 0] + t[1, 1] - t[0, 1] - t[1, 0]) / 2
    return Parts(t[0, 0] - both, t[1, 0] - t[0, 0] + both, t[0, 1] - t[0, 0] + both, both)


def _link(
    kernel: Any,
    layout: tuple[Any, ...],
    block: TableFactors,
    message_shape: tuple[int, ...],
    parts: Parts = Parts(),  # noqa: B008
) -> Link:
    chunks = even_chunks(len(block), kernel.BATCH)
    n_potentials = len(block.potentials)
    return Link(kernel, layout, block.potential, n_potentials, chunks, message_shape, parts)


def group_link(block: GroupFactors, first_odds: Longs, *, noisy_or: bool = False) -> Link:
    """The fastest link for a block of groups."""
    variable = block.variable_of_member
    positions = np.stack([first_odds[variable], first_odds[variable + 1]], axis=1)
    gains = np.zeros((len(block.gains), max(map(len, block.gains))), dtype=np.int32)
    for at, gain in enumerate(block.gains):
        gains[at, : len(gain)] = gain
    first, kind = block.first_member, block.gain_of_member
    n_potentials = len(block.potentials)
    if block.holds.tolist() == [False, True]:
        layout = np.array([noisy_or]), first, positions, _signs(block), gains, kind
        chunks, n_messages = group_chunks(first, any_of.BATCH), len(kind)
        return Link(any_of, layout, block.potential, n_potentials, chunks, (n_messages,))
    begins = np.concatenate([[0], np.cumsum(positions[:, 1] - positions[:, 0])]).astype(np.int64)
    sums = block.holds, first, positions, gains, kind, begins
    chunks, n_messages = group_chunks(first, counting.BATCH), int(begins[-1])
    return Link(counting, sums, block.potential, n_potentials, chunks, (n_messages,))


def _signs(block: GroupFactors) -> Floats:
    """For each kind of member: 1 or -1 where it is binary and one state counts, 0 elsewhere."""
    signs = [float(gain[1] - gain[0]) if len(gain) == 2 else 0.0 for gain in block.gains]
    return np.array(signs)


def even_chunks(n_factors: int, size: int) -> Longs:
    """Stretches of at most so many factors."""
    starts = np.arange(0, n_factors, size, dtype=np.int64)
    return np.stack([starts, np.minimum(starts + size, n_factors)], axis=1)


def group_chunks(first_member: Longs, size: int) -> Longs:
    """Stretches of whole groups with about so many members."""
    number = first_member[:-1] // size
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    ends = np.append(starts, len(number))[1:]
    return np.stack([starts, ends], axis=1).astype(np.int64)
