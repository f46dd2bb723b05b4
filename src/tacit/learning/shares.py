"""How common labels are, as far as that can be told without gold.

Seeds tell it twice. How often they speak of a label is a hint: that label may be more common, or
only its words (`expected_shares`). And what networks say of all texts is a mixture of what they say
of the texts of each label, of which the seeds show some (`by_mixture`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from tacit.learning.views import Views
from tacit.learning.votes import Floats

# Both of the logarithm of a share: how far labels differ in truth, and how far a single piece of
# evidence is off, as words of one label differ e-fold in how many instances they stand.
OF_LABELS, OF_EVIDENCE = 0.5, 1.0
# Labels from which on it counts how often seeds speak of each. Of two, seeds of the rarer make it
# out more common than it is: their words stand in texts of the other one, too.
MANY = 3
OF_TWO = 20.0  # a variance with which next to nothing is said of two labels
PROBABLE = 0.6745  # standard errors that a normal value is off by, as likely as not
# How far a mean of what networks say of the seeds' texts is from that of all texts of a label: the
# seeds' are no fair sample. A guess; twice as much makes the estimate tell half as much.
UNFAIR = 0.015


def expected_shares(views: Views, n_pieces: int, *, stated: bool = False) -> Floats:
    """The shares of labels by the seeds alone, drawn towards equal ones; (labels).

    Seeds that speak of one label more often may do so because that label is more common, or because
    the words are. Of `n_pieces` of evidence, the mean of one label's is off by as much less as they
    are many: the more there are, the more their shares count, and with 0 all labels are alike
    common. What the program has `stated` is taken at its word.
    """
    if stated:
        return np.asarray(views.evidence.mean(axis=0))
    return shares_told(views.evidence[views.has_evidence], n_pieces)


def shares_told(told: Floats, n_pieces: int) -> Floats:
    """The same, of the instances that seeds speak of; (instances, labels) to (labels)."""
    n_labels = told.shape[1]
    if not len(told) or not n_pieces:
        return np.full(n_labels, 1 / n_labels)
    share = np.maximum(told.mean(axis=0), 1e-9) ** _trust(n_pieces, n_labels)
    return np.asarray(share / share.sum())


def bounds_of(expected: Floats, n_pieces: int) -> Floats:
    """Between which shares those of labels lie, as likely as not; (2, labels): least, largest.

    The more pieces of evidence, the closer: what they leave open of how far labels differ.
    """
    return _within(expected, np.sqrt(variance_left(n_pieces, len(expected))))


def variance_left(n_pieces: int, n_labels: int) -> float:
    """What pieces of evidence leave open of the logarithm of a share, as a variance."""
    return OF_LABELS * (1 - _trust(n_pieces, n_labels))


def by_mixture(
    of_label: Sequence[Floats], of_all: Floats, before: Floats, variance: float
) -> Floats:
    """Between which shares those of labels lie, as likely as not; (2, labels): least, largest.

    `of_label` has what networks say of some texts of each label, and `of_all` of some of all texts:
    (texts, labels), as probabilities. The mean m of the latter is the mixture of the means of the
    former, the rows of C, in the proportions p of the labels: m = p C. What is known before of p is
    that the logarithms are those of the shares `before`, with a `variance`. As both are known only
    so far, p is the most probable, and how far it may be off follows from the curvature there.

    Where networks say the same of all labels, C tells nothing, and p is what was known before.
    """
    means = np.stack([own.mean(axis=0) for own in of_label])
    mean, log_before = of_all.mean(axis=0), np.log(before)
    spread = [own.var(axis=0).mean() / len(own) for own in of_label]
    error = 2 * UNFAIR**2 + before**2 @ spread + of_all.var(axis=0).mean() / len(of_all)

    def surprise(offset: Floats) -> tuple[float, Floats]:
        share = softmax(log_before + offset)
        left = mean - share @ means
        slope = share * (means @ left - share @ means @ left)
        height = left @ left / error + offset @ offset / variance
        return 0.5 * float(height), offset / variance - slope / error

    found = minimize(surprise, np.zeros(len(before)), jac=True, method="BFGS")
    share = softmax(log_before + found.x)
    moved = (np.diag(share) - np.outer(share, share)) @ means  # m, by each logarithm before scaling
    covariance = np.linalg.inv(moved @ moved.T / error + np.eye(len(share)) / variance)
    log_moved = np.eye(len(share)) - share
    return _within(share, np.sqrt(np.einsum("ij,jk,ik->i", log_moved, covariance, log_moved)))


def reaching(bounds: Floats, share: Floats) -> Floats:
    """Bounds that are as wide as it takes to hold these shares, too; (2, labels)."""
    return np.stack([np.minimum(bounds[0], share), np.maximum(bounds[1], share)])


def _within(share: Floats, error: Floats | float) -> Floats:
    """Bounds around shares whose logarithms have a standard error; (2, labels)."""
    factor = np.exp(PROBABLE * error)
    return np.stack([share / factor, np.minimum(share * factor, 1.0)])


def _trust(n_pieces: int, n_labels: int) -> float:
    """How much of what seeds say of the logarithm of a share is to be believed: from 0 to 1."""
    return OF_LABELS * n_pieces / (OF_LABELS * n_pieces + OF_EVIDENCE * n_labels)
