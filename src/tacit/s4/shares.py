"""How common labels are, as far as seeds can tell: what features are weighed against."""

from __future__ import annotations

import numpy as np

from tacit.learning.views import Views
from tacit.learning.votes import Floats

# Both of the logarithm of a share: how far labels differ in truth, and how far a single piece of
# evidence is off, as words of one label differ e-fold in how many instances they stand.
OF_LABELS, OF_EVIDENCE = 0.5, 1.0
# Labels from which on networks are held to what seeds tell of shares. Of many, a network loses some
# altogether. Of two, the guard sees a lost one, and seeds of the rarer make it out more common than
# it is: their words stand in texts of the other one, too.
MANY = 3
PROBABLE = 0.6745  # standard errors that a normal value is off by, as likely as not


def expected_shares(views: Views, n_pieces: int, *, stated: bool = False) -> Floats:
    """The shares of labels by the seeds alone, drawn towards equal ones; (labels).

    Seeds that speak of one label more often may do so because that label is more common, or because
    the words are. Of `n_pieces` of evidence, the mean of one label's is off by as much less as they
    are many: the more there are, the more their shares count, and with 0 all labels are alike
    common. What the program has `stated` is taken at its word.
    """
    if stated:
        return np.asarray(views.evidence.mean(axis=0))
    n_labels = views.evidence.shape[1]
    told = views.evidence[views.has_evidence]
    if not len(told) or not n_pieces:
        return np.full(n_labels, 1 / n_labels)
    share = np.maximum(told.mean(axis=0), 1e-9) ** _trust(n_pieces, n_labels)
    return np.asarray(share / share.sum())


def bounds_of(expected: Floats, n_pieces: int) -> Floats:
    """Between which shares those of labels lie, as likely as not; (2, labels): least, largest.

    The more pieces of evidence, the closer: what they leave open of how far labels differ.
    """
    variance = OF_LABELS * (1 - _trust(n_pieces, len(expected)))
    factor = np.exp(PROBABLE * np.sqrt(variance))
    return np.stack([expected / factor, np.minimum(expected * factor, 1.0)])


def _trust(n_pieces: int, n_labels: int) -> float:
    """How much of what seeds say of the logarithm of a share is to be believed: from 0 to 1."""
    return OF_LABELS * n_pieces / (OF_LABELS * n_pieces + OF_EVIDENCE * n_labels)
