"""The matrix of each kind of edge, and its derivative: one of its own, or a mixture of a few.

Rows belong to edges that are sorted by kind within a level. Both ways offer the same three things:
rows times the matrices of their edges, rows times the transposed matrices, and the slopes of the
parameters when every edge is done. Nothing is added in an order that may change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor


class OneEach:
    """A matrix for each kind: weight (kinds, size, 4 size)."""

    def __init__(self, kind: Tensor, weight: Tensor) -> None:
        self.kind, self.weight = kind, weight
        self.on_cpu = None if kind.is_cuda else kind.numpy()

    def times(self, rows: Tensor, edges: slice) -> Tensor:
        """(edges, 4 size): each row of some edges times the matrix of its kind."""
        return self._by_kind(rows, self.weight, edges)

    def times_transposed(self, rows: Tensor, edges: slice) -> Tensor:
        """(edges, size): the way back."""
        return self._by_kind(rows, self.weight.transpose(1, 2), edges)

    def slopes(self, states: Tensor, d_said: Tensor) -> tuple[Tensor, ...]:
        """Of the weight: all edges of a kind together."""
        order = torch.argsort(self.kind, stable=True)
        sizes = torch.bincount(self.kind, minlength=len(self.weight)).tolist()
        parts = [torch.split(rows[order], sizes) for rows in (states, d_said)]
        return (torch.stack([state.T @ slope for state, slope in zip(*parts, strict=True)]),)

    def _by_kind(self, rows: Tensor, matrices: Tensor, edges: slice) -> Tensor:
        if self.on_cpu is None:  # one large call; copies of matrices cost little there
            return torch.bmm(rows[:, None], matrices[self.kind[edges]])[:, 0]
        kind = self.on_cpu[edges]
        first = np.flatnonzero(np.diff(kind, prepend=-1))  # of each run of one kind
        sizes = np.diff(first, append=len(kind)).tolist()
        parts = zip(kind[first].tolist(), torch.split(rows, sizes), strict=True)
        return torch.cat([part @ matrices[own] for own, part in parts])


class Mixtures:
    """U_kind = sum over b of mix[kind, b] bases[b]; bases (b, size, 4 size).

    It is never written out: a row meets all bases in one product, and what comes out is mixed.
    """

    def __init__(self, kind: Tensor, mix: Tensor, bases: Tensor) -> None:
        self.n_kinds, self.kind, self.bases = len(mix), kind, bases
        self.share = mix[kind]  # (edges, b)
        self.side_by_side = bases.transpose(0, 1).flatten(1)  # (size, b 4 size)
        self.transposed = bases.permute(2, 0, 1).flatten(1)  # (4 size, b size)

    def times(self, rows: Tensor, edges: slice) -> Tensor:
        """(edges, 4 size): each row of some edges times the matrix of its kind."""
        return self._mixed(rows @ self.side_by_side, edges)

    def times_transposed(self, rows: Tensor, edges: slice) -> Tensor:
        """(edges, size): the way back."""
        return self._mixed(rows @ self.transposed, edges)

    def slopes(self, states: Tensor, d_said: Tensor) -> tuple[Tensor, ...]:
        """Of the mix, all edges of a kind together, and of the bases."""
        of_bases = [(states * share[:, None]).T @ d_said for share in self.share.T]
        of_share = [((states @ base) * d_said).sum(dim=1) for base in self.bases]
        is_kind = torch.nn.functional.one_hot(self.kind, self.n_kinds).to(states.dtype)
        return is_kind.T @ torch.stack(of_share, dim=1), torch.stack(of_bases)

    def _mixed(self, by_base: Tensor, edges: slice) -> Tensor:
        parts = by_base.view(len(by_base), len(self.bases), -1)
        return torch.bmm(self.share[edges, None], parts)[:, 0]


EdgeMatrices = OneEach | Mixtures


def edge_matrices(kind: Tensor, parameters: Sequence[Tensor]) -> EdgeMatrices:
    """From a weight for each kind, or from a mix and its bases."""
    return OneEach(kind, *parameters) if len(parameters) == 1 else Mixtures(kind, *parameters)
