"""Health numbers: what can be said of a fitted label model without any true label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import entr

from tacit.learning.baselines import covered, majority_vote, stands_for
from tacit.learning.held_out import HeldOut, held_out
from tacit.learning.label_model import LabelModel
from tacit.learning.votes import Floats, Votes

TOO_FEW = "too few instances have evidence on their labels to hold some out"
NOT_ASKED = "not asked for"


@dataclass(frozen=True, slots=True)
class Health:
    """Numbers on one label function that need no gold; shares are of its instances."""

    n_instances: int
    n_sources: int
    coverage: float  # with evidence of their own
    overlap: float  # with evidence from two sources or more
    conflict: float  # with sources that disagree
    disagreement: float | None  # of two sources that speak of one instance; None: there are none
    entropy: float  # of the posterior, in bits, a mean over instances
    relative_entropy: float  # the same as a share of the largest possible
    difference: float | None  # from majority vote, where that has one winner
    class_shares: dict[str, float]
    held_out: HeldOut | None
    held_out_missing: str | None  # why there is none


def health(model: LabelModel, *, hold_out: bool = True, random_state: int = 0) -> dict[str, Health]:
    """The health numbers of a fitted label model, for each label function.

    Holding out fits the model fifteen times more; `random_state` deals the instances into folds.
    """
    found = {}
    posteriors = model.posterior_
    for name, labels in model.labels_.items():
        posterior = posteriors[name] if isinstance(posteriors, dict) else posteriors
        scored = held_out(model, name, random_state=random_state) if hold_out else None
        missing = None if scored else TOO_FEW if hold_out else NOT_ASKED
        found[name] = _health(model, name, labels, posterior, scored, missing)
    return found


def _health(
    model: LabelModel,
    name: str,
    labels: tuple[str, ...],
    posterior: Floats,
    scored: HeldOut | None,
    missing: str | None,
) -> Health:
    votes, start = model.votes_[name], model._objective.start
    n_speaking = np.diff(votes.cast.indptr)
    together, disagreeing = pairs_of_sources(votes, start)
    entropy = float(entr(posterior).sum(axis=1).mean() / np.log(2))
    return Health(
        n_instances=votes.n_instances,
        n_sources=votes.n_sources,
        coverage=_share(votes, n_speaking > 0),
        overlap=_share(votes, n_speaking > 1),
        conflict=_share(votes, disagreeing > 0),
        disagreement=_ratio(votes.n_of_pattern, disagreeing, together),
        entropy=entropy,
        relative_entropy=entropy / max(1.0, float(np.log2(len(labels)))),
        difference=_difference(votes, posterior, majority_vote(votes, start)),
        class_shares=dict(zip(labels, posterior.mean(axis=0).tolist(), strict=True)),
        held_out=scored,
        held_out_missing=missing,
    )


def pairs_of_sources(votes: Votes, weights: Floats) -> tuple[Floats, Floats]:
    """For each pattern, how many pairs of sources speak of it, and how many of them disagree.

    A source stands for the labels to which it adds most; two disagree if they have none in common.
    """
    labels = stands_for(votes, weights)
    _, first, kind = np.unique(
        np.packbits(labels, axis=1), axis=0, return_index=True, return_inverse=True
    )
    kinds = labels[first].astype(np.float32)
    in_common = sparse.csr_array((kinds @ kinds.T > 0).astype(np.float64))
    of_kind = sparse.csr_array(
        (np.ones(votes.n_events), (np.arange(votes.n_events), kind.reshape(-1))),
        shape=(votes.n_events, len(kinds)),
    )
    said = sparse.csr_array(votes.cast @ of_kind)
    n_speaking = np.diff(votes.cast.indptr)
    agreeing = (np.asarray((said @ in_common).multiply(said).sum(axis=1)) - n_speaking) / 2
    together = n_speaking * (n_speaking - 1) / 2
    return together, together - agreeing


def _difference(votes: Votes, posterior: Floats, vote: Floats) -> float | None:
    """The share of labels that differ from the majority's, where it has one winner."""
    clear = (vote.max(axis=1) == 1) & covered(votes)
    differs = posterior.argmax(axis=1) != vote.argmax(axis=1)
    return float(differs[clear].mean()) if clear.any() else None


def _share(votes: Votes, is_so: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    """The share of instances of some patterns."""
    return float(votes.n_of_pattern @ is_so) / max(1, votes.n_instances)


def _ratio(n_of_pattern: Floats, some: Floats, of: Floats) -> float | None:
    total = float(n_of_pattern @ of)
    return float(n_of_pattern @ some) / total if total else None
