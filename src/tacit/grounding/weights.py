"""Giving out weights: one for each piece of evidence, or one for each value of its keys."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.grounding.factors import Ints, WeightBlock, Weights
from tacit.grounding.template import Batch

Key = tuple[object, ...]


class WeightBook:
    """Numbers weights in the order in which they are asked for, and never twice."""

    def __init__(self) -> None:
        self.blocks: list[WeightBlock] = []
        self.n_weights = 0
        self.known: dict[str, dict[Key, int]] = {}  # evidence -> key -> weight given out before

    def take_over(self, weights: Weights) -> None:
        """Begin with weights that were given out before."""
        self.blocks = list(weights.blocks)
        self.n_weights = weights.n_weights

    def remember(self) -> None:
        """Know the weights given out so far by their keys, so that they are given out again."""
        first = 0
        for block in self.blocks:
            columns = [key.to_pylist() for key in block.keys]
            keys: list[Key] = list(zip(*columns, strict=True)) if columns else [()]
            of_key = self.known.setdefault(block.evidence.name, {})
            of_key.update((key, first + i) for i, key in enumerate(keys))
            first += block.n_weights

    def give(self, batch: Batch, rule: Ints, keys: pa.Table) -> Ints:
        """The weight of each distinct key of a batch; `keys` has the rule, then the key values."""
        weight_of_key = np.zeros(len(rule), dtype=np.int32)
        for at, one in enumerate(batch.templates):
            chosen = np.flatnonzero(rule == at)
            known = self.known.get(one.evidence.name)
            if known is not None:
                chosen = _look_up(known, chosen, keys, weight_of_key)
            own = keys.take(pa.array(chosen)) if len(chosen) else keys.slice(0, 0)
            columns = tuple(column.combine_chunks() for column in own.columns[1:])
            weight_of_key[chosen] = self.n_weights + np.arange(len(chosen), dtype=np.int32)
            n_weights = len(chosen) if batch.shape.keys else int(known is None)
            if n_weights or known is None:
                self.blocks.append(WeightBlock(one.evidence, columns, n_weights))
                self.n_weights += n_weights
        return weight_of_key


def _look_up(
    known: dict[Key, int], chosen: NDArray[np.int64], keys: pa.Table, weight_of_key: Ints
) -> NDArray[np.int64]:
    """Fill in the weights that were given out before; returns the keys that are new."""
    columns = [column.to_pylist() for column in keys.take(pa.array(chosen)).columns[1:]]
    own: list[Key] = list(zip(*columns, strict=True)) if columns else [()] * len(chosen)
    weights = np.array([known.get(key, -1) for key in own], dtype=np.int32)
    weight_of_key[chosen] = weights
    return chosen[weights < 0]
