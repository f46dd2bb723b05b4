"""Rows of different lengths, kept as one flat array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.predictors.protocol import Longs


@dataclass(frozen=True, slots=True)
class Ragged:
    """Row i holds `value[first[i]:first[i + 1]]`."""

    first: Longs  # (rows + 1)
    value: NDArray[Any]  # (entries of all rows), or (entries of all rows, columns)

    @staticmethod
    def of(rows: Sequence[NDArray[Any]], empty: NDArray[Any]) -> Ragged:
        """Arrays one behind another; `empty` says what entries are, should there be none."""
        value = np.concatenate([empty, *rows])
        value.flags.writeable = False
        return Ragged(firsts([len(row) for row in rows]), value)

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def lengths(self) -> Longs:
        """(rows) how many entries each has."""
        return np.diff(self.first)

    @property
    def row(self) -> Longs:
        """(entries) the row that each stands in."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def place(self) -> Longs:
        """(entries) where in its row each stands, counted from 0."""
        return np.arange(self.first[-1]) - np.repeat(self.first[:-1], self.lengths)

    def take(self, rows: Longs) -> Ragged:
        """Some of the rows, in this order."""
        first = firsts(self.lengths[rows])
        entry = np.arange(first[-1]) + np.repeat(self.first[rows] - first[:-1], np.diff(first))
        return Ragged(first, self.value[entry])

    def followed_by(self, other: Ragged) -> Ragged:
        """These rows, then those of another."""
        first = np.concatenate([self.first, self.first[-1] + other.first[1:]])
        return Ragged(first, np.concatenate([self.value, other.value]))

    def padded(self) -> NDArray[Any]:
        """(rows, longest row): a table in which short rows are filled up with 0."""
        table = np.zeros((len(self), int(self.lengths.max(initial=0))), self.value.dtype)
        table[self.row, self.place] = self.value
        return table


def firsts(lengths: Any) -> Longs:
    """Where each of some stretches begins, and where the last one ends."""
    first = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=first[1:])
    return first
