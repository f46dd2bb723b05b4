"""From a grounded program to votes: which of its evidence speaks, and as whose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from tacit.graph import FactorGraph
from tacit.grounding import GroundFactors
from tacit.grounding.factors import WeightBlock
from tacit.learning.casting import votes_of_counts
from tacit.learning.votes import Longs, Truths, Votes
from tacit.logic.formula import Atom
from tacit.logic.traverse import walk


def is_tied(graph: FactorGraph) -> bool:
    """Whether anything but votes bears on the labels: pairs, groups, shares, or hard evidence."""
    return bool(graph.blocks) or graph.possible is not None or len(graph.expectations) > 0


def states_shares(graph: FactorGraph | None, name: str, votes: Votes) -> bool:
    """Whether a program says how common the labels of a label function are."""
    return len(votes.standing.weight) > 0 or (graph is not None and _expects_shares(graph, name))


def _expects_shares(graph: FactorGraph, name: str) -> bool:
    span = graph.span(name)
    last = span.first_variable + span.n_variables
    low, high = graph.first_state[[span.first_variable, last]]
    spoken_of = np.unique(graph.counts[low:high].indices)
    return bool(np.isin(graph.expectations.weight, spoken_of).any())


def votes_of_graph(
    factors: GroundFactors, graph: FactorGraph, *, count_alike: bool
) -> tuple[Votes, ...]:
    """The votes on the labels of each label function."""
    is_vote = np.ones(graph.n_weights)
    is_vote[graph.expectations.weight] = 0.0
    counts = sparse.csr_array(graph.counts @ sparse.diags_array(is_vote))
    stands = _stands(factors)
    votes = []
    for span in graph.spans:
        low = graph.first_state[span.first_variable]
        high = graph.first_state[span.first_variable + span.n_variables]
        own = sparse.csr_array(counts[low:high])
        source = _sources(factors, own, span.labels)
        votes.append(
            votes_of_counts(own, len(span.labels), source, stands=stands, count_alike=count_alike)
        )
    return tuple(votes)


def _stands(factors: GroundFactors) -> Truths:
    """Which weights are of formulas that read no data, such as `sentiment(r) = pos`."""
    reads = [
        any(isinstance(part, Atom) for part in walk(block.evidence.formula))
        for block in factors.weights.blocks
    ]
    return ~np.array(reads, dtype=bool)[factors.weights.block_of_weight]


def _sources(factors: GroundFactors, counts: sparse.csr_array, labels: Sequence[str]) -> Longs:
    """The source of each weight; those of different evidence are different.

    Weights keyed by who votes and by the label voted for, as in `vote(i, +f, +l) => y(i) = +l`, are
    one source for each voter.
    """
    weights = factors.weights
    votes_for = _label_voted_for(counts, labels)
    source = np.empty(weights.n_weights, dtype=np.int64)
    for block, first in zip(weights.blocks, weights.first.tolist(), strict=False):
        own = slice(first, first + block.n_weights)
        source[own] = first + _sources_of_block(block, votes_for[own])
    return source


def _sources_of_block(block: WeightBlock, votes_for: list[str | None]) -> Longs:
    """For the weights of one block, the number of the source, from 0."""
    keys = [key.to_pylist() for key in block.keys]
    voters = [key for key in keys if not _is_label(key, votes_for)]
    if len(voters) == len(keys):
        return np.arange(block.n_weights)
    number: dict[tuple[object, ...], int] = {}
    combined = zip(*voters, strict=True) if voters else [()] * block.n_weights
    return np.array([number.setdefault(key, len(number)) for key in combined], dtype=np.int64)


def _is_label(key: list[object], votes_for: list[str | None]) -> bool:
    """Whether a key is nothing but the label that each weight votes for."""
    pairs = zip(key, votes_for, strict=True)
    return all(voted is None or str(value) == voted for value, voted in pairs)


def _label_voted_for(counts: sparse.csr_array, labels: Sequence[str]) -> list[str | None]:
    """The label that each weight speaks for; None where it speaks for none or for several."""
    entries = sparse.coo_array(counts)
    state, weight = entries.coords
    label = state % len(labels)
    lowest = np.full(counts.shape[1], len(labels))
    highest = np.full(counts.shape[1], -1)
    np.minimum.at(lowest, weight, label)
    np.maximum.at(highest, weight, label)
    pairs = zip(lowest.tolist(), highest.tolist(), strict=True)
    return [labels[low] if low == high else None for low, high in pairs]
