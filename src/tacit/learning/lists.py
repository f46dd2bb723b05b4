"""Lists: which columns each row has, as kernels read them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True, slots=True)
class Lists:
    """Rows that are lists of numbers, one after the other: a sparse matrix of ones without them."""

    first: NDArray[np.int64]  # where each begins, and where the last ends
    member: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.first) - 1

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        return self.member[self.first[row] : self.first[row + 1]]

    @staticmethod
    def of(matrix: sparse.csr_array | sparse.csc_array) -> Lists:
        """The columns of each row of a matrix, or with a `csc_array` the rows of each column."""
        indptr, indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
        return Lists(indptr.astype(np.int64, copy=False), indices.astype(np.int32, copy=False))

    def turned(self, n_members: int) -> Lists:
        """Which of the lists have each of so many members, in order."""
        ones = np.ones(len(self.member), dtype=np.int8)
        shape = (len(self), n_members)
        matrix = sparse.csr_array((ones, self.member, self.first), shape=shape)
        return Lists.of(sparse.csc_array(matrix))
