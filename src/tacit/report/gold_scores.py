"""How right labels are where gold labels are known: confusion, scores by label, calibration."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tacit.data import Task
from tacit.logic.program import Program
from tacit.report.metrics import accuracy, choices
from tacit.report.record import CalibrationBin, GoldScores, Matrix

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Gold = Mapping[str, Longs]  # by label function, in instance order; -1 where nothing is known

BINS = 10  # of confidence


def gold_codes(
    program: Program, task: Task, gold: Mapping[str, Mapping[str, str]]
) -> dict[str, Longs]:
    """Gold labels, given by the ids of instances, as label numbers in instance order.

    Label functions of which nothing is known are left out.
    """
    found = {}
    for name, labels in gold.items():
        function = program.labels[name]
        code = {label: at for at, label in enumerate(function.labels)}
        ids = map(str, task.instances(function.domain).ids.to_pylist())
        codes = np.array([code.get(labels.get(key, ""), -1) for key in ids], dtype=np.int64)
        if (codes >= 0).any():
            found[name] = codes
    return found


def gold_scores(posterior: Floats, gold: Longs) -> GoldScores | None:
    """The scores of (instances, labels) against gold codes; None where no gold is known."""
    known = gold >= 0
    if not known.any():
        return None
    posterior, gold = posterior[known], gold[known]
    n_labels = posterior.shape[1]
    chosen, is_gold = choices(posterior), np.eye(n_labels)[gold]
    right, n_given, n_gold = (chosen * is_gold).sum(axis=0), chosen.sum(axis=0), is_gold.sum(axis=0)
    bins = _calibration(posterior.max(axis=1), chosen[np.arange(len(gold)), gold])
    off = sum(one.n * abs(one.confidence - one.accuracy) for one in bins)
    return GoldScores(
        n=len(gold),
        accuracy=accuracy(posterior, gold),
        confusion=cross_counts(gold, posterior.argmax(axis=1), n_labels),
        precision=_shares(right, n_given, n_given),
        recall=_shares(right, n_gold, n_gold),
        f1=_shares(2 * right, n_given + n_gold, n_gold),
        calibration=bins,
        calibration_error=off / len(gold),
    )


def cross_counts(rows: Longs, columns: Longs, n_labels: int) -> Matrix:
    """How many instances have one label in `rows` and another in `columns`, for all pairs."""
    counts = np.bincount(rows * n_labels + columns, minlength=n_labels**2)
    return tuple(map(tuple, counts.reshape(n_labels, n_labels).tolist()))


def _calibration(confidence: Floats, right: Floats) -> tuple[CalibrationBin, ...]:
    """Bins of equal width from 0 to 1, without those that are empty."""
    bin_of = np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
    sizes = np.bincount(bin_of, minlength=BINS)
    sums = (np.bincount(bin_of, values, minlength=BINS) for values in (confidence, right))
    return tuple(
        CalibrationBin(n=n, confidence=sure / n, accuracy=hits / n)
        for n, sure, hits in zip(sizes.tolist(), *(own.tolist() for own in sums), strict=True)
        if n
    )


def _shares(part: Floats, whole: Floats, known: Floats) -> tuple[float | None, ...]:
    """Shares by label, None where nothing is known."""
    each = zip(part.tolist(), whole.tolist(), known.tolist(), strict=True)
    return tuple(p / w if k else None for p, w, k in each)
