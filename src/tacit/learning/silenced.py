"""Labels that learning has silenced: all that speaks for them was explained away.

Keywords that are little more than chance occur together in long texts, whatever their label. The
likelihood is then highest where one label takes all of them, and the words of the others count for
nothing. No source that can speak for several labels is led astray in this way.
"""

from __future__ import annotations

import numpy as np

from tacit.learning.votes import Floats, Longs, Truths, Votes

LITTLE = 0.1  # of the weight that words began with: what is left when they are explained away
SEVERAL = 2  # a single word for a label may well be wrong


def silenced(votes: Votes, start: Floats, learned: Floats) -> Longs:
    """The labels whose one-sided evidence has lost all but a little of the weight that it had."""
    parts = votes.parts
    one_sided = ~votes.is_many_sided[votes.source_of_event[parts.event]]
    for_it = one_sided & (parts.add > 0) & (start[parts.weight] > 0)
    found = []
    for label in range(votes.n_labels):
        own = np.unique(parts.weight[for_it & (parts.label == label)])
        own = own[np.isfinite(start[own])]
        if len(own) >= SEVERAL and learned[own].sum() < LITTLE * start[own].sum():
            found.append(label)
    return np.array(found, dtype=np.int64)


def as_given(votes: Votes, n_weights: int) -> Truths:
    """The weights of one-sided evidence: they stay as the expert gave them."""
    one_sided = ~votes.is_many_sided[votes.source_of_event[votes.parts.event]]
    weights = np.zeros(n_weights, dtype=bool)
    weights[votes.parts.weight[one_sided]] = True
    return weights
