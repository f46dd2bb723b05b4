"""Scores against gold labels, for evaluation only: -1 in `gold` means unlabelled.

Each is NaN where nothing is labelled. A tie counts as a coin would do on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST = 1e-6  # the smallest probability in a log-loss: a vote that is sure and wrong costs 13.8


def choices(posterior: Floats) -> Floats:
    """1 for the most probable label of each instance; a tie is split evenly."""
    best = np.isclose(posterior, posterior.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def accuracy(posterior: Floats, gold: NDArray[np.integer]) -> float:
    """The share of labelled instances that the most probable label gets right."""
    chosen, truth = _labelled(choices(posterior), gold)
    return _mean(chosen[np.arange(len(truth)), truth])


def macro_f1(posterior: Floats, gold: NDArray[np.integer]) -> float:
    """The mean over labels of F1, over those labels that gold has."""
    chosen, truth = _labelled(choices(posterior), gold)
    is_label = np.eye(posterior.shape[1])[truth]
    right, n_gold = (chosen * is_label).sum(axis=0), is_label.sum(axis=0)
    occurs = n_gold > 0
    return _mean((2 * right / np.maximum(chosen.sum(axis=0) + n_gold, 1e-300))[occurs])


def log_loss(posterior: Floats, gold: NDArray[np.integer]) -> float:
    """The mean of minus the log-probability of the true label, none taken below a millionth."""
    chosen, truth = _labelled(posterior, gold)
    return _mean(-np.log(np.maximum(chosen[np.arange(len(truth)), truth], LEAST)))


def brier(posterior: Floats, gold: NDArray[np.integer]) -> float:
    """The mean squared distance of the probabilities from the truth, summed over labels: 0 to 2."""
    chosen, truth = _labelled(posterior, gold)
    return _mean(((chosen - np.eye(posterior.shape[1])[truth]) ** 2).sum(axis=1))


def average_precision(probability: Floats, gold: NDArray[np.integer]) -> float:
    """The mean precision over all true ones, each taken at its own probability as the threshold.

    Of two labels, as `probability` is of the second; those of the same probability come together.
    """
    told, truth = _labelled(probability, gold)
    order = np.argsort(-told, kind="stable")
    right = np.cumsum(truth[order])
    n_found = np.arange(1, len(truth) + 1)
    ends = np.flatnonzero(np.diff(told[order], append=-np.inf))  # the last of each probability
    gained = np.diff(right[ends], prepend=0)
    n_true = int(truth.sum())
    return float(gained @ (right[ends] / n_found[ends])) / n_true if n_true else float("nan")


def _labelled(values: Floats, gold: NDArray[np.integer]) -> tuple[Floats, NDArray[np.integer]]:
    """The rows with a gold label, and those labels."""
    return values[gold >= 0], gold[gold >= 0]


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")
