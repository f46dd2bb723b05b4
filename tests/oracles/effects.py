"""What accepting an offer would change, by definition: one instance and one label at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence


def effect(
    has_feature: Sequence[bool],
    together: Sequence[Sequence[float]],
    has_evidence: Sequence[bool],
    label: int,
    weight: float,
) -> tuple[int, int, int]:
    """How many instances are touched, get another label, and get their first evidence."""
    touched = flipped = covered = 0
    for present, shares, known in zip(has_feature, together, has_evidence, strict=True):
        if not present:
            continue
        touched += 1
        covered += not known
        raised = [own * math.exp(weight) if k == label else own for k, own in enumerate(shares)]
        flipped += _most_probable(raised) != _most_probable(shares)
    return touched, flipped, covered


def _most_probable(shares: Sequence[float]) -> int:
    """The first of the labels with the highest share."""
    best = 0
    for k, own in enumerate(shares):
        if own > shares[best]:
            best = k
    return best
