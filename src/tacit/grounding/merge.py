"""Merging equal groundings: one sort of packed integers, and a count for each distinct row."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TooLarge

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = Sequence[NDArray[np.integer]]

_CHUNK = 1 << 18  # rows at a time: temporaries stay in the cache and out of the peak memory


@dataclass(frozen=True, slots=True)
class Merged:
    """Distinct rows in sorted order, packed until asked for, and how often each occurs."""

    packed: Longs
    widths: tuple[int, ...]  # bits of each column, the first in the highest
    count: Floats

    def column(self, at: int) -> Ints:
        """One column."""
        column = np.zeros(len(self.packed), dtype=np.int32)
        if self.widths[at]:  # else it is all zeros, which take no memory until they are touched
            self.write(at, column)
        return column

    def write(self, at: int, out: Ints, plus: int = 0) -> None:
        """Write one column into an array, with a number added."""
        below, mask = sum(self.widths[at + 1 :]), (1 << self.widths[at]) - 1
        for begin in range(0, len(out), _CHUNK):
            part = self.packed[begin : begin + _CHUNK] >> below
            part &= mask
            part += plus
            out[begin : begin + _CHUNK] = part


def merge(columns: list[Ints], count: Floats | None, *, once: bool, unordered: bool) -> Merged:
    """The distinct rows of some columns in sorted order, and how often each occurs.

    `count` weighs the rows (all of weight one if it is None). With `once`, rows that are equal are
    one and the same grounding. With `unordered`, the first two columns may be exchanged: (a, b) and
    (b, a) are merged, though they are two groundings. Columns hold numbers from 0; their list is
    emptied, so that they can be let go before rows are sorted.
    """
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if unordered:
        widths[0] = widths[1] = max(widths[:2])
    spare = int(once and unordered)  # a bit that tells (a, b) from (b, a) until both are counted
    if sum(widths) + spare > 63:
        raise TooLarge(
            "the labels and weights of one formula are too many to be numbered together",
            remedy="split the formula, or key its weight by fewer values",
        )
    packed = _pack(columns, widths, unordered=unordered, spare=spare)
    columns.clear()
    if count is not None:
        return _merge_weighed(packed, count, tuple(widths), spare, once=once)
    _sort(packed)
    if once:
        packed = _distinct(packed)
    packed >>= spare
    return Merged(*_runs(packed, tuple(widths)))


def _pack(columns: Columns, widths: list[int], *, unordered: bool, spare: int) -> Longs:
    """Each row as one integer, the first column in the highest bits."""
    packed = np.zeros(len(columns[0]), dtype=np.int64)
    for begin in range(0, len(packed), _CHUNK):
        part = packed[begin : begin + _CHUNK]
        rows = [column[begin : begin + _CHUNK] for column in columns]
        turned = rows[0] > rows[1] if spare else None
        if unordered:
            rows[:2] = np.minimum(rows[0], rows[1]), np.maximum(rows[0], rows[1])
        for row, width in zip(rows, widths, strict=True):
            if width:
                part <<= width
                part |= row
        if turned is not None:
            part <<= 1
            part |= turned
    return packed


def _sort(packed: NDArray[np.integer]) -> None:
    """Sort in place, each core a stretch of its own; a stable sort then merges sorted runs."""
    n_runs = min(os.cpu_count() or 1, 8) if len(packed) > 4 * _CHUNK else 1
    with ThreadPoolExecutor(n_runs) as pool:
        list(pool.map(lambda run: run.sort(), np.array_split(packed, n_runs)))
    if n_runs > 1:
        packed.sort(kind="stable")


def all_differ(numbers: NDArray[np.integer]) -> bool:
    """Whether no number occurs twice."""
    numbers = numbers.copy()
    _sort(numbers)
    return bool(_changes(numbers).all())


def _distinct(packed: Longs) -> Longs:
    """The distinct numbers of a sorted array."""
    return _kept(packed, _changes(packed))


def _kept(packed: Longs, chosen: NDArray[np.bool_]) -> Longs:
    """The chosen numbers, moved to the front of the array itself: there may be little memory."""
    end = 0
    for begin in range(0, len(packed), _CHUNK):
        part = packed[begin : begin + _CHUNK][chosen[begin : begin + _CHUNK]]
        packed[end : end + len(part)] = part
        end += len(part)
    return packed[:end]


def _runs(packed: Longs, widths: tuple[int, ...]) -> tuple[Longs, tuple[int, ...], Floats]:
    """The distinct numbers of a sorted array, and how often each occurs."""
    changed = _changes(packed)
    again = np.flatnonzero(~changed)
    sizes = np.ones(len(packed) - len(again))
    if len(again):
        packed = _kept(packed, changed)
        # The k-th repetition, at position p, belongs to the (p - k)-th distinct number, from 1.
        np.add.at(sizes, again - np.arange(1, len(again) + 1), 1.0)
    return packed, widths, sizes


def _merge_weighed(
    packed: Longs, count: Floats, widths: tuple[int, ...], spare: int, *, once: bool
) -> Merged:
    """The same for rows that weigh differently; sums are taken in an order of their own."""
    order = np.lexsort((count, packed))
    packed, count = packed[order], count[order]
    if once:
        kept = _changes(packed)
        packed, count = packed[kept], count[kept]
    packed >>= spare
    starts = np.flatnonzero(_changes(packed))
    summed = np.add.reduceat(count, starts) if len(starts) else np.empty(0)
    return Merged(packed[starts], widths, summed)


def _changes(packed: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Where a sorted number differs from the one before."""
    changed = np.ones(len(packed), dtype=bool)
    np.not_equal(packed[1:], packed[:-1], out=changed[1:])
    return changed
