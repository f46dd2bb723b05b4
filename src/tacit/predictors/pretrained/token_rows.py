"""Rows of different lengths, one behind the other in flat arrays.

Row i of a ragged array stands at `first[i]:first[i + 1]`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]


def bounds(lengths: NDArray[np.integer]) -> Longs:
    """Where rows of these lengths begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def places(first: Longs, rows: Longs) -> Longs:
    """The places of all elements of some rows, row by row."""
    lengths = first[rows + 1] - first[rows]
    ends = np.cumsum(lengths)
    shift = np.repeat(first[rows] - (ends - lengths), lengths)
    return np.asarray(np.arange(len(shift), dtype=np.int64) + shift)


def grid(first: Longs, rows: Longs) -> tuple[Longs, Bools]:
    """(rows, longest): the places of elements side by side, and which of them are there.

    Where a row is too short, the place is that of its first element, and the mask is False.
    """
    lengths = first[rows + 1] - first[rows]
    along = np.arange(max(int(lengths.max(initial=0)), 1))
    mask = along[None, :] < lengths[:, None]
    return first[rows][:, None] + np.where(mask, along[None, :], 0), mask


def row_sums(values: NDArray[np.float64], first: Longs) -> NDArray[np.float64]:
    """The sum of each row; of an empty one, 0."""
    lengths = np.diff(first)
    row = np.repeat(np.arange(len(lengths)), lengths)
    found: NDArray[np.float64] = np.zeros(len(lengths))
    np.add.at(found, row, values)
    return found


def by_length(lengths: Longs, most_rows: int, most_elements: int) -> list[Longs]:
    """All rows in batches of like lengths, longest first, none larger than the limits.

    The size of a batch is its rows times its longest one: what it takes when padded.
    """
    order = np.argsort(-lengths, kind="stable")
    batches, begin = [], 0
    while begin < len(order):
        longest = max(int(lengths[order[begin]]), 1)
        size = max(1, min(most_rows, most_elements // longest))
        batches.append(order[begin : begin + size])
        begin += size
    return batches
