"""What any model must beat: a plain vote of the evidence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.grounding import GroundFactors

Floats = NDArray[np.float64]


def majority_vote(factors: GroundFactors) -> dict[str, Floats]:
    """Each label's share of the votes, winners only: ties are split, no votes are all labels.

    A grounding on a single label votes once for each label that it allows, whatever its weight.
    """
    result: dict[str, Floats] = {}
    variables = factors.variables
    votes = np.asarray(factors.counts.sum(axis=1)).ravel()
    for function, instances in zip(variables.functions, variables.instances, strict=True):
        first = variables.first_state[function.name]
        shape = (len(instances), len(function.labels))
        own = votes[first : first + shape[0] * shape[1]].reshape(shape)
        won = own == own.max(axis=1, keepdims=True)
        result[function.name] = won / won.sum(axis=1, keepdims=True)
    return result


def covered(factors: GroundFactors) -> dict[str, NDArray[np.bool_]]:
    """Which instances any evidence on single labels speaks of."""
    result: dict[str, NDArray[np.bool_]] = {}
    variables = factors.variables
    entries = np.diff(factors.counts.indptr)
    for function, instances in zip(variables.functions, variables.instances, strict=True):
        first = variables.first_state[function.name]
        shape = (len(instances), len(function.labels))
        own = entries[first : first + shape[0] * shape[1]].reshape(shape)
        result[function.name] = np.asarray(own.any(axis=1))
    return result
