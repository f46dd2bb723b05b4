"""Merging equal groundings: one sort of packed integers, and a count for each distinct row."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = Sequence[NDArray[np.integer]]

_CHUNK = 1 << 18  # rows at a time: temporaries stay in the cache and out of the peak memory


def merge(
    columns: Columns, count: Floats | None, *, once: bool, unordered: bool
) -> tuple[list[Ints], Floats]:
    """The distinct rows of some columns in sorted order, and how often each occurs.

    `count` weighs the rows (all of weight one if it is None). With `once`, rows that are equal are
    one and the same grounding. With `unordered`, the first two columns may be exchanged: (a, b) and
    (b, a) are merged, though they are two groundings. Columns hold numbers from 0.
    """
    turned = columns[0] > columns[1] if unordered else np.zeros(len(columns[0]), dtype=bool)
    spare = int(once and unordered)  # a bit that tells (a, b) from (b, a) until both are counted
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if unordered:
        widths[0] = widths[1] = max(widths[:2])
    if count is None and sum(widths) + spare <= 63:
        packed = _pack(columns, widths, turned, unordered=unordered, spare=spare)
        _sort(packed)
        if once:
            packed, _ = _runs(packed)
        packed >>= spare
        distinct, sizes = _runs(packed)
        return _unpack(distinct, widths), sizes
    return _merge_slowly(columns, count, turned, once=once, unordered=unordered)


def _pack(
    columns: Columns, widths: list[int], turned: NDArray[np.bool_], *, unordered: bool, spare: int
) -> Longs:
    """Each row as one integer, the first column in the highest bits."""
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for begin in range(0, len(packed), _CHUNK):
        part = packed[begin : begin + _CHUNK]
        rows = [column[begin : begin + _CHUNK] for column in columns]
        if unordered:
            rows[:2] = np.minimum(rows[0], rows[1]), np.maximum(rows[0], rows[1])
        for row, width in zip(rows, widths, strict=True):
            if width:
                part <<= width
                part |= row
        if spare:
            part <<= 1
            part |= turned[begin : begin + _CHUNK]
    return packed


def _unpack(packed: Longs, widths: list[int]) -> list[Ints]:
    """The columns of packed rows."""
    columns = [np.zeros(len(packed), dtype=np.int32) for _ in widths]
    for begin in range(0, len(packed), _CHUNK):
        part = packed[begin : begin + _CHUNK].copy()
        for column, width in zip(reversed(columns), reversed(widths), strict=True):
            column[begin : begin + _CHUNK] = part & ((1 << width) - 1)
            part >>= width
    return columns


def _sort(packed: Longs) -> None:
    """Sort in place, each core a stretch of its own; a stable sort then merges sorted runs."""
    n_runs = min(os.cpu_count() or 1, 8) if len(packed) > 4 * _CHUNK else 1
    with ThreadPoolExecutor(n_runs) as pool:
        list(pool.map(lambda run: run.sort(), np.array_split(packed, n_runs)))
    if n_runs > 1:
        packed.sort(kind="stable")


def _runs(packed: Longs) -> tuple[Longs, Floats]:
    """The distinct numbers of a sorted array, and how often each occurs."""
    changed = _changes([packed])
    again = np.flatnonzero(~changed)
    sizes = np.ones(len(packed) - len(again))
    if len(again):
        packed = packed[changed]
        # The k-th repetition, at position p, belongs to the (p - k)-th distinct number, from 1.
        np.add.at(sizes, again - np.arange(1, len(again) + 1), 1.0)
    return packed, sizes


def _merge_slowly(
    columns: Columns,
    count: Floats | None,
    turned: NDArray[np.bool_],
    *,
    once: bool,
    unordered: bool,
) -> tuple[list[Ints], Floats]:
    """The same for rows that weigh differently or do not fit into one integer."""
    rows: list[NDArray[np.generic]] = list(columns)
    if unordered:
        rows[:2] = np.minimum(columns[0], columns[1]), np.maximum(columns[0], columns[1])
    weigh = np.ones(len(turned)) if count is None else count
    order = np.lexsort((weigh, turned, *rows[::-1]))
    rows, turned, weigh = [row[order] for row in rows], turned[order], weigh[order]
    if once:
        kept = np.flatnonzero(_changes([*rows, turned]))
        rows, weigh = [row[kept] for row in rows], weigh[kept]
    starts = np.flatnonzero(_changes(rows))
    summed = np.add.reduceat(weigh, starts) if len(starts) else np.empty(0)
    return [row[starts].astype(np.int32) for row in rows], summed


def _changes(rows: Sequence[NDArray[np.generic]]) -> NDArray[np.bool_]:
    """Where a sorted row differs from the one before."""
    changed = np.zeros(len(rows[0]), dtype=bool)
    changed[:1] = True
    for row in rows:
        changed[1:] |= row[1:] != row[:-1]
    return changed
