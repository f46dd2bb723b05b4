"""Scores of extraction: of the candidates that a system says yes to, how many are right.

Candidates are instances with two labels, of which one, such as `treats = yes`, is the one to find.
Where there is no gold, see `sample_precision`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import BadInput
from tacit.report.metrics import average_precision

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionScores:
    """How much a system has found; scores are of candidates with gold, and NaN without any."""

    extractions: int  # candidates at least as probable as the threshold, with gold or without
    unique_tuples: int | None  # different tuples among them; None where no tuples were given
    n_gold: int  # candidates with gold
    right: int  # extractions that gold says yes to
    precision: float  # of extractions with gold, the share that is right
    recall: float  # of what gold says yes to, the share that was extracted
    f1: float
    accuracy: float
    average_precision: float  # over all thresholds

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it: None for what cannot be told."""
        own = asdict(self)
        return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in own.items()}


def extraction_scores(
    probability: ArrayLike,
    gold: ArrayLike | None = None,
    *,
    threshold: float = 0.5,
    tuples: Sequence[Hashable] | None = None,
) -> ExtractionScores:
    """Score the probabilities of yes against gold: 1 or True for yes, 0 for no, -1 for not known.

    `tuples` says what each candidate is about, such as (drug, gene, variant), to count how many
    different ones were extracted.
    """
    probability = np.asarray(probability, dtype=np.float64)
    is_gold = _gold(gold, len(probability))
    if probability.ndim != 1 or (tuples is not None and len(tuples) != len(probability)):
        raise BadInput(
            f"probabilities have the shape {probability.shape}, and there are "
            f"{'no' if tuples is None else len(tuples)} tuples",
            remedy="one probability and one tuple for each candidate, as in posterior[:, 1]",
        )
    found, known = probability >= threshold, is_gold >= 0
    yes = is_gold == 1
    right, n_found, n_yes = int((found & yes).sum()), int((found & known).sum()), int(yes.sum())
    unique = None
    if tuples is not None:
        unique = len({tuples[at] for at in np.flatnonzero(found).tolist()})
    return ExtractionScores(
        extractions=int(found.sum()),
        unique_tuples=unique,
        n_gold=int(known.sum()),
        right=right,
        precision=_share(right, n_found),
        recall=_share(right, n_yes),
        f1=_share(2 * right, n_found + n_yes),
        accuracy=_share(int((found == yes)[known].sum()), int(known.sum())),
        average_precision=average_precision(probability, is_gold),
    )


def _gold(gold: ArrayLike | None, n: int) -> Longs:
    """Gold as numbers, -1 where nothing is known."""
    if gold is None:
        return np.full(n, -1)
    found = np.asarray(gold)
    if found.shape != (n,) or not np.isin(found, (-1, 0, 1)).all():
        raise BadInput(
            f"gold of the shape {found.shape} for {n} candidates must be 1, 0 or -1 for each",
            remedy="1 for yes, 0 for no, -1 where nothing is known",
        )
    return found.astype(np.int64)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
