"""Agreement: how often two sources say the same, and how often the label alone would make them.

With the labels as they are inferred, let n_y instances have label y, and source j say s of n_jsy of
them. Two sources that only the label ties say the same of E = sum over y and s of n_jsy n_ksy / n_y
instances. A source that always says the same could speak of any instance; one that chooses among
labels is asked only where it spoke, and two such where both did.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy import sparse

from tacit.learning.votes import Floats, Ints, Longs, Truths, Votes

CROWDED = 0.3  # a matrix fuller than this is quicker as a plain array
TINY = 1e-300


class Agreement:
    """How often each two sources say the same, and how often they would.

    `posterior` (patterns, labels) are the labels as inferred. Memory grows with the square of the
    number of sources, time with that and the number of labels.
    """

    def __init__(self, votes: Votes, posterior: Floats, *, silence_tells: bool = False) -> None:
        self.votes = votes
        self.held = posterior * votes.n_of_pattern[:, None]  # (patterns, labels) instances
        self.is_given = votes.is_many_sided & (not silence_tells)
        self.saying = _sayings(votes)
        self.n_sayings = int(self.saying.max(initial=-1)) + 1
        self._said: dict[int, Ints] = {}

    @property
    def price(self) -> float:
        """What a dependency must gain to be believed: a sparsity prior over all pairs."""
        n_sources = self.votes.n_sources
        n_pairs = max(1, n_sources * (n_sources - 1) // 2)
        return float(np.log(n_pairs) + 0.5 * np.log(max(1, self.votes.n_instances)))

    @cached_property
    def both_spoke(self) -> Floats:
        """How often both of two sources spoke: (sources, sources)."""
        return _together(self.votes.spoke, self.votes.n_of_pattern)

    @cached_property
    def observed(self) -> Floats:
        """How often two sources said the same: (sources, sources)."""
        votes = self.votes
        same = np.zeros((votes.n_sources, votes.n_sources))
        for saying in range(self.n_sayings):
            events = np.flatnonzero(self.saying == saying)
            source = votes.source_of_event[events]
            found = _together(sparse.csr_array(self._columns[:, events]), votes.n_of_pattern)
            np.add.at(same, (source[:, None], source[None, :]), found)
        return same

    @cached_property
    def n_asked(self) -> Floats:
        """Of how many instances two sources could have said the same: (sources, sources)."""
        return np.where(self._either_given, self.both_spoke, float(self.votes.n_instances))

    @cached_property
    def expected(self) -> Floats:
        """How often two sources would say the same by their overall habits: (sources, sources)."""
        votes = self.votes
        given = np.flatnonzero(self.is_given)
        spoke = sparse.csr_array(votes.spoke[:, given])
        reach = np.tile(self.held.sum(axis=0), (votes.n_sources, 1))  # (sources, labels)
        reach[given] = spoke.T @ self.held
        share = (votes.cast.T @ self.held) / np.maximum(reach[votes.source_of_event], TINY)
        same = np.zeros((votes.n_sources, votes.n_sources))
        both = np.zeros_like(same)
        for label in range(votes.n_labels):
            habits = np.zeros((votes.n_sources, self.n_sayings))
            np.add.at(habits, (votes.source_of_event, self.saying), share[:, label])
            within = np.full(same.shape, self.held[:, label].sum())
            within[given, :] = reach[given, label][:, None]
            within[:, given] = reach[given, label][None, :]
            within[np.ix_(given, given)] = _together(spoke, self.held[:, label])
            speaks = habits.sum(axis=1)
            same += within * (habits @ habits.T)
            both += within * np.outer(speaks, speaks)
        where_asked = self.both_spoke * same / np.maximum(both, TINY)
        return np.where(self._either_given, where_asked, same)

    @cached_property
    def repeatable(self) -> Floats:
        """How often two sources could have said the same at most: (sources, sources)."""
        n_of_source = np.diag(self.both_spoke)
        fewer = np.minimum(n_of_source[:, None], n_of_source[None, :])
        return np.where(self._either_given, self.both_spoke, fewer)

    @cached_property
    def _columns(self) -> sparse.csc_array:
        return sparse.csc_array(self.votes.cast)

    @cached_property
    def _either_given(self) -> Truths:
        return np.asarray(self.is_given[:, None] | self.is_given[None, :])

    def among_alike(self, first: int, second: int, others: Sequence[int]) -> tuple[float, float]:
        """How often two sources would say the same, by their habits where `others` say alike.

        And the variance of that number, given how often each of the two says what there: the
        hypergeometric one of Mantel and Haenszel.
        """
        a, b = self._what(first), self._what(second)
        rows = np.arange(len(a))
        if self.is_given[first] or self.is_given[second]:
            rows = np.flatnonzero((a >= 0) & (b >= 0))
        held, a, b = self.held[rows], a[rows], b[rows]
        alike = np.zeros(len(rows), dtype=np.int64)
        for other in others:
            alike = alike * (self.n_sayings + 1) + self._what(other)[rows] + 1
            alike = np.unique(alike, return_inverse=True)[1].reshape(-1)
        n_alike = int(alike.max(initial=-1)) + 1
        total = _sums(alike, held, n_alike)
        product, cross = np.zeros_like(total), np.zeros_like(total)
        for saying in np.unique(a[a >= 0]).tolist():
            by_first = _sums(alike[a == saying], held[a == saying], n_alike)
            by_second = _sums(alike[b == saying], held[b == saying], n_alike)
            product += by_first * by_second
            cross += by_first * by_second * (by_first + by_second)
        safe = np.maximum(total, TINY)
        spread = np.maximum(product - cross / safe + (product / safe) ** 2, 0.0)
        variance = np.where(total > 1, spread / np.maximum(total - 1, TINY), 0.0)
        return float((product / safe).sum()), float(variance.sum())

    def _what(self, source: int) -> Ints:
        """What a source says of each pattern; -1 where it is silent."""
        if source not in self._said:
            events = np.flatnonzero(self.votes.source_of_event == source)
            found = sparse.coo_array(self._columns[:, events])
            said = np.full(self.votes.cast.shape[0], -1, dtype=np.int32)
            said[found.coords[0]] = self.saying[events[found.coords[1]]]
            self._said[source] = said
        return self._said[source]


def gain_of_excess(observed: Floats, expected: Floats, n_asked: Floats) -> Floats:
    """How much likelier what was observed is at its own rate than as expected; 0 if not more."""
    rest, left = np.maximum(n_asked - observed, 0.0), np.maximum(n_asked - expected, TINY)
    gain = observed * np.log(np.maximum(observed, TINY) / np.maximum(expected, TINY))
    gain += rest * np.log(np.maximum(rest, TINY) / left)
    return np.where(observed > expected, gain, 0.0)


def gain_given_habits(observed: float, expected: float, variance: float) -> float:
    """The same where the variance is known: as for rare chances, scaled up where it is less."""
    if observed <= expected or variance <= 0:
        return 0.0
    rare = observed * np.log(observed / expected) - (observed - expected)
    return float(rare * max(1.0, expected / variance))


def _sayings(votes: Votes) -> Ints:
    """What each event says: those that favour and disfavour the same labels say the same."""
    parts = votes.parts
    signs = np.zeros((votes.n_events, votes.n_labels), dtype=np.int8)
    signs[parts.event, parts.label] = np.sign(parts.add)
    return np.unique(signs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)


def _together(columns: sparse.csr_array, weight: Floats) -> Floats:
    """How often each two columns are both 1, rows counted by their weight."""
    if columns.nnz > CROWDED * np.prod(columns.shape):
        full = columns.toarray()
        return np.asarray(full.T @ (full * weight[:, None]))
    weighted = sparse.csr_array(sparse.diags_array(weight) @ columns)
    return np.asarray((columns.T @ weighted).toarray())


def _sums(group: Longs, values: Floats, n_groups: int) -> Floats:
    """The sums of rows by group."""
    return np.stack([np.bincount(group, column, n_groups) for column in values.T], axis=1)
