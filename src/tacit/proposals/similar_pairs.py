"""Similar pairs: nearest neighbours by cosine, as candidates for joint factors Y_i = Y_j."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.data.instances import Instances
from tacit.errors import BadInput
from tacit.predictors.protocol import Floats, Longs
from tacit.proposals.scores import Vectors, cosines, normalised, relative_similarity

BLOCK = 1_024  # rows whose similarity to all others is in memory at one time
NEIGHBOURS = 10


@dataclass(frozen=True, slots=True)
class SimilarPairs:
    """Pairs of instances, the highest relative similarity first; no self pairs, each pair once."""

    pairs: Longs  # (pairs, 2) rows, the smaller first
    cosine: Floats  # (pairs) in the predictor's space
    score: Floats  # (pairs) S_joint

    def __len__(self) -> int:
        return len(self.pairs)

    def table(self, instances: Instances) -> pa.Table:
        """The pairs as a relation between ids, such as `agreement` takes."""
        columns = [instances.ids.take(pa.array(self.pairs[:, side])) for side in (0, 1)]
        return pa.table(columns, names=[instances.table, f"other_{instances.table}"])


def similar_pairs(
    own: Vectors,
    pretrained: Vectors,
    *,
    n: int | None = None,
    neighbours: int = NEIGHBOURS,
    least: float = 0.0,
    device: str = "cpu",
) -> SimilarPairs:
    """Near neighbours in the predictor's space that pretraining had not put together.

    Both arrays are (instances, dimensions). Pairs whose relative similarity is at most `least`
    are left out: there the task has added nothing. `n` keeps the best; equal ones by their rows.
    """
    pairs = nearest_pairs(own, neighbours, device=device)
    score = relative_similarity(own, pretrained, pairs)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -score))
    order = order[score[order] > least][:n]
    return SimilarPairs(pairs[order], cosines(own, pairs[order]), score[order])


def nearest_pairs(vectors: Vectors, neighbours: int = NEIGHBOURS, *, device: str = "cpu") -> Longs:
    """Every row with its nearest rows by cosine: (pairs, 2), the smaller row first, each pair once.

    The search is exact, block by block; on another `device` than "cpu" by torch.
    """
    if neighbours < 1:
        raise BadInput(f"neighbours={neighbours} asks for none", remedy="at least 1")
    k = min(neighbours, len(vectors) - 1)
    if k < 1:
        return np.zeros((0, 2), dtype=np.int64)
    directions = np.asarray(normalised(vectors), dtype=np.float32)
    blocks = _nearest(directions, k) if device == "cpu" else _nearest_torch(directions, k, device)
    near = np.concatenate(list(blocks))
    row = np.repeat(np.arange(len(vectors), dtype=np.int64), k)
    ends = np.sort(np.stack([row, near.ravel()], axis=1), axis=1)
    return np.unique(ends, axis=0)


def _nearest(directions: np.ndarray[Any, np.dtype[np.float32]], k: int) -> Iterator[Longs]:
    """The k nearest other rows of each row, block by block: (rows of the block, k)."""
    for start in range(0, len(directions), BLOCK):
        own = np.arange(start, min(start + BLOCK, len(directions)))
        alike = directions[own] @ directions.T
        alike[own - start, own] = -np.inf
        yield np.argpartition(-alike, k - 1, axis=1)[:, :k].astype(np.int64)


def _nearest_torch(
    directions: np.ndarray[Any, np.dtype[np.float32]], k: int, device: str
) -> Iterator[Longs]:
    """The same on a device of torch."""
    import torch

    every = torch.from_numpy(directions).to(device)
    for start in range(0, len(every), BLOCK):
        alike = every[start : start + BLOCK] @ every.T
        own = torch.arange(len(alike), device=device)
        alike[own, own + start] = -torch.inf
        yield alike.topk(k, dim=1).indices.cpu().numpy()
