"""Random factor graphs of every kind, small enough to enumerate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from tacit.graph import FactorGraph, build_graph
from tacit.grounding import GroupBlock, TableBlock

MOST_ASSIGNMENTS = 2_000


@dataclass(frozen=True)
class Shape:
    """What a random graph may contain."""

    largest: float = 2.0  # weights
    most_states: int = 4
    most_variables: int = 7
    most_factors: int = 8
    hard: bool = False
    groups: bool = True
    tree: bool = False  # no cycles
    binary: bool = False


@st.composite
def graphs(draw: st.DrawFn, shape: Shape = Shape()) -> FactorGraph:  # noqa: B008
    """A random graph; numbers come from a drawn seed, so that examples stay small."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_graph(rng, shape)


def random_graph(rng: np.random.Generator, shape: Shape = Shape()) -> FactorGraph:  # noqa: B008
    """A random graph of a shape."""
    sizes = _sizes(rng, shape)
    n_weights = int(rng.integers(1, 6))
    weights = rng.uniform(-shape.largest, shape.largest, n_weights)
    if shape.hard and rng.random() < 0.7:
        weights[rng.integers(n_weights)] = np.inf
    ties = _Ties(rng, sizes, n_weights, shape)
    tables, groups = [], []
    for _ in range(int(rng.integers(0, shape.most_factors + 1))):
        if shape.groups and rng.random() < 0.4:
            groups += ties.group()
        else:
            tables += ties.table()
    soft = np.flatnonzero(np.isfinite(weights))
    n_states = int(sizes.sum())
    counts = sparse.random_array(
        (n_states, n_weights), density=0.3, rng=rng, data_sampler=lambda size: rng.random(size) * 2
    ).tolil()
    counts[:, [w for w in range(n_weights) if w not in soft]] = 0
    possible = _possible(rng, sizes) if shape.hard and rng.random() < 0.5 else None
    return build_graph(
        sizes, weights=weights, counts=counts.tocsr(), possible=possible, tables=tables,
        groups=groups,
    )  # fmt: skip


def _sizes(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    n_variables = int(rng.integers(1, shape.most_variables + 1))
    if shape.binary:
        return np.full(n_variables, 2, dtype=np.int32)
    sizes = rng.choice([1, 2, 2, 2, 3, shape.most_states], n_variables).astype(np.int32)
    while np.prod(sizes) > MOST_ASSIGNMENTS:
        sizes = sizes[:-1]
    return sizes


def _possible(rng: np.random.Generator, sizes: np.ndarray) -> np.ndarray:
    rows = []
    for size in sizes:
        row = rng.random(size) < 0.7
        row[rng.integers(size)] = True
        rows.append(row)
    return np.concatenate(rows)


class _Ties:
    """Draws factors; for trees, only such as close no cycle."""

    def __init__(
        self, rng: np.random.Generator, sizes: np.ndarray, n_weights: int, shape: Shape
    ) -> None:
        self.rng, self.sizes, self.n_weights, self.shape = rng, sizes, n_weights, shape
        self.root = list(range(len(sizes)))

    def scope(self, at_most: int) -> list[int]:
        """Distinct variables; for trees, of different components, which they join."""
        n = min(len(self.sizes), int(self.rng.integers(2, at_most + 1)))
        chosen = self.rng.permutation(len(self.sizes))[:n].tolist()
        if self.shape.tree:
            by_root = {self.root[v]: v for v in chosen}
            chosen = list(by_root.values())
            if len(chosen) > 1:
                self.root = [self.root[chosen[0]] if r in by_root else r for r in self.root]
        return chosen

    def table(self) -> list[TableBlock]:
        scope = self.scope(3)
        if len(scope) < 2:
            return []
        shape = tuple(int(self.sizes[v]) for v in scope)
        truth = self.rng.random(shape) < 0.5
        if len(set(shape)) == 1 and self.rng.random() < 0.4:
            truth = np.eye(shape[0], dtype=bool) if len(shape) == 2 else truth
        copies = int(self.rng.integers(1, 3)) if not self.shape.tree else 1
        return [
            TableBlock(
                functions=("y",) * len(scope),
                truth=truth,
                variables=np.array([scope] * copies, dtype=np.int32),
                weight=self.rng.integers(0, self.n_weights, copies).astype(np.int32),
                count=self.rng.integers(1, 3, copies).astype(float),
            )
        ]

    def group(self) -> list[GroupBlock]:
        scope = self.scope(5)
        if len(scope) < 2:
            return []
        repeated = scope + [v for v in scope if self.rng.random() < 0.2]
        sets = [self.rng.random(self.sizes[v]) < 0.5 for v in repeated]
        return [
            GroupBlock(
                quantifier=str(self.rng.choice(["atleast", "atmost", "exactly"])),  # type: ignore[arg-type]
                limit=int(self.rng.integers(1, 4)),
                first_member=np.array([0, len(repeated)]),
                variable_of_member=np.array(repeated, dtype=np.int32),
                set_of_member=np.arange(len(repeated), dtype=np.int32),
                state_sets=tuple(sets),
                weight=self.rng.integers(0, self.n_weights, 1).astype(np.int32),
                count=np.ones(1),
            )
        ]
