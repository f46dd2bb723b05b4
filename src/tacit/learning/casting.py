"""Casting votes: from a label matrix, or from a matrix of evidence, to events and patterns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit.learning.patterns import Patterns, VotePatterns, alike, mixed, patterns_of_matrix
from tacit.learning.votes import Floats, Ints, Longs, Parts, Truths, Votes

GRAIN = 64.0  # soft votes are told apart in steps of 1/64; finer ones are one event


def votes_of_matrix(matrix: NDArray[np.integer], n_labels: int, *, per_class: bool) -> Votes:
    """The votes in a label matrix (instances, functions) of label indices, -1 = abstain.

    Each function is a source with one weight, or with `per_class` one for each label: weight
    function * n_labels + label.
    """
    patterns = patterns_of_matrix(matrix, n_labels)
    first, event, seen = _events_of(patterns, n_labels)
    shape = (len(patterns.row), len(seen))
    cast = sparse.csr_array((np.ones(len(event), dtype=np.int8), event, first), shape=shape)
    source, label = seen // n_labels, seen % n_labels
    weight = seen if per_class else source
    parts = _parts(np.arange(len(seen)), label, weight, np.ones(len(seen)))
    never = np.zeros(len(seen), dtype=bool)
    return _set_apart(never, cast, patterns, source, parts, n_labels)


def labels_of_matrix(matrix: NDArray[np.integer], worth: Floats, bias: Floats) -> Floats:
    """The probability of each label, by row of a label matrix, given what votes are worth.

    A vote of function f for label l adds `worth[f, l]` to it.
    """
    from tacit.learning.kernels import label_shares, spread_rows
    from tacit.learning.pattern_kernels import add_votes

    n_labels = len(bias)
    patterns = patterns_of_matrix(matrix, n_labels)
    by_pattern = np.tile(bias, (len(patterns.row), 1))
    add_votes(patterns.votes, patterns.row, np.pad(worth, ((0, 0), (1, 0))), by_pattern)
    label_shares(by_pattern, by_pattern, np.empty(len(by_pattern)))
    labels = np.empty((len(matrix), n_labels))
    spread_rows(by_pattern, patterns.of_row, labels)
    return labels


def _events_of(patterns: VotePatterns, n_labels: int) -> tuple[Longs, Ints, Longs]:
    """Where the events of each pattern begin, all of them, and what they are.

    An event is a vote that occurs: function * n_labels + label.
    """
    from tacit.learning.pattern_kernels import count_votes, list_votes, look_up

    votes, row = patterns.votes, patterns.row
    first = np.zeros(len(row) + 1, dtype=np.int64)
    count_votes(votes, row, first[1:])
    np.cumsum(first, out=first)
    occurs = np.zeros(votes.shape[1] * n_labels, dtype=bool)
    event = np.empty(first[-1], dtype=np.int32)
    list_votes(votes, row, n_labels, first, event, occurs)
    look_up(np.cumsum(occurs, dtype=np.int32) - np.int32(1), event, event)
    return first, event, np.flatnonzero(occurs)


def votes_of_counts(
    counts: sparse.csr_array,
    n_labels: int,
    source_of_weight: Longs,
    *,
    stands: Truths | None = None,
    count_alike: bool = True,
) -> Votes:
    """The votes in a matrix of evidence on single labels (instances * labels, weights).

    Weights that stand say the same of every instance, whatever the data. Without `count_alike`
    every instance is a pattern of its own.
    """
    n_instances = counts.shape[0] // n_labels
    entries = sparse.coo_array(counts)
    entries.eliminate_zeros()
    state, weight = entries.coords
    instance, label = np.divmod(state.astype(np.int64), n_labels)
    order = np.lexsort((label, weight, instance))
    instance, weight, label = instance[order], weight[order].astype(np.int64), label[order]
    value = np.asarray(np.round(entries.data[order] * GRAIN) / GRAIN)
    begins = np.flatnonzero(np.diff(instance, prepend=-1) | np.diff(weight, prepend=-1))
    if not len(begins):
        return _no_votes(n_instances, n_labels, count_alike)
    said = mixed(label * 1_000_003 + np.round(value * GRAIN).astype(np.int64))
    said = np.add.reduceat(said, begins)
    key = np.stack([weight[begins].astype(np.uint64), said], axis=1)
    _, first, event = np.unique(key, axis=0, return_index=True, return_inverse=True)
    event = event.reshape(-1)
    lengths = np.diff(np.append(begins, len(instance)))[first]
    at = np.repeat(begins[first], lengths) + _counting(lengths)
    parts = _parts(np.repeat(np.arange(len(first)), lengths), label[at], weight[at], value[at])
    parts = _lifted(parts, len(first), n_labels)
    weight_of_event = weight[begins[first]].astype(np.int64)
    shape = (n_instances, len(first))
    cast = sparse.csr_array((np.ones(len(event)), (instance[begins], event)), shape=shape)
    cast.sort_indices()
    source = _one_at_a_time(cast, source_of_weight[weight_of_event], weight_of_event)
    patterns = _each_alone(n_instances)
    if count_alike:
        patterns = alike(cast)
        cast = sparse.csr_array(cast[patterns.first])
    apart = np.zeros(len(source), bool) if stands is None else stands[weight_of_event]
    return _set_apart(apart, cast, patterns, source, parts, n_labels)


def _lifted(parts: Parts, n_events: int, n_labels: int) -> Parts:
    """The same parts, but an event that takes from labels adds to the others instead.

    What is added to all labels alike changes nothing, and so the least that it adds becomes 0.
    """
    taking = np.unique(parts.event[parts.add < 0])
    if not len(taking):
        return parts
    weight = np.zeros(n_events, dtype=np.int64)
    weight[parts.event] = parts.weight
    row = np.full(n_events, -1)
    row[taking] = np.arange(len(taking))
    adds = np.zeros((len(taking), n_labels))
    own = row[parts.event] >= 0
    adds[row[parts.event[own]], parts.label[own]] = parts.add[own]
    adds -= adds.min(axis=1, keepdims=True)
    event, label = np.nonzero(adds)
    lifted = _parts(
        taking[event].astype(np.int64), label, weight[taking[event]], adds[event, label]
    )
    return Parts(
        np.concatenate([parts.event[~own], lifted.event]),
        np.concatenate([parts.label[~own], lifted.label]),
        np.concatenate([parts.weight[~own], lifted.weight]),
        np.concatenate([parts.add[~own], lifted.add]),
    )


def _set_apart(
    stands: Truths,
    cast: sparse.csr_array,
    patterns: Patterns | VotePatterns,
    source_of_event: Longs,
    parts: Parts,
    n_labels: int,
) -> Votes:
    """Votes of the events that depend on data; those that stand by themselves are set apart."""
    kept = np.flatnonzero(~stands)
    if stands.any():
        cast = sparse.csr_array(cast[:, kept])
    cast.sort_indices()
    apart = stands[parts.event]
    renamed = (np.cumsum(~stands) - 1).astype(np.int32)
    return Votes(
        cast,
        patterns.n_rows.astype(np.float64),
        patterns.of_row,
        _dense(source_of_event[kept]),
        parts.where(~apart, renamed[parts.event[~apart]]),
        parts.where(apart, np.full(int(apart.sum()), -1, dtype=np.int32)),
        n_labels,
    )


def _one_at_a_time(cast: sparse.csr_array, source: Longs, weight: Longs) -> Longs:
    """The source of each event; those that do say several things at a time go weight by weight."""
    n_sources = int(source.max()) + 1
    instance = np.repeat(np.arange(cast.shape[0]), np.diff(cast.indptr))
    said = np.sort(instance * n_sources + source[cast.indices])
    at_once = np.unique(said[1:][said[1:] == said[:-1]] % n_sources)
    return np.where(np.isin(source, at_once), n_sources + weight, source)


def _no_votes(n_instances: int, n_labels: int, count_alike: bool) -> Votes:
    cast = sparse.csr_array((n_instances, 0))
    patterns = _each_alone(n_instances)
    if count_alike:
        patterns = alike(cast)
        cast = sparse.csr_array((len(patterns.first), 0))
    none = np.zeros(0, dtype=np.int64)
    nothing = _parts(none, none, none, np.zeros(0))
    return _set_apart(none.astype(bool), cast, patterns, none, nothing, n_labels)


def _each_alone(n_instances: int) -> Patterns:
    """Every instance as a pattern of its own."""
    rows = np.arange(n_instances)
    return Patterns(rows, np.ones(n_instances, dtype=np.int64), rows)


def _parts(event: Longs, label: Longs, weight: Longs, add: Floats) -> Parts:
    return Parts(event.astype(np.int32), label.astype(np.int32), weight.astype(np.int32), add)


def _counting(lengths: Longs) -> Longs:
    """0, 1, ... up to each length, one after the other."""
    ends = np.cumsum(lengths)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths))


def _dense(numbers: Longs) -> Ints:
    """The same numbers, renamed 0, 1, ... in order."""
    return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int32)
