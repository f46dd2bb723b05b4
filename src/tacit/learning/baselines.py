"""What any label model must beat: votes that are counted, votes as weighted, and Dawid-Skene.

Each answers the probabilities of the labels (instances, labels); where nothing is said of an
instance, all its labels are equally likely. Only evidence on single labels votes.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

from tacit.data import Task
from tacit.graph.build import graph_of
from tacit.grounding import ground_factors
from tacit.learning.votes import Floats, Longs, Truths, Votes
from tacit.learning.votes_of_graph import votes_of_graph
from tacit.logic.program import Program

SMOOTHING = 1.0  # imaginary instances in each row of a confusion matrix, evenly spread over it
MAX_ROUNDS = 100  # of EM; a ceiling, ten to thirty are usual
TIE = 1e-9  # of counts of votes, which may be shares
SETTLED = 1e-4  # a mean change of probabilities at which another round changes no label


def votes_on(task: Task, program: Program) -> dict[str, Votes]:
    """The votes of a program's evidence on single labels, for each label function."""
    factors = ground_factors(program, task)
    graph = graph_of(factors)
    votes = votes_of_graph(factors, graph, count_alike=True)
    return {span.name: own for span, own in zip(graph.spans, votes, strict=True)}


def covered(votes: Votes) -> Truths:
    """Of which instances anything is said; what reads no data, such as a prior, does not count."""
    return np.asarray(_is_spoken_of(votes)[votes.pattern_of_instance])


def stands_for(votes: Votes, weights: Floats) -> Truths:
    """The labels to which each event adds most: (events, labels); of weights the sign counts."""
    worth = votes.worth(np.where(weights < 0, -1.0, 1.0))
    return np.asarray(worth == worth.max(axis=1, keepdims=True))


def majority_vote(votes: Votes, weights: Floats | None = None) -> Floats:
    """Each label's share of the win: the label with most votes gets all, ties are split.

    Whatever its weight, evidence votes once for each grounding; a soft vote is one for its most
    probable label. Of weights, where they are given, the sign counts: below 0, evidence votes
    against. What reads no data, such as a class prior, has no vote.
    """
    said = _ballots(votes, np.ones(_n_weights(votes)) if weights is None else weights)
    won = said >= said.max(axis=1, keepdims=True) - TIE
    return votes.by_instance(won / won.sum(axis=1, keepdims=True))


def clear_winner(votes: Votes, weights: Floats) -> Longs:
    """The label that a majority votes for, by pattern; -1 where labels tie."""
    return best_label(_ballots(votes, weights), tie=TIE)


def best_label(rows: Floats, *, tie: float | None = None) -> Longs:
    """The label with the most in each row, the first of several.

    With `tie`, it is -1 where another has hardly less.
    """
    from tacit.learning.kernels import best_labels

    best = np.empty(len(rows), dtype=np.int64)
    best_labels(rows, -1.0 if tie is None else tie, best)
    return best


def weighted_vote(votes: Votes, weights: Floats) -> Floats:
    """The labels as the expert weighted the evidence; nothing is learned."""
    return np.asarray(_normalised(votes.scores(weights))[votes.pattern_of_instance])


def dawid_skene(votes: Votes) -> Floats:
    """The labels by Dawid and Skene (1979): a confusion matrix for each source, learned by EM.

    A source that speaks of an instance with label y says e with probability P(e given y); silence
    tells nothing. A source can say one thing for each label, or as many things as it is seen to.
    """
    spoken = _is_spoken_of(votes)
    n_of_pattern = (votes.n_of_pattern * spoken)[:, None]
    posterior = _first_guess(votes)
    for _ in range(MAX_ROUNDS):
        held = posterior * n_of_pattern
        log_said = _log_prior(held) + votes.cast @ _log_confusion(votes, held)
        before, posterior = posterior, _normalised(log_said)
        change = np.abs(posterior - before).sum(axis=1) @ n_of_pattern[:, 0]
        if change <= SETTLED * n_of_pattern.sum():
            break
    posterior[~spoken] = 1 / votes.n_labels
    return np.asarray(posterior[votes.pattern_of_instance])


def _ballots(votes: Votes, weights: Floats) -> Floats:
    """How many votes each label of each pattern has: (patterns, labels)."""
    parts = votes.parts
    sign = np.where(weights[parts.weight] < 0, -1.0, 1.0)
    is_soft = np.bincount(parts.event, parts.add != np.round(parts.add), votes.n_events) > 0
    said = votes.sums(
        np.where(is_soft[parts.event], 0.0, sign * parts.add), np.zeros(votes.n_labels)
    )
    if is_soft.any():
        chosen = stands_for(votes, weights) & is_soft[:, None]
        said += votes.cast @ (chosen / np.maximum(chosen.sum(axis=1, keepdims=True), 1))
    return said


def _first_guess(votes: Votes) -> Floats:
    """Each label's share of the votes, by pattern."""
    said = np.maximum(_ballots(votes, np.ones(_n_weights(votes))), 0.0)
    total = said.sum(axis=1, keepdims=True)
    even = np.full_like(said, 1 / votes.n_labels)
    return np.asarray(np.divide(said, total, out=even, where=total > 0))


def _log_prior(held: Floats) -> Floats:
    """How common each label is, from how many instances hold it."""
    share = held.sum(axis=0) + SMOOTHING / held.shape[1]
    return np.asarray(np.log(share / share.sum()))


def _log_confusion(votes: Votes, held: Floats) -> Floats:
    """The log-probability of each event, given the label and that its source speaks."""
    source, events = votes.source_of_event, np.arange(votes.n_events)
    of_source = sparse.csr_array(
        (np.ones(votes.n_events), (source, events)), shape=(votes.n_sources, votes.n_events)
    )
    happened = np.asarray(votes.cast.T @ held)
    log_spoke = np.log(of_source @ happened + SMOOTHING)
    n_things = np.maximum(np.bincount(source, minlength=votes.n_sources), votes.n_labels)
    happened += (SMOOTHING / n_things[source])[:, None]
    np.log(happened, out=happened)
    return np.asarray(happened - log_spoke[source])


def _is_spoken_of(votes: Votes) -> Truths:
    """Of which patterns anything is said."""
    return np.asarray(np.diff(votes.cast.indptr) > 0)


def _n_weights(votes: Votes) -> int:
    return int(votes.weights.max(initial=-1)) + 1


def _normalised(log_said: Floats) -> Floats:
    """Probabilities from their logs, up to a constant for each row."""
    return np.asarray(np.exp(log_said - logsumexp(log_said, axis=1, keepdims=True)))
