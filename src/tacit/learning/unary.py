"""Learning the weights of evidence on single labels, labels hidden: EM with closed-form steps.

A weight says how much more often its evidence is right than its labels are common: evidence that is
right with probability `a` about labels that have a share `b` of all instances has weight
logit(a) - logit(b). The E-step sums the weights for each label; the M-step counts, under that
posterior, how often each piece of evidence is right and how common its labels are. Without the
second count one class would swallow the others: the more instances it has, the better all of its
evidence would seem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, log_softmax, logit

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnaryConfig:
    """Settings of the EM for unary evidence."""

    max_rounds: int = 200  # a ceiling; small problems settle within a few dozen
    tolerance: float = 1e-4  # the largest change of a weight that still counts as settled
    prior_strength: float = 20.0  # how many groundings the start weight is worth: it takes tens of
    #   disagreeing instances, not one, to overrule the expert
    balance_steps: int = 20  # of the bias that brings class shares to what is expected


@dataclass(frozen=True, slots=True)
class UnaryEvidence:
    """The evidence on one label function's labels."""

    counts: sparse.csr_array  # (instances * labels, weights)
    n_labels: int
    shares: Floats | None = None  # (labels): what is expected of the classes, if anything is

    def log_posterior(self, weights: Floats, steps: int = 20) -> Floats:
        """Log-probabilities of the labels, (instances, labels), in the shares that are expected."""
        scores = (self.counts @ weights).reshape(-1, self.n_labels)
        if self.shares is not None and len(scores):
            target = np.log(np.maximum(self.shares, 1e-12))
            for _ in range(steps):
                found = np.exp(log_softmax(scores, axis=1)).mean(axis=0)
                scores = scores + target - np.log(np.maximum(found, 1e-12))
        return np.asarray(log_softmax(scores, axis=1))


def fit_unary(
    evidence: UnaryEvidence, start: Floats, is_learned: NDArray[np.bool_], config: UnaryConfig
) -> tuple[Floats, int]:
    """The weights at which EM settles, and the rounds it took (`max_rounds` if it did not)."""
    groundings = _groundings(evidence)
    entries = np.asarray(evidence.counts.sum(axis=0)).ravel()
    seen = is_learned & (groundings > 0) & (entries < groundings * evidence.n_labels)
    counts, n = evidence.counts[:, np.flatnonzero(seen)], groundings[seen]
    expert = config.prior_strength * expit(start[seen])  # as if both sides were equally common
    weights = start.copy()
    for done in range(1, config.max_rounds + 1):
        posterior = np.exp(evidence.log_posterior(weights, config.balance_steps))
        common = np.tile(posterior.mean(axis=0), len(posterior))
        base = np.clip((counts.T @ common) / n, 1e-6, 1 - 1e-6)
        # How often it would be right if its labels were as common as all others together.
        right = expit(
            logit(np.clip((counts.T @ posterior.ravel()) / n, 1e-6, 1 - 1e-6)) - logit(base)
        )
        new = logit((n * right + expert) / (n + config.prior_strength))
        change = np.abs(new - weights[seen]).max(initial=0.0)
        weights[seen] = new
        if change < config.tolerance:
            return weights, done
    return weights, config.max_rounds


def _groundings(evidence: UnaryEvidence) -> Floats:
    """How many groundings each weight has: its largest count for a label, over instances."""
    entries = evidence.counts.tocoo()
    instance = entries.row.astype(np.int64) // evidence.n_labels
    pair = instance * entries.shape[1] + entries.col
    distinct, inverse = np.unique(pair, return_inverse=True)
    most = np.zeros(len(distinct))
    np.maximum.at(most, inverse, entries.data)
    weight = distinct % entries.shape[1]
    return np.bincount(weight, most, entries.shape[1]).astype(np.float64)
