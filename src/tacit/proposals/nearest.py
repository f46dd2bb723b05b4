"""Nearest rows by inner product: exact, block by block; by FAISS where rows are very many."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.predictors.protocol import Longs

Singles = NDArray[np.float32]

BLOCK = 1_024  # rows whose products with all others are in memory at one time
MANY = 100_000  # rows from which on FAISS is used, if it is there: all pairs would take minutes
PROBES = 64  # of FAISS's cells that are searched for each row
CELL = 256  # rows of a cell, about


def nearest_rows(left: Singles, right: Singles, k: int, *, device: str = "cpu") -> Longs:
    """For each row i the k rows j != i with the highest left_i . right_j, the highest first.

    Both are (rows, dimensions), and left_i . right_j must be right_i . left_j. The search is exact,
    on another `device` than "cpu" by torch. Among more than `MANY` rows FAISS is used where it is
    installed: it may miss some, and its rows should then be of one length.
    """
    k = min(k, len(left) - 1)
    if k < 1:
        return np.zeros((len(left), 0), dtype=np.int64)
    if len(left) > MANY and find_spec("faiss") is not None:
        return nearest_by_faiss(left, right, k)
    blocks = _by_numpy(left, right, k) if device == "cpu" else _by_torch(left, right, k, device)
    return np.concatenate(list(blocks))


def nearest_by_faiss(left: Singles, right: Singles, k: int) -> Longs:
    """Nearly the same in a fraction of the time: rows of near cells only. -1 where none is left."""
    import faiss

    cells = max(1, len(right) // CELL)
    index = faiss.index_factory(right.shape[1], f"IVF{cells},Flat", faiss.METRIC_INNER_PRODUCT)
    index.train(right)  # its seed is fixed
    index.add(right)
    index.nprobe = min(PROBES, cells)
    found = np.asarray(index.search(left, k + 1)[1], dtype=np.int64)
    other = found != np.arange(len(left))[:, None]
    order = np.argsort(~other, axis=1, kind="stable")[:, :k]  # the row itself goes last, and off
    return np.take_along_axis(found, order, axis=1)


def _by_numpy(left: Singles, right: Singles, k: int) -> Iterator[Longs]:
    """Block by block: (rows of the block, k)."""
    for start in range(0, len(left), BLOCK):
        own = np.arange(start, min(start + BLOCK, len(left)))
        alike = left[own] @ right.T
        np.negative(alike, out=alike)
        alike[own - start, own] = np.inf
        near = np.argpartition(alike, k - 1, axis=1)[:, :k]
        near.sort(axis=1)  # of equal ones the first row goes first
        order = np.take_along_axis(alike, near, axis=1).argsort(axis=1, kind="stable")
        yield np.take_along_axis(near, order, axis=1).astype(np.int64)


def _by_torch(left: Singles, right: Singles, k: int, device: str) -> Iterator[Longs]:
    """The same on a device of torch."""
    import torch

    rows, every = (torch.from_numpy(part).to(device) for part in (left, right))
    for start in range(0, len(rows), BLOCK):
        alike = rows[start : start + BLOCK] @ every.T
        own = torch.arange(len(alike), device=device)
        alike[own, own + start] = -torch.inf
        found: Any = alike.topk(k, dim=1).indices
        yield found.cpu().numpy()
