"""Votes: what the evidence on single labels says, event by event.

A weight speaks of an instance by adding something to each of its labels: usually 1 to one label.
Each distinct thing that a weight adds is an event, and events of which only one can happen at a
time form a source: the votes of one labelling function, a keyword. Instances with the same events
are counted together, so that a million rows with ten sources are a few thousand patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class Parts:
    """What events add to labels, piece by piece: a number times a weight to one label each."""

    event: Ints
    label: Ints
    weight: Ints
    add: Floats

    def where(self, chosen: Truths, event: Ints | None = None) -> Parts:
        """Some of the parts, their events perhaps renumbered."""
        own = self.event[chosen] if event is None else event
        return Parts(own, self.label[chosen], self.weight[chosen], self.add[chosen])


@dataclass(frozen=True)
class Votes:
    """The events of one label function, and on which instances they happened."""

    cast: sparse.csr_array  # (patterns, events) 1 where the event happened
    n_of_pattern: Floats  # how many instances have each pattern
    pattern_of_instance: Longs
    source_of_event: Ints
    parts: Parts  # of events
    standing: Parts  # what is added to the labels of every instance; they have no event
    n_labels: int

    @property
    def n_instances(self) -> int:
        """How many instances there are."""
        return len(self.pattern_of_instance)

    @property
    def n_events(self) -> int:
        """How many events there are."""
        return len(self.source_of_event)

    @property
    def n_sources(self) -> int:
        """How many sources there are."""
        return int(self.source_of_event.max(initial=-1)) + 1

    def worth(self, weights: Floats) -> Floats:
        """What each event adds to each label: (events, labels)."""
        worth = np.zeros((self.n_events, self.n_labels))
        parts = self.parts
        np.add.at(worth, (parts.event, parts.label), weights[parts.weight] * parts.add)
        return worth

    def standing_worth(self, weights: Floats) -> Floats:
        """What is added to each label of every instance."""
        standing = self.standing
        worth = weights[standing.weight] * standing.add
        return np.bincount(standing.label, worth, minlength=self.n_labels).astype(np.float64)

    @cached_property
    def weights(self) -> Ints:
        """The weights that speak of any instance, or of every one."""
        return np.unique(np.concatenate([self.parts.weight, self.standing.weight]))

    def scores(self, weights: Floats) -> Floats:
        """What all that was said of a pattern adds to each label: (patterns, labels)."""
        parts = self.parts
        shape = (self.n_events, self.n_labels)
        worth = sparse.csr_array(
            (weights[parts.weight] * parts.add, (parts.event, parts.label)), shape=shape
        )
        return (self.cast @ worth).toarray() + self.standing_worth(weights)

    def by_instance(self, by_pattern: Floats) -> Floats:
        """What is known of patterns (patterns, labels), for each instance."""
        from tacit.learning.kernels import spread_rows

        spread = np.empty((self.n_instances, by_pattern.shape[1]))
        spread_rows(by_pattern, self.pattern_of_instance, spread)
        return spread

    @cached_property
    def n_of_event(self) -> Floats:
        """How often each event happened."""
        return np.asarray(self.cast.T @ self.n_of_pattern)

    @cached_property
    def is_many_sided(self) -> Truths:
        """Which sources speak for different labels at different times."""
        chosen = self.parts.add > 0
        said = np.zeros(self.n_events, dtype=np.uint64)
        cell = np.unique(
            self.parts.event[chosen].astype(np.int64) * self.n_labels + self.parts.label[chosen]
        )
        np.add.at(said, cell // self.n_labels, mixed(cell % self.n_labels))
        _, first = np.unique(self.source_of_event, return_index=True)
        differs = said != said[first[self.source_of_event]]
        return np.asarray(np.bincount(self.source_of_event, differs, self.n_sources) > 0)

    @cached_property
    def is_constant(self) -> Truths:
        """Which events happen to every instance."""
        return np.asarray(self.n_of_event == self.n_instances)

    @cached_property
    def spoke(self) -> sparse.csr_array:
        """Which sources spoke of each pattern: (patterns, sources)."""
        events = np.arange(self.n_events)
        of_source = sparse.csr_array(
            (np.ones(self.n_events), (events, self.source_of_event)),
            shape=(self.n_events, self.n_sources),
        )
        spoke = sparse.csr_array(self.cast @ of_source)
        spoke.data[:] = 1.0
        return spoke


def alike(cast: sparse.csr_array) -> tuple[Longs, Longs]:
    """Which pattern each row is, and where each pattern first occurs."""
    total = np.concatenate([[np.uint64(0)], np.cumsum(mixed(cast.indices.astype(np.int64)))])
    code = total[cast.indptr[1:]] - total[cast.indptr[:-1]]
    return numbered(code)


def numbered(code: NDArray[np.uint64] | Longs) -> tuple[Longs, Longs]:
    """Which distinct code each is, and where each distinct code first occurs."""
    _, first, pattern = np.unique(code, return_index=True, return_inverse=True)
    return pattern.reshape(-1).astype(np.int64), first.astype(np.int64)


def mixed(numbers: Longs) -> NDArray[np.uint64]:
    """Numbers scattered over 64 bits (splitmix), so that sums of different ones differ."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(
            0x632BE59BD9B4E019
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
