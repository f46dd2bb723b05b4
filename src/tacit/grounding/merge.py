"""Merging equal groundings: one sort of packed integers, and a count for each distinct row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


def merge(
    columns: Sequence[NDArray[np.integer]], count: Floats | None, *, once: bool, unordered: bool
) -> tuple[list[Longs], Floats]:
    """The distinct rows of some columns in sorted order, and how often each occurs.

    `count` weighs the rows (all of weight one if it is None). With `once`, rows that are equal are
    one and the same grounding. With `unordered`, the first two columns may be exchanged: (a, b) and
    (b, a) are merged, though they are two groundings. Columns hold numbers from 0.
    """
    columns = [np.asarray(column) for column in columns]
    turned = np.zeros(0, dtype=bool)
    if unordered:
        turned = columns[0] > columns[1]
        columns = [np.minimum(*columns[:2]), np.maximum(*columns[:2]), *columns[2:]]
    if count is None:
        return _merge_packed(columns, turned if once and unordered else None, once)
    order = np.lexsort((count, *columns[::-1]))
    starts = _starts([column[order] for column in columns])
    summed = np.add.reduceat(count[order], starts) if len(starts) else np.empty(0)
    return [column[order[starts]].astype(np.int64) for column in columns], summed


def _merge_packed(
    columns: list[NDArray[np.integer]], turned: NDArray[np.bool_] | None, once: bool
) -> tuple[list[Longs], Floats]:
    """Merge rows of weight one; `turned` tells apart rows that were exchanged."""
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    spare = int(turned is not None)
    if sum(widths) + spare > 63:
        every = [*columns, turned] if turned is not None else columns
        order = np.lexsort(every[::-1])
        rows = [column[order] for column in every]
        if once:
            rows = [row[_starts(rows)] for row in rows]
        rows = rows[: len(columns)]
        starts = _starts(rows)
        sizes = np.diff(starts, append=len(rows[0])).astype(np.float64)
        return [row[starts].astype(np.int64) for row in rows], sizes
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for column, width in zip(columns, widths, strict=True):
        packed <<= width
        packed |= column
    if turned is not None:
        packed <<= 1
        packed |= turned
    packed.sort()
    if once:
        packed = packed[_starts([packed])]
    packed >>= spare
    starts = _starts([packed])
    sizes = np.diff(starts, append=len(packed)).astype(np.float64)
    packed = packed[starts]
    unpacked: list[Longs] = []
    for width in reversed(widths):
        unpacked.append(packed & ((1 << width) - 1))
        packed >>= width
    return unpacked[::-1], sizes


def _starts(rows: Sequence[NDArray[np.generic]]) -> Longs:
    """Where each run of equal rows begins; the rows are sorted."""
    changed = np.zeros(len(rows[0]), dtype=bool)
    changed[:1] = True
    for row in rows:
        changed[1:] |= row[1:] != row[:-1]
    return np.flatnonzero(changed)
