"""Agreement: how often two sources say the same, and how often the label alone would make them.

With the labels as they are inferred, let n_y instances have label y, and source j say s of n_jsy of
them. Two sources that only the label ties say the same of E = sum over y and s of n_jsy n_ksy / n_y
instances. A source that always says the same could speak of any instance; one that chooses among
labels is asked only where it spoke, and two such where both did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from tacit.learning.lists import Lists
from tacit.learning.votes import Floats, Ints, Longs, Truths, Votes

CROWDED = 0.5  # a matrix fuller than this, of more sources than `MANY`, is quicker as a plain array
MANY = 50
ROOM = 4_000_000  # numbers in tables of pairs of sources
MOST_STRETCHES = 8
TINY = 1e-300
NOISE = 1e-9  # a smaller share than this may be rounding: two that always agree, and must


class Counts:
    """How often each two sources speak, and say the same, whatever the labels are."""

    def __init__(self, votes: Votes) -> None:
        self.votes = votes
        self.saying = _sayings(votes)
        self.n_sayings = int(self.saying.max(initial=-1)) + 1
        self.both_spoke = both_spoke(votes, votes.n_of_pattern[:, None])[0]  # (sources, sources)
        self.observed = said_the_same(votes, self.saying)
        self._said: dict[int, Ints] = {}

    def what(self, source: int) -> Ints:
        """What a source says of each pattern; -1 where it is silent."""
        if source not in self._said:
            events, patterns = self.votes.events_of_source, self.votes.patterns_of_event
            said = np.full(self.votes.cast.shape[0], -1, dtype=np.int32)
            for event in events[source]:
                said[patterns[event]] = self.saying[event]
            self._said[source] = said
        return self._said[source]


class Agreement:
    """How often each two sources say the same, and how often they would.

    `posterior` (patterns, labels) are the labels as inferred. Memory grows with the square of the
    number of sources, time with that and the number of labels.
    """

    def __init__(
        self,
        votes: Votes,
        posterior: Floats,
        *,
        silence_tells: bool = False,
        counts: Counts | None = None,
    ) -> None:
        self.votes = votes
        self.counts = Counts(votes) if counts is None else counts
        self.held = posterior * votes.n_of_pattern[:, None]  # (patterns, labels) instances
        self.is_given = votes.is_many_sided & (not silence_tells)
        self.both_spoke, self.observed = self.counts.both_spoke, self.counts.observed

    @property
    def price(self) -> float:
        """What a dependency must gain to be believed: a sparsity prior over all pairs."""
        n_sources = self.votes.n_sources
        n_pairs = max(1, n_sources * (n_sources - 1) // 2)
        return float(np.log(n_pairs) + 0.5 * np.log(max(1, self.votes.n_instances)))

    @cached_property
    def n_asked(self) -> Floats:
        """Of how many instances two sources could have said the same: (sources, sources)."""
        return np.where(self._either_given, self.both_spoke, float(self.votes.n_instances))

    @cached_property
    def expected(self) -> Floats:
        """How often two sources would say the same by their overall habits: (sources, sources)."""
        votes = self.votes
        given = np.flatnonzero(self.is_given)
        reach = np.tile(self.held.sum(axis=0), (votes.n_sources, 1))  # (sources, labels)
        happened = votes.by_event(self.held)
        spoken = _sums(votes.source_of_event, happened, votes.n_sources)
        reach[given] = spoken[given]
        share = happened / np.maximum(reach[votes.source_of_event], TINY)
        same = np.zeros((votes.n_sources, votes.n_sources))
        both = np.zeros_like(same)
        for label, of_label in enumerate(self._both_spoke_by_label()):
            habits = np.zeros((votes.n_sources, self.counts.n_sayings))
            np.add.at(habits, (votes.source_of_event, self.counts.saying), share[:, label])
            within = np.full(same.shape, self.held[:, label].sum())
            within[given, :] = reach[given, label][:, None]
            within[:, given] = reach[given, label][None, :]
            within[np.ix_(given, given)] = of_label[np.ix_(given, given)]
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

    def _both_spoke_by_label(self) -> Iterator[Floats]:
        """How often both of two sources spoke of instances with each label."""
        rest, last = self.both_spoke.copy(), self.votes.n_labels - 1
        step = max(1, ROOM // max(1, self.votes.n_sources**2))
        for low in range(0, last, step):
            mass = np.ascontiguousarray(self.held[:, low : min(low + step, last)])
            for found in both_spoke(self.votes, mass):
                rest -= found
                yield found
        yield np.maximum(rest, 0.0)

    @cached_property
    def _either_given(self) -> Truths:
        return np.asarray(self.is_given[:, None] | self.is_given[None, :])

    def among_alike(self, first: int, second: int, others: Sequence[int]) -> tuple[float, float]:
        """How often two sources would say the same, by their habits where `others` say alike.

        And the variance of that number, given how often each of the two says what there: the
        hypergeometric one of Mantel and Haenszel.
        """
        a, b = self.counts.what(first), self.counts.what(second)
        rows = np.arange(len(a))
        if self.is_given[first] or self.is_given[second]:
            rows = np.flatnonzero((a >= 0) & (b >= 0))
        held, a, b = self.held[rows], a[rows], b[rows]
        alike = np.zeros(len(rows), dtype=np.int64)
        for other in others:
            alike = alike * (self.counts.n_sayings + 1) + self.counts.what(other)[rows] + 1
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


def gain_of_excess(observed: Floats, expected: Floats, n_asked: Floats) -> Floats:
    """How much likelier what was observed is at its own rate than as expected; 0 if not more."""
    rest, left = np.maximum(n_asked - observed, 0.0), np.maximum(n_asked - expected, TINY)
    gain = observed * np.log(np.maximum(observed, TINY) / np.maximum(expected, TINY))
    gain += rest * np.log(np.maximum(rest, TINY) / left)
    return np.where(observed > expected, gain, 0.0)


def gain_given_habits(observed: float, expected: float, variance: float) -> float:
    """The same where the variance is known: as for rare chances, scaled up where it is less."""
    if observed - expected <= NOISE * observed or variance <= NOISE * expected:
        return 0.0
    rare = observed * np.log(observed / expected) - (observed - expected)
    return float(rare * max(1.0, expected / variance))


def _sayings(votes: Votes) -> Ints:
    """What each event says: those that favour and disfavour the same labels say the same."""
    parts = votes.parts
    signs = np.zeros((votes.n_events, votes.n_labels), dtype=np.int8)
    signs[parts.event, parts.label] = np.sign(parts.add)
    return np.unique(signs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)


def both_spoke(votes: Votes, mass: Floats) -> Floats:
    """The mass (patterns, columns) of the patterns of which both of two sources speak.

    (columns, sources, sources)
    """
    from tacit.learning.kernels import pair_masses

    n_sources, n_columns = votes.n_sources, mass.shape[1]
    if n_sources > MANY and votes.cast.nnz > CROWDED * len(mass) * n_sources:
        spoke = votes.spoke.toarray()
        return np.stack([spoke.T @ (spoke * column[:, None]) for column in mass.T])
    sources = Lists.of(votes.spoke)
    pairs = np.zeros((_n_stretches(n_columns * n_sources**2), n_columns, n_sources, n_sources))
    pair_masses(sources.first, sources.member, mass, pairs)
    return _either_way(pairs.sum(axis=0))


def said_the_same(votes: Votes, saying: Ints) -> Floats:
    """How often two sources said the same: (sources, sources)."""
    from tacit.learning.kernels import pair_agreements
    from tacit.learning.pattern_kernels import look_up

    sources, said = Lists.of(votes.spoke), np.empty(votes.cast.nnz, dtype=np.int32)
    look_up(saying, votes.events_of_pattern.member, said)
    pairs = np.zeros((_n_stretches(votes.n_sources**2), votes.n_sources, votes.n_sources))
    pair_agreements(sources.first, sources.member, said, votes.n_of_pattern, pairs)
    return _either_way(pairs.sum(axis=0))


def _n_stretches(n_entries: int) -> int:
    """Of patterns that are counted at a time, each in a table of its own."""
    return max(1, min(MOST_STRETCHES, ROOM // max(1, n_entries)))


def _either_way(pairs: Floats) -> Floats:
    """What is said of pairs, whichever of the two comes first."""
    turned = np.swapaxes(pairs, -1, -2)
    return np.asarray(pairs + turned * (1 - np.eye(pairs.shape[-1])))


def _sums(group: Ints | Longs, values: Floats, n_groups: int) -> Floats:
    """The sums of rows by group."""
    return np.stack([np.bincount(group, column, n_groups) for column in values.T], axis=1)
