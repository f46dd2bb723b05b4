"""Similar pairs: instances that the task has brought together, as candidates for Y_i = Y_j."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacit.data.instances import Instances
from tacit.errors import BadInput
from tacit.predictors.protocol import Floats, Longs
from tacit.proposals.nearest import Singles, nearest_rows
from tacit.proposals.scores import (
    Vectors,
    check_both,
    cosines,
    normalised,
    relative_similarity,
)

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

    def take(self, which: Longs) -> SimilarPairs:
        """Some of the pairs, in this order."""
        return SimilarPairs(self.pairs[which], self.cosine[which], self.score[which])

    def each_once(self, n: int) -> SimilarPairs:
        """The first pairs, up to `n`, that share no instance with one before.

        Else a single odd text would be in most of them, and decide on the labels of all others.
        """
        seen: set[int] = set()
        kept: list[int] = []
        for at, ends in enumerate(self.pairs.tolist()):
            if len(kept) == n:
                break
            if seen.isdisjoint(ends):
                seen.update(ends)
                kept.append(at)
        return self.take(np.array(kept, dtype=np.int64))


def similar_pairs(
    own: Vectors,
    pretrained: Vectors,
    *,
    n: int | None = None,
    neighbours: int = NEIGHBOURS,
    least: float = 0.0,
    kind: Longs | None = None,
    known: Longs | None = None,
    device: str = "cpu",
) -> SimilarPairs:
    """Every instance with those to which the task, not the pretraining, has brought it nearest.

    These are the `neighbours` of the highest relative similarity. Both arrays are (instances,
    dimensions). With `kind` (instances), only those of the same kind are paired; `known` pairs
    (pairs, 2) of rows are left out, and so are pairs whose relative similarity is at most `least`:
    there the task has added nothing. `n` keeps the best; equal ones by their rows.
    """
    check_both(own, pretrained)
    _check(neighbours)
    known = np.zeros((0, 2), dtype=np.int64) if known is None else known
    kind = np.zeros(len(own), dtype=np.int64) if kind is None else kind
    sides = _directions(own), _directions(pretrained)
    # cos_Psi - cos_pretrained is one inner product: of (a, b) with (a', -b').
    left, right = np.hstack(sides), np.hstack([sides[0], -sides[1]])
    found = [
        _among(np.flatnonzero(kind == each), left, right, neighbours, known, device)
        for each in np.unique(kind)
    ]
    pairs = np.unique(np.concatenate([np.zeros((0, 2), np.int64), *found]), axis=0)
    score = relative_similarity(own, pretrained, pairs)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -score))
    order = order[score[order] > least][:n]
    return SimilarPairs(pairs[order], cosines(own, pairs[order]), score[order])


def nearest_pairs(vectors: Vectors, neighbours: int = NEIGHBOURS, *, device: str = "cpu") -> Longs:
    """Every row with its nearest rows by cosine: (pairs, 2), the smaller row first, each pair once.

    The search is that of `nearest_rows`.
    """
    _check(neighbours)
    directions = _directions(vectors)
    near = nearest_rows(directions, directions, neighbours, device=device)
    ends = _ends(np.arange(len(vectors)), near)
    return np.unique(ends[ends[:, 0] >= 0], axis=0)


def _among(rows: Longs, left: Singles, right: Singles, k: int, known: Longs, device: str) -> Longs:
    """Each of some rows with its k best of them that are not known: (pairs, 2)."""
    n_rows, n_known = len(left), np.bincount(known.ravel(), minlength=len(left))
    wanted = k + int(n_known[rows].max(initial=0))
    near = nearest_rows(left[rows], right[rows], wanted, device=device)
    ends = _ends(rows, np.where(near < 0, -1, rows[near]))
    codes = ends[:, 0] * n_rows + ends[:, 1]
    is_new = ~np.isin(codes, np.sort(known, axis=1) @ np.array([n_rows, 1]))
    is_new = (is_new & (ends[:, 0] >= 0)).reshape(near.shape)
    return ends[(is_new & (is_new.cumsum(axis=1) <= k)).ravel()]


def _ends(rows: Longs, near: Longs) -> Longs:
    """Rows and those near them as pairs, the smaller first."""
    row = np.repeat(rows, near.shape[1])
    return np.sort(np.stack([row, near.ravel()], axis=1), axis=1)


def _directions(vectors: Vectors) -> Singles:
    return np.ascontiguousarray(normalised(vectors), dtype=np.float32)


def _check(neighbours: int) -> None:
    if neighbours < 1:
        raise BadInput(f"neighbours={neighbours} asks for none", remedy="at least 1")
