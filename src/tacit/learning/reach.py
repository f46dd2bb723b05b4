"""How far evidence on single labels reaches: where it speaks, and who agrees with it there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from tacit.learning.kernels import label_mass
from tacit.learning.lists import Lists
from tacit.learning.votes import Floats, Ints, Longs, Parts, Truths, Votes

ROOM = 2**24  # numbers of a table (patterns, stances) that are worked on at once


@dataclass(frozen=True, slots=True)
class Reach:
    """For each event, or each weight: of how many instances something is true."""

    speaks: Floats
    overlaps: Floats  # another source speaks too
    conflicts: Floats  # another source speaks, and for none of the same labels
    right: Floats  # the posterior probability of the labels spoken for, summed
    known: Floats  # the true label is known
    correct: Floats  # the true label is one of those spoken for

    def by_weight(self, weight: Ints, n_weights: int) -> Reach:
        """Sums over the events of each weight."""
        return Reach(
            *(np.bincount(weight, own, minlength=n_weights).astype(float) for own in self.columns)
        )

    @property
    def columns(self) -> tuple[Floats, ...]:
        """All of it, in order."""
        return self.speaks, self.overlaps, self.conflicts, self.right, self.known, self.correct


@dataclass(frozen=True, slots=True)
class Stances:
    """The sets of labels that events speak for; those for which they add most."""

    labels: Truths  # (stances, labels)
    of_event: Ints
    weight_of_event: Ints


def joined(votes: Votes, more: Votes) -> Votes:
    """The votes of two sets of sources on the same instances."""
    casts = [own.cast[own.pattern_of_instance] for own in (votes, more)]
    shifted = replace(more.parts, event=more.parts.event + votes.n_events)
    n_instances = votes.n_instances
    return Votes(
        sparse.csr_array(sparse.hstack(casts, format="csr")),
        np.ones(n_instances),
        np.arange(n_instances),
        np.concatenate([votes.source_of_event, more.source_of_event + votes.n_sources]),
        _chained(votes.parts, shifted),
        _chained(votes.standing, more.standing),
        votes.n_labels,
    )


def reach_of(votes: Votes, start: Floats, posterior: Floats, gold: Longs) -> tuple[Reach, Stances]:
    """How far each event reaches; behind those of sources, one for each weight that stands.

    What reads no data is nobody's other source: it tells nothing about an instance. `gold` holds
    label indices, -1 where they are not known.
    """
    stances = stances_of(votes, start)
    n_events = votes.n_events
    of_event, of_standing = stances.of_event[:n_events], stances.of_event[n_events:]
    sums = np.zeros((6, len(stances.of_event)))
    crowd = _Crowd(votes, posterior, gold, stances)
    step = max(1, ROOM // max(1, len(stances.labels), votes.n_labels))
    for low in range(0, votes.cast.shape[0], step):
        rows = slice(low, low + step)
        by_event = Lists.of(sparse.csc_array(votes.cast[rows]))
        for at, table in enumerate(crowd.tables(rows, others=1)):
            found = np.empty(n_events)
            label_mass(by_event.first, by_event.member, of_event, table, np.ones(len(table)), found)
            sums[at, :n_events] += found
        for at, table in enumerate(crowd.tables(rows, others=0) if len(of_standing) else ()):
            sums[at, n_events:] += table.sum(axis=0)[of_standing]
    return Reach(*sums), stances


class _Crowd:
    """For each pattern and stance, of how many instances something is true of those who take it."""

    def __init__(self, votes: Votes, posterior: Floats, gold: Longs, stances: Stances) -> None:
        labels = stances.labels.astype(np.float64)
        self.votes, self.posterior = votes, posterior
        self.takes = _spread(stances.of_event[: votes.n_events], len(labels))
        self.agree = sparse.csr_array((labels @ labels.T > 0).astype(np.float64))
        self.chosen = sparse.csr_array(labels.T)
        self.truth = _truth(votes, gold)
        self.instance = votes.an_instance

    def tables(self, rows: slice, *, others: int) -> Iterator[Floats]:
        """The tables (patterns, stances) of some patterns, in the order of `Reach`.

        A source is not its own other: `others` says how many must speak before another one does.
        """
        cast = sparse.csr_array(self.votes.cast[rows])
        n_spoke = np.diff(cast.indptr)[:, None]
        n_agree = (cast @ self.takes).toarray() @ self.agree
        n = np.ascontiguousarray(
            np.broadcast_to(self.votes.n_of_pattern[rows, None], n_agree.shape)
        )
        yield n
        yield np.where(n_spoke > others, n, 0.0)
        yield np.where(n_spoke > n_agree, n, 0.0)
        yield np.ascontiguousarray((self.posterior[self.instance[rows]] @ self.chosen) * n)
        truth = self.truth[rows]
        known = np.asarray(truth.sum(axis=1))[:, None]
        yield np.ascontiguousarray(np.broadcast_to(known, n_agree.shape))
        yield (truth @ self.chosen).toarray()


def stances_of(votes: Votes, start: Floats) -> Stances:
    """The labels for which each event adds most; a negative weight speaks for the others."""
    standing, always = np.unique(votes.standing.weight, return_inverse=True)
    event = np.concatenate([votes.parts.event, votes.n_events + always.reshape(-1)])
    parts = _chained(votes.parts, votes.standing)
    n_events, n_labels = votes.n_events + len(standing), votes.n_labels
    value = parts.add * np.where(start[parts.weight] < 0, -1.0, 1.0)
    top = np.full(n_events, -np.inf)
    np.maximum.at(top, event, value)
    partial = np.bincount(event, minlength=n_events) < n_labels
    against = partial & (top <= 0)  # what is not mentioned is best
    told = np.where(against[event], value < 0, value == top[event])
    code = np.random.default_rng(0).integers(1, 2**62, n_labels, dtype=np.uint64)
    key = against.astype(np.uint64)
    np.add.at(key, event[told], code[parts.label[told]])
    _, first, numbers = np.unique(key, return_index=True, return_inverse=True)
    stance: Ints = numbers.reshape(-1).astype(np.int32)
    labels = np.zeros((len(first), n_labels), dtype=bool)
    shown = told & np.isin(event, first)
    labels[stance[event[shown]], parts.label[shown]] = True
    labels[against[first]] ^= True
    weight = np.zeros(n_events, dtype=np.int32)
    weight[event] = parts.weight
    return Stances(labels, stance, weight)


def _truth(votes: Votes, gold: Longs) -> sparse.csr_array:
    """How many instances of each pattern are known to have each label."""
    known = np.flatnonzero(gold >= 0)
    shape = (votes.cast.shape[0], votes.n_labels)
    at = (votes.pattern_of_instance[known], gold[known])
    return sparse.csr_array(sparse.coo_array((np.ones(len(known)), at), shape=shape))


def _spread(stance: Ints, n_stances: int) -> sparse.csr_array:
    """Which stance each event takes: (events, stances)."""
    at = (np.arange(len(stance)), stance)
    return sparse.csr_array((np.ones(len(stance)), at), shape=(len(stance), n_stances))


def _chained(parts: Parts, more: Parts) -> Parts:
    return Parts(
        np.concatenate([parts.event, more.event]).astype(np.int32),
        np.concatenate([parts.label, more.label]),
        np.concatenate([parts.weight, more.weight]),
        np.concatenate([parts.add, more.add]),
    )
