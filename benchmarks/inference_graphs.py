"""The graphs of the inference benchmark, as plain arrays that both sides read; numpy alone.

Pairs are drawn at random and stay in random order, which is hard on caches; unary fields are drawn
from N(0, 1); seeds are fixed. Couplings are weak enough for belief propagation to settle soon: 0.3
where a variable has 5 neighbours and 0.1 where it has 18. At 0.5 the former is close to the point
where all labels begin to lean the same way, and the latter far beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

MEMBERS = 5  # drawn for each at-least-one group; those drawn twice count once
GROUP_WEIGHT = 1.0


@dataclass(frozen=True, slots=True)
class Spec:
    """What graph to draw."""

    name: str
    n_variables: int
    n_edges: int
    n_states: int = 2
    n_groups: int = 0
    coupling: float = 0.3
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Arrays:
    """A drawn graph: agreement pairs, and groups of which at least one member is in state 1."""

    pairs: Ints  # (edges, 2): exp(coupling) where both are in the same state
    fields: Floats  # (variables, states): log potentials of single variables
    first_member: Longs  # (groups + 1)
    variable_of_member: Ints
    coupling: float
    group_weight: float  # exp(group_weight) where a member is in state 1

    @property
    def n_variables(self) -> int:
        """How many variables there are."""
        return len(self.fields)

    @property
    def n_states(self) -> int:
        """How many states each variable has."""
        return int(self.fields.shape[1])

    @property
    def n_edges(self) -> int:
        """How many pairs there are."""
        return len(self.pairs)

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.first_member) - 1


DENSE = 0.1  # coupling at 18 neighbours
SPECS = (
    Spec("pairs_63k", 7_000, 63_000, coupling=DENSE),
    Spec("chapter", 7_000, 63_000, n_groups=7_000, coupling=DENSE),
    Spec("five_states", 100_000, 250_000, n_states=5, coupling=0.5),
    Spec("ten_states", 100_000, 250_000, n_states=10, coupling=0.5),
    Spec("pairs_10k", 4_000, 10_000),
    Spec("pairs_100k", 40_000, 100_000),
    Spec("pairs_1m", 400_000, 1_000_000),
    Spec("pairs_10m", 4_000_000, 10_000_000),
)
QUICK = (
    Spec("pairs_63k", 700, 6_300, coupling=DENSE),
    Spec("chapter", 700, 6_300, n_groups=700, coupling=DENSE),
    Spec("five_states", 1_000, 2_500, n_states=5, coupling=0.5),
    Spec("ten_states", 1_000, 2_500, n_states=10, coupling=0.5),
    Spec("pairs_10k", 400, 1_000),
    Spec("pairs_100k", 1_200, 3_000),
    Spec("pairs_1m", 4_000, 10_000),
    Spec("pairs_10m", 12_000, 30_000),
)
GROWING = ("pairs_10k", "pairs_100k", "pairs_1m", "pairs_10m")  # alike but for their size
NAMES = tuple(spec.name for spec in SPECS)


def draw(spec: Spec) -> Arrays:
    """The graph of a spec: the same at every call."""
    rng = np.random.default_rng(spec.seed)
    pairs = _pairs(spec.n_variables, spec.n_edges, rng)
    fields = rng.standard_normal((spec.n_variables, spec.n_states))
    if spec.n_states == 2:
        fields[:, 0] = 0.0  # the log-odds are N(0, 1)
    first, member = _groups(spec.n_variables, spec.n_groups, rng)
    return Arrays(pairs, fields, first, member, spec.coupling, GROUP_WEIGHT)


def tiny(like: Arrays) -> Arrays:
    """A little graph with the same kinds of factors, to load code and not data."""
    groups = 8 if like.n_groups else 0
    return draw(Spec("tiny", 64, 128, like.n_states, groups, like.coupling))


def _pairs(n_variables: int, n_edges: int, rng: np.random.Generator) -> Ints:
    """Distinct pairs of different variables, in random order."""
    key = np.empty(0, dtype=np.int64)
    while len(key) < n_edges:
        drawn = rng.integers(0, n_variables, (n_edges + n_edges // 10 + 16, 2))
        drawn = drawn[drawn[:, 0] != drawn[:, 1]]
        more = drawn.min(axis=1) * n_variables + drawn.max(axis=1)
        key = np.unique(np.concatenate([key, more]))
    key = rng.permutation(key)[:n_edges]
    return np.stack(np.divmod(key, n_variables), axis=1).astype(np.int32)


def _groups(n_variables: int, n_groups: int, rng: np.random.Generator) -> tuple[Longs, Ints]:
    drawn = np.sort(rng.integers(0, n_variables, (n_groups, MEMBERS)), axis=1)
    is_new = np.ones(drawn.shape, dtype=bool)
    is_new[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
    first = np.concatenate([[0], np.cumsum(is_new.sum(axis=1))]).astype(np.int64)
    return first, drawn[is_new].astype(np.int32)


def write(arrays: Arrays, path: Path) -> None:
    """Keep a graph as a file."""
    np.savez(
        path,
        pairs=arrays.pairs,
        fields=arrays.fields,
        first_member=arrays.first_member,
        variable_of_member=arrays.variable_of_member,
        weights=np.array([arrays.coupling, arrays.group_weight]),
    )


def read(path: Path) -> Arrays:
    """The graph of a file, in memory."""
    with np.load(path) as found:
        parts: dict[str, Any] = {name: found[name] for name in found.files}
    coupling, group_weight = parts.pop("weights").tolist()
    return Arrays(**parts, coupling=coupling, group_weight=group_weight)


def floor_bytes(spec: Spec, n_members: int, number: int = 8, believed: int | None = None) -> int:
    """The bytes that any flooding sweep must move, with numbers of so many bytes.

    Beliefs are as wide as messages, unless told.

    A pair: two variables' indices (8 B), and two messages read and written: 40 B for binary
    variables in float64, whose messages are one number each; K states need K - 1 numbers. All pairs
    have one potential, so that its number need not be read. A member of a group: its index (4 B)
    and one message read and written. A group: where its members begin (8 B). A variable: its
    belief, read and written once.
    """
    message = 2 * number * (spec.n_states - 1)
    return (
        spec.n_edges * (8 + 2 * message)
        + n_members * (4 + message)
        + spec.n_groups * 8
        + spec.n_variables * 2 * (believed or number) * (spec.n_states - 1)
    )
