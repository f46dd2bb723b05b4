"""Conjunctions: two features that an instance has together."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tacit.proposals.features import Feature
from tacit.proposals.frequency import Frequency
from tacit.proposals.relations import n_of_column


def conjunctions(
    features: list[Feature],
    matrix: sparse.csr_array,
    frequency: Frequency,
    *,
    n_most: int,
    among: int,
) -> tuple[list[Feature], sparse.csr_array]:
    """At most `n_most` pairs among the `among` most frequent features, and who has them.

    A pair must be as frequent as any feature, and narrower than either of its parts. Those come
    first that occur together most often beyond what chance would have them.
    """
    n_instances, count = matrix.shape[0], n_of_column(matrix)
    some = np.sort(np.argsort(-count, kind="stable")[:among])
    few, n_of = matrix[:, some], count[some]
    together = (few.T @ few).toarray().astype(np.int64)
    first, second = np.triu_indices(len(some), k=1)
    both = together[first, second]
    narrower = both < np.minimum(n_of[first], n_of[second])
    # The chapter's share of the most frequent is a share of a vocabulary; pairs are none.
    limits = Frequency(floor=frequency.floor, ceiling=frequency.ceiling)
    (kept,) = np.nonzero(narrower & limits.keeps(both, n_instances))
    excess = both[kept] - n_of[first[kept]] * n_of[second[kept]] / n_instances
    kept = np.sort(kept[np.argsort(-excess, kind="stable")[:n_most]])
    first, second = first[kept], second[kept]
    pairs = [
        _pair(features[some[a]], features[some[b]]) for a, b in zip(first, second, strict=True)
    ]
    return pairs, sparse.csr_array(few[:, first].multiply(few[:, second]))


def _pair(a: Feature, b: Feature) -> Feature:
    """Both features as one, whichever is named first."""
    a, b = sorted((a, b), key=lambda feature: feature.key)
    return Feature(a.predicate, a.constants, also=b)
