"""How common labels are, as far as seeds can tell: what features are weighed against."""

from __future__ import annotations

import numpy as np

from tacit.learning.views import Views
from tacit.learning.votes import Floats

# Both of the logarithm of a share: how far labels differ in truth, and how far a single piece of
# evidence is off, as words of one label differ e-fold in how many instances they stand.
OF_LABELS, OF_EVIDENCE = 0.5, 1.0


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
    trust = OF_LABELS / (OF_LABELS + OF_EVIDENCE * n_labels / n_pieces)
    share = np.maximum(told.mean(axis=0), 1e-9) ** trust
    return np.asarray(share / share.sum())
