"""Which instances of a label function are worth looking at: a few of each kind, always the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.graph import FactorGraph
from tacit.report.record_functions import Said

Longs = NDArray[np.int64]

IN_DOUBT, SURE, DISAGREE, TIED = (
    "in doubt",
    "sure of {}",
    "evidence and network disagree",
    "tied to others",
)
DOUBT_BELOW = 0.9  # a label that is more probable is in no doubt, even if others are surer
FEW = 12  # neighbours, which one picture can show


def picked(said: Said, labels: Sequence[str], n_others: Longs, most: int) -> list[tuple[int, str]]:
    """Rows of instances, each with the reason why it was picked; no row twice.

    The kinds take turns until there are enough, so that each has its share whatever the others
    have; then they stand one behind the other. `n_others` are how many each is tied to.
    """
    queues = {
        IN_DOUBT: _in_doubt(said),
        DISAGREE: _disagreeing(said),
        TIED: _tied(n_others),
        **{SURE.format(label): _sure(said, at) for at, label in enumerate(labels)},
    }
    taken = islice(_in_turns(queues), most)
    reasons = list(queues)
    return sorted(taken, key=lambda pick: reasons.index(pick[1]))


def _in_turns(queues: Mapping[str, Longs]) -> Iterator[tuple[int, str]]:
    """The first of each queue, then the next of each; what another has taken is passed over."""
    seen: set[int] = set()

    def left(reason: str, queue: list[int]) -> Iterator[tuple[int, str]]:
        for row in queue:
            if row not in seen:
                seen.add(row)
                yield row, reason

    own = [left(reason, queue.tolist()) for reason, queue in queues.items()]
    for turn in zip_longest(*own):
        yield from (pick for pick in turn if pick is not None)


def others_tied(graph: FactorGraph, name: str) -> Longs:
    """With how many label variables each instance shares a factor, counted for each factor."""
    found = np.zeros(graph.n_variables)
    for table in graph.tables:
        others = table.variables.shape[1] - 1
        found += others * np.bincount(table.variables.ravel(), minlength=len(found))
    for group in graph.groups:
        size = np.diff(group.first_member)
        others_of_member = np.repeat(size - 1, size)
        found += np.bincount(group.variable_of_member, others_of_member, minlength=len(found))
    span = graph.span(name)
    own = slice(span.first_variable, span.first_variable + span.n_variables)
    return found[own].astype(np.int64)


def _in_doubt(said: Said) -> Longs:
    """The least sure first; those of which the evidence says nothing come last."""
    sureness = said.posterior.max(axis=1)
    rows = _ordered(np.flatnonzero(sureness < DOUBT_BELOW), sureness)
    return _ordered(rows, ~said.has_evidence)


def _sure(said: Said, label: int) -> Longs:
    """Those with a label, the surest first."""
    own = np.flatnonzero(said.posterior.argmax(axis=1) == label)
    return _ordered(own, -said.posterior[:, label])


def _disagreeing(said: Said) -> Longs:
    """Where evidence and network prefer different labels, those that are furthest apart first."""
    agrees = said.agrees
    if agrees is None or said.network is None:
        return np.zeros(0, dtype=np.int64)
    apart = np.abs(said.evidence - said.network).sum(axis=1)
    return _ordered(np.flatnonzero(said.has_evidence & ~agrees), -apart)


def _tied(n_others: Longs) -> Longs:
    """Those with most neighbours that a picture can still show, then those with more."""
    rank = np.where(n_others <= FEW, -n_others, n_others)
    return _ordered(np.flatnonzero(n_others > 0), rank)


def _ordered(rows: Longs, by: NDArray[Any]) -> Longs:
    """Rows in the order of a number; where that is the same, they stay as they are."""
    return np.asarray(rows[np.argsort(by[rows], kind="stable")])
