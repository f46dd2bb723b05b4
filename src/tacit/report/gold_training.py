"""Predictors trained on gold labels, to say what these would be worth: for comparison only."""

from __future__ import annotations

import numpy as np

from tacit.learning.predictor_step import balance
from tacit.learning.votes import Floats, Longs, Truths
from tacit.predictors.protocol import Predictor, Prepared

FOLDS = 5
ADDED = (0.1, 0.25, 0.5)  # the share of instances whose labels are taken as known, by round


def cross_fitted(
    predictor: Predictor, inputs: Prepared, gold: Longs, n_labels: int, seed: int
) -> Floats:
    """The probability of each label by a predictor that never saw that instance's gold label.

    Instances with gold are dealt into folds, and each fold is left to a predictor that learned from
    the others. Instances without gold are left to one that learned from all.
    """
    known = np.random.default_rng(seed).permutation(np.flatnonzero(gold >= 0))
    folds = [known[k :: min(FOLDS, len(known))] for k in range(min(FOLDS, len(known)))]
    unknown = np.flatnonzero(gold < 0)
    found = np.empty((len(gold), n_labels))
    for asked in [*folds, unknown] if len(unknown) else folds:
        told = np.setdiff1d(known, asked)
        own = predictor.fresh(seed).fit_soft(inputs.take(told), np.eye(n_labels)[gold[told]])
        found[asked] = np.exp(own.log_probs(inputs.take(asked)))
    return found


def self_trained(
    predictor: Predictor, inputs: Prepared, gold: Longs, n_labels: int, seed: int
) -> Floats:
    """The probability of each label by a predictor that goes on with its own surest labels.

    It begins with the gold labels alone. In each later round it also takes its own surest labels as
    known: more of them from round to round, and each label as often as gold has it.
    """
    known = np.flatnonzero(gold >= 0)
    shares = np.bincount(gold[known], minlength=n_labels) / len(known)
    target = np.eye(n_labels)[np.maximum(gold, 0)]
    found = _said(predictor, inputs, known, target[known], seed)
    for share in ADDED:
        is_sure = _surest(found, gold < 0, share * shares)
        target[gold < 0] = np.eye(n_labels)[np.where(is_sure, found, -1.0).argmax(axis=1)][gold < 0]
        told = np.flatnonzero(is_sure.any(axis=1) | (gold >= 0))
        found = _said(predictor, inputs, told, target[told], seed)
    return found


def _surest(found: Floats, is_open: Truths, shares: Floats) -> Truths:
    """(instances, labels) whether an open one is among the surest of a label, by its share."""
    is_sure = np.zeros(found.shape, dtype=bool)
    rows = np.flatnonzero(is_open)
    for label, share in enumerate(shares):
        order = np.argsort(-found[rows, label], kind="stable")
        is_sure[rows[order[: int(np.ceil(share * len(rows)))]], label] = True
    return is_sure


def _said(predictor: Predictor, inputs: Prepared, rows: Longs, target: Floats, seed: int) -> Floats:
    """What a predictor that learned from some instances, labels weighing the same, says of all."""
    weight = balance(target, np.ones(len(rows)))
    own = predictor.fresh(seed).fit_soft(inputs.take(rows), target, weight)
    return np.exp(own.log_probs(inputs))
