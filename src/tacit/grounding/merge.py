"""Merging equal groundings: one sort of packed integers, and a count for each distinct row."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TooLarge

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = Sequence[NDArray[np.integer]]

CHUNK = 1 << 18  # rows at a time: temporaries stay in the cache and out of the peak memory
_CORES = min(os.cpu_count() or 1, 8)


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows of small numbers, each row as one integer."""

    rows: Longs
    widths: tuple[int, ...]  # bits of each column, the first in the highest

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, at: int) -> Ints:
        """One column."""
        if not self.widths[at]:  # all zeros, which take no memory until they are touched
            return np.zeros(len(self.rows), dtype=np.int32)
        return self.table([at], [0]).ravel()

    def table(self, columns: Sequence[int], plus: Sequence[int]) -> Ints:
        """Some columns side by side, to each of which a number is added."""
        table = np.empty((len(self.rows), len(columns)), dtype=np.int32)

        def unpack(chunk: slice) -> None:
            for axis, (at, more) in enumerate(zip(columns, plus, strict=True)):
                part = self.rows[chunk] >> sum(self.widths[at + 1 :])
                part &= (1 << self.widths[at]) - 1
                part += more
                table[chunk, axis] = part

        _each_chunk(unpack, len(self.rows))
        return table


@dataclass(frozen=True, slots=True)
class Merged:
    """Distinct rows in sorted order, packed until asked for, and how often each occurs."""

    rows: Packed
    count: Floats


def merge(columns: list[Ints], count: Floats | None, *, once: bool, unordered: bool) -> Merged:
    """The distinct rows of some columns in sorted order, and how often each occurs.

    `count` weighs the rows (all of weight one if it is None). With `once`, rows that are equal are
    one and the same grounding. With `unordered`, the first two columns may be exchanged: (a, b) and
    (b, a) are merged, though they are two groundings. Columns hold numbers from 0; their list is
    emptied, so that they can be let go before rows are sorted.
    """
    spare = int(once and unordered)  # a bit that tells (a, b) from (b, a) until both are counted
    packed, widths = _packed(columns, unordered=unordered, spare=spare)
    if count is not None:
        return _merge_weighed(packed, count, widths, spare, once=once)
    _sort(packed)
    if once:
        packed = _distinct(packed)
    if spare:
        packed >>= spare
    elif once:  # distinct already
        return Merged(Packed(packed, widths), np.ones(len(packed)))
    return _counted(packed, widths)


def sorted_rows(columns: list[Ints], *, once: bool) -> Packed:
    """The rows of some columns in sorted order, with `once` the distinct ones.

    As in `merge`, columns hold numbers from 0, and their list is emptied.
    """
    packed, widths = _packed(columns, unordered=False, spare=0)
    _sort(packed)
    return Packed(_distinct(packed) if once else packed, widths)


def all_differ(numbers: NDArray[np.integer]) -> bool:
    """Whether no number occurs twice."""
    numbers = numbers.copy()
    _sort(numbers)
    return bool(_changes(numbers).all())


def _packed(columns: list[Ints], *, unordered: bool, spare: int) -> tuple[Longs, tuple[int, ...]]:
    """Each row as one integer, the first column in the highest bits; empties the list."""
    widths = [int(column.max(initial=0)).bit_length() for column in columns]
    if unordered:
        widths[0] = widths[1] = max(widths[:2])
    if sum(widths) + spare > 63:
        raise TooLarge(
            "the labels and weights of one formula are too many to be numbered together",
            remedy="split the formula, or key its weight by fewer values",
        )
    packed = np.zeros(len(columns[0]), dtype=np.int64)

    def pack(chunk: slice) -> None:
        part, rows = packed[chunk], [column[chunk] for column in columns]
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

    _each_chunk(pack, len(packed))
    columns.clear()
    return packed, tuple(widths)


def _each_chunk(work: Callable[[slice], None], n_rows: int) -> None:
    """Do some work on each chunk of rows, on all cores if there are many."""
    chunks = [slice(begin, begin + CHUNK) for begin in range(0, n_rows, CHUNK)]
    if len(chunks) <= _CORES:
        for chunk in chunks:
            work(chunk)
        return
    with ThreadPoolExecutor(_CORES) as pool:
        list(pool.map(work, chunks))


def _sort(packed: NDArray[np.integer]) -> None:
    """Sort in place, each core a stretch of its own; a stable sort then merges sorted runs."""
    n_runs = _CORES if len(packed) > 4 * CHUNK else 1
    with ThreadPoolExecutor(n_runs) as pool:
        list(pool.map(lambda run: run.sort(), np.array_split(packed, n_runs)))
    if n_runs > 1:
        packed.sort(kind="stable")


def _distinct(packed: Longs) -> Longs:
    """The distinct numbers of a sorted array."""
    changed = _changes(packed)
    return packed if changed.all() else _kept(packed, changed)


def _kept(packed: Longs, chosen: NDArray[np.bool_]) -> Longs:
    """The chosen numbers, moved to the front of the array itself: there may be little memory."""
    end = 0
    for begin in range(0, len(packed), CHUNK):
        part = packed[begin : begin + CHUNK][chosen[begin : begin + CHUNK]]
        packed[end : end + len(part)] = part
        end += len(part)
    return packed[:end]


def _counted(packed: Longs, widths: tuple[int, ...]) -> Merged:
    """The distinct numbers of a sorted array, and how often each occurs."""
    changed = _changes(packed)
    again = np.flatnonzero(~changed)
    sizes = np.ones(len(packed) - len(again))
    if len(again):
        packed = _kept(packed, changed)
        # The k-th repetition, at position p, belongs to the (p - k)-th distinct number, from 1.
        np.add.at(sizes, again - np.arange(1, len(again) + 1), 1.0)
    return Merged(Packed(packed, widths), sizes)


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
    return Merged(Packed(packed[starts], widths), summed)


def _changes(packed: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Where a sorted number differs from the one before."""
    changed = np.ones(len(packed), dtype=bool)
    np.not_equal(packed[1:], packed[:-1], out=changed[1:])
    return changed
