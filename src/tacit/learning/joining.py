"""Joining: sources that repeat each other are made into one.

The events of a joined source are the combinations that its members said together, each with a base
rate of its own; every part of every member stays. So what the votes say of labels is the same as
before, whatever the weights, and only learning sees that the members are no strangers: that they
often agree is no proof that they are right.

Members that choose among several labels are taken as given to speak when they did. It stays so:
each set of such members that spoke together is a source of its own, which chooses among their
combinations.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from tacit.learning.patterns import mixed
from tacit.learning.votes import Ints, Longs, Parts, Truths, Votes


@dataclass(frozen=True)
class JoinedVotes(Votes):
    """Votes whose events are combinations of the events of other votes."""

    plain: Votes
    group_of_source: Ints  # of the plain sources: those of one group are joined
    chooses: Truths  # which sources are taken as given to speak

    @cached_property
    def is_many_sided(self) -> Truths:
        """Which sources speak for different labels at different times."""
        return self.chooses


def groups(pairs: Iterable[tuple[int, int]], n_sources: int, *, most: int) -> Ints:
    """The group of each source: pairs are joined in order, up to `most` sources together."""
    members = {source: [source] for source in range(n_sources)}
    group_of = list(range(n_sources))
    for first, second in pairs:
        kept, gone = group_of[first], group_of[second]
        if kept != gone and len(members[kept]) + len(members[gone]) <= most:
            for source in members[gone]:
                group_of[source] = kept
            members[kept] += members.pop(gone)
    return np.unique(group_of, return_inverse=True)[1].astype(np.int32)


def joined(votes: Votes, group_of_source: Ints, *, silence_tells: bool = False) -> JoinedVotes:
    """The same votes, with the sources of each group made into one."""
    combined, holds = _combinations(votes, group_of_source)
    of_source = _indicator(votes.source_of_event, votes.n_sources)
    chooses = votes.is_many_sided & (not silence_tells)
    source_of_event, chooses = _new_sources(
        sparse.csr_array(holds @ of_source), group_of_source, chooses
    )
    return JoinedVotes(
        combined,
        votes.n_of_pattern,
        votes.pattern_of_instance,
        source_of_event,
        _parts_of(holds, votes.parts),
        votes.standing,
        votes.n_labels,
        votes,
        group_of_source,
        chooses,
    )


def _combinations(votes: Votes, group_of_source: Ints) -> tuple[sparse.csr_array, sparse.csr_array]:
    """What each group says together: of each pattern, and as a row of events for each."""
    cast = votes.cast
    pattern = np.repeat(np.arange(cast.shape[0]), np.diff(cast.indptr))
    event = cast.indices.astype(np.int64)
    group = group_of_source[votes.source_of_event[event]]
    order = np.lexsort((event, group, pattern))
    pattern, group, event = pattern[order], group[order], event[order]
    begins = np.flatnonzero(np.diff(pattern, prepend=-1) | np.diff(group, prepend=-1))
    lengths = np.diff(np.append(begins, len(event)))
    code = np.add.reduceat(np.append(mixed(event), np.uint64(0)), np.append(begins, len(event)))
    _, first, combination = np.unique(code[:-1], return_index=True, return_inverse=True)
    # Combinations are numbered by their first event, so that lone events keep their order.
    order = np.lexsort((first, lengths[first], event[begins[first]]))
    first, rank = first[order], np.argsort(order)
    shape = (cast.shape[0], len(first))
    of_pattern = (pattern[begins], rank[combination.reshape(-1)])
    combined = sparse.csr_array((np.ones(len(begins)), of_pattern), shape=shape)
    combined.sort_indices()
    return combined, _rows(begins[first], lengths[first], event, votes.n_events)


def _new_sources(
    spoke: sparse.csr_array, group_of_source: Ints, chooses: Truths
) -> tuple[Ints, Truths]:
    """The source of each combination, and which of these are taken as given to speak.

    `spoke` (combinations, plain sources) says who is in each.
    """
    n = spoke.shape[0]
    row = np.repeat(np.arange(n), np.diff(spoke.indptr))
    group = np.zeros(n, dtype=np.int64)
    group[row] = group_of_source[spoke.indices]
    code = np.zeros(n, dtype=np.uint64)
    given = chooses[spoke.indices]
    np.add.at(code, row[given], mixed(spoke.indices[given].astype(np.int64)))
    is_given = np.zeros(n, dtype=bool)
    is_given[row[given]] = True
    key = np.stack([group.astype(np.uint64), code], axis=1)
    _, first, source = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return source.reshape(-1).astype(np.int32), is_given[first]


def _parts_of(holds: sparse.csr_array, parts: Parts) -> Parts:
    """The parts of combinations: those of every event that they hold."""
    has = _indicator(parts.event, holds.shape[1]).T
    found = sparse.coo_array(holds @ has)
    event, part = found.coords
    return Parts(event.astype(np.int32), parts.label[part], parts.weight[part], parts.add[part])


def _indicator(column: Ints, n_columns: int) -> sparse.csr_array:
    """One row for each number, with a 1 in its column."""
    rows = np.arange(len(column))
    return sparse.csr_array((np.ones(len(column)), (rows, column)), shape=(len(column), n_columns))


def _rows(begins: Longs, lengths: Longs, columns: Longs, n_columns: int) -> sparse.csr_array:
    """Rows with ones in the columns listed from where each begins."""
    ends = np.cumsum(lengths)
    n = int(ends[-1]) if len(ends) else 0
    at = np.arange(n) + np.repeat(begins - (ends - lengths), lengths)
    indptr = np.concatenate([[0], ends])
    return sparse.csr_array((np.ones(n), columns[at], indptr), shape=(len(begins), n_columns))
