"""Scores against gold labels, for evaluation only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def accuracy(posterior: NDArray[np.float64], gold: NDArray[np.int32]) -> float:
    """The share of labelled instances that the most probable label gets right.

    A tie counts as the share of its labels that are right, as a coin would do on average; -1 in
    `gold` means unlabelled.
    """
    labelled = gold >= 0
    if not labelled.any():
        return float("nan")
    chosen, truth = posterior[labelled], gold[labelled]
    best = np.isclose(chosen, chosen.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    right = best[np.arange(len(truth)), truth] / best.sum(axis=1)
    return float(right.mean())
