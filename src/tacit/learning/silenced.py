"""Labels that learning has silenced: all that speaks for them was explained away.

Keywords that are little more than chance occur together in long texts, whatever their label. The
likelihood is then highest where one label takes all of them, and the words of the others count for
nothing. No source that can speak for several labels is led astray in this way.
"""

from __future__ import annotations

import numpy as np

from tacit.learning.votes import Floats, Longs, Truths, Votes

LITTLE = 0.1  # of the weight that words began with: what is left when they are explained away
UNFAIR = 0.8  # of an even share: with two labels, one that keeps less than 40% of the other's
SEVERAL = 2  # a single word for a label may well be wrong


def silenced(votes: Votes, start: Floats, learned: Floats) -> Longs:
    """The labels whose one-sided evidence has lost its weight, and that of others has not."""
    parts = votes.parts
    one_sided = ~votes.is_many_sided[votes.source_of_event[parts.event]]
    for_it = one_sided & (parts.add > 0) & (start[parts.weight] > 0)
    kept = {}
    for label in range(votes.n_labels):
        own = np.unique(parts.weight[for_it & (parts.label == label)])
        own = own[np.isfinite(start[own])]
        if len(own) >= SEVERAL:
            kept[label] = float(learned[own].sum() / start[own].sum())
    least = max(LITTLE, UNFAIR / votes.n_labels) * max(kept.values(), default=0.0)
    return np.array([label for label, own in kept.items() if own < max(least, LITTLE)], np.int64)


def as_given(votes: Votes, n_weights: int) -> Truths:
    """The weights of one-sided evidence: they stay as the expert gave them."""
    one_sided = ~votes.is_many_sided[votes.source_of_event[votes.parts.event]]
    weights = np.zeros(n_weights, dtype=bool)
    weights[votes.parts.weight[one_sided]] = True
    return weights
