"""Numbering potentials: what the factors of a block can be worth, each combination once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.graph.factor_graph import Floats, Ints, Potentials, Truths


def numbered(weight: Ints, count: Floats) -> tuple[Ints, Potentials]:
    """The potential of each factor, and the potentials: (weight, count) combinations."""
    weight_code, weights = _coded(weight)
    count_code, counts = _coded(count)
    if len(weights) * len(counts) <= max(len(weight), 16):
        pairs = np.repeat(weights, len(counts)), np.tile(counts, len(weights))
        every = Potentials(pairs[0].astype(np.int32), pairs[1].astype(np.float64))
        if min(len(weights), len(counts)) == 1:
            return (weight_code if len(counts) == 1 else count_code), every
        code = weight_code * np.int32(len(counts)) + count_code
        used = np.bincount(code, minlength=len(every)) > 0
        return (code, every) if used.all() else part(code, every, used)[1:]
    key = weight_code.astype(np.int64) * len(counts) + count_code
    code, keys = _coded(key)
    at_weight, at_count = np.divmod(keys, len(counts))
    return code, Potentials(weights[at_weight].astype(np.int32), counts[at_count].astype(float))


def part(potential: Ints, potentials: Potentials, kept: Truths) -> tuple[Truths, Ints, Potentials]:
    """Some of the potentials with numbers of their own: whose factors these are, and their numbers.

    `kept` is by potential.
    """
    chosen = kept[potential]
    number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    own = Potentials(potentials.weight[kept], potentials.count[kept])
    return chosen, number[potential[chosen]], own


def _coded(values: NDArray[Any]) -> tuple[Ints, NDArray[Any]]:
    """Values as numbers of distinct values; one pass where they are all the same."""
    if not len(values) or (values == values[0]).all():
        return np.zeros(len(values), dtype=np.int32), values[:1]
    coded = pa.array(values).dictionary_encode()
    return coded.indices.to_numpy(), coded.dictionary.to_numpy()
