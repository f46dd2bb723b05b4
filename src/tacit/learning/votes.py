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

from tacit.learning.lists import Lists
from tacit.learning.patterns import Numbers, mixed

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
    pattern_of_instance: Numbers
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
        return self.sums(weights[self.parts.weight] * self.parts.add, self.standing_worth(weights))

    def sums(self, worth_of_part: Floats, base: Floats) -> Floats:
        """What the parts of each pattern are worth to each label, from a base on."""
        from tacit.learning.kernels import label_scores

        said = self.parts_of_pattern
        sums = np.empty((len(said), self.n_labels))
        label_scores(said.first, said.member, self.parts.label, worth_of_part, base, sums)
        return sums

    def posterior(self, weights: Floats, bias: Floats) -> tuple[Floats, Floats]:
        """The probability of each label given the votes, by pattern, and the log of their sum."""
        from tacit.learning.kernels import label_odds

        said, parts = self.parts_of_pattern, self.parts
        worth = weights[parts.weight] * parts.add
        base = bias + self.standing_worth(weights)
        posterior = np.empty((len(said), self.n_labels))
        log_total = np.empty(len(posterior))
        label_odds(said.first, said.member, parts.label, worth, base, posterior, log_total)
        return posterior, log_total

    @cached_property
    def events_of_pattern(self) -> Lists:
        """The events that happened to the instances of each pattern."""
        return Lists.of(self.cast)

    @cached_property
    def patterns_of_event(self) -> Lists:
        """The patterns that have each event."""
        return self.events_of_pattern.turned(self.n_events)

    @cached_property
    def events_of_source(self) -> Lists:
        """The events that each source can bring about."""
        return Lists(np.arange(self.n_events + 1), self.source_of_event).turned(self.n_sources)

    @cached_property
    def parts_of_pattern(self) -> Lists:
        """What was said of each pattern: the parts of its events."""
        return self.events_of_pattern if self._parts_are_events else Lists.of(self.cast @ self.has)

    @cached_property
    def patterns_of_part(self) -> Lists:
        """The patterns that have each part."""
        if self._parts_are_events:
            return self.patterns_of_event
        return self.parts_of_pattern.turned(len(self.parts.event))

    @property
    def _parts_are_events(self) -> bool:
        return np.array_equal(self.parts.event, np.arange(self.n_events))

    @property
    def has(self) -> sparse.csr_array:
        """Which parts each event has: (events, parts)."""
        event = self.parts.event
        at = (event, np.arange(len(event)))
        return sparse.csr_array((np.ones(len(event)), at), shape=(self.n_events, len(event)))

    def by_instance(self, by_pattern: Floats) -> Floats:
        """What is known of patterns (patterns, labels), for each instance."""
        from tacit.learning.kernels import spread_rows

        spread = np.empty((self.n_instances, by_pattern.shape[1]))
        spread_rows(by_pattern, self.pattern_of_instance, spread)
        return spread

    @cached_property
    def n_of_event(self) -> Floats:
        """How often each event happened."""
        return self.by_event(self.n_of_pattern[:, None])[:, 0]

    def by_event(self, of_pattern: Floats) -> Floats:
        """The sum of what is known of patterns (patterns, columns) over those with each event."""
        from tacit.learning.kernels import add_rows

        found = np.zeros((self.n_events, of_pattern.shape[1]))
        add_rows(self.patterns_of_event.first, self.patterns_of_event.member, of_pattern, found)
        return found

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
    def an_instance(self) -> Longs:
        """One instance of each pattern."""
        from tacit.learning.pattern_kernels import row_of_each

        found = np.zeros(self.cast.shape[0], dtype=np.int64)
        row_of_each(self.pattern_of_instance, found)
        return found

    @cached_property
    def spoke(self) -> sparse.csr_array:
        """Which sources spoke of each pattern: (patterns, sources)."""
        from tacit.learning.pattern_kernels import look_up

        source = np.empty(self.cast.nnz, dtype=np.int32)
        look_up(self.source_of_event, self.events_of_pattern.member, source)
        shape = (self.cast.shape[0], self.n_sources)
        return sparse.csr_array((self.cast.data, source, self.cast.indptr), shape=shape)
