"""The factor graph: label variables and what ties them, as flat read-only arrays.

A weight's value is no part of a graph: weights and unary potentials may change from one inference
to the next, and nothing is built again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacit.errors import UnknownFunction, did_you_mean, listed

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Potentials:
    """What factors of one block can be worth: weight times count, each combination once.

    Factors name a potential by its number, which takes four bytes instead of twelve.
    """

    weight: Ints  # (potentials) the weight of each
    count: Floats  # (potentials) how many merged groundings it stands for

    def __len__(self) -> int:
        return len(self.weight)

    def log_values(self, weights: Floats) -> Floats:
        """The log of what each potential is worth where its formula holds; infinite where hard."""
        return np.asarray(weights[self.weight] * self.count)

    def total(self, by_potential: Floats, n_weights: int) -> Floats:
        """Numbers by potential, counted as often as each stands for, summed by weight."""
        total = np.bincount(self.weight, by_potential * self.count, minlength=n_weights)
        return np.asarray(total, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class TableFactors:
    """Factors over two or more label variables that share one truth table."""

    truth: Truths  # one axis for each variable of a factor
    variables: Ints  # (factors, axes)
    potential: Ints  # (factors)
    potentials: Potentials

    def __len__(self) -> int:
        return len(self.variables)

    def where(self, chosen: Truths | Ints) -> TableFactors:
        """Some of the factors, by mask or by number."""
        variables = self.variables[chosen]
        alike = len(self.potentials) == 1  # then the numbers of any factors will do, uncopied
        potential = self.potential[: len(variables)] if alike else self.potential[chosen]
        return replace(self, variables=variables, potential=potential)


@dataclass(frozen=True, slots=True)
class GroupFactors:
    """Factors that count: each member adds what its state is worth, and the sum decides.

    `holds[n]` says whether the formula holds at a sum of n; sums beyond the end count as the end.
    At least one is (no, yes); at most one (yes, yes, no); exactly two (no, no, yes, no).
    No variable occurs twice in one group.
    """

    holds: Truths
    gains: tuple[Ints, ...]  # what each state adds, for the kinds of members there are
    first_member: Longs  # (groups + 1)
    variable_of_member: Ints
    gain_of_member: Ints  # which of the gains
    potential: Ints  # (groups)
    potentials: Potentials

    def __len__(self) -> int:
        return len(self.first_member) - 1

    def where(self, chosen: Truths) -> GroupFactors:
        """Some of the groups, by mask."""
        size = np.diff(self.first_member)
        inside = np.repeat(chosen, size)
        return replace(
            self,
            first_member=np.concatenate([[0], np.cumsum(size[chosen])]).astype(np.int64),
            variable_of_member=self.variable_of_member[inside],
            gain_of_member=self.gain_of_member[inside],
            potential=self.potential[chosen],
        )


@dataclass(frozen=True, slots=True)
class Expectations:
    """Weights that are free to move so that their expected counts reach a share, give or take."""

    weight: Ints
    share: Floats
    margin: Floats
    n_groundings: Floats  # what each is a share of

    def __len__(self) -> int:
        return len(self.weight)


@dataclass(frozen=True, slots=True)
class LabelSpan:
    """The variables of one label function: consecutive, with the same labels."""

    name: str
    labels: tuple[str, ...]
    first_variable: int
    n_variables: int


@dataclass(frozen=True, eq=False)
class FactorGraph:
    """Label variables, weights, and the factors that tie them.

    States are numbered variable by variable: variable v owns the states from `first_state[v]` up to
    `first_state[v + 1]`. Evidence on single labels is the sparse matrix `counts` (states x
    weights); expectations are columns of it too.
    """

    spans: tuple[LabelSpan, ...]
    sizes: Ints  # (variables) number of states
    weights: Floats  # where each weight starts; infinite where hard
    weight_names: tuple[str, ...] | None  # None: weights have no names
    counts: sparse.csr_array
    possible: Truths | None  # (states) what hard evidence leaves; None: everything
    tables: tuple[TableFactors, ...]
    groups: tuple[GroupFactors, ...]
    expectations: Expectations

    def __post_init__(self) -> None:
        freeze(self)
        freeze(self.expectations)
        for block in self.blocks:
            freeze(block)
            freeze(block.potentials)

    @cached_property
    def derived(self) -> dict[str, Any]:
        """What inference has worked out from the graph alone, kept for as long as the graph is."""
        return {}

    @property
    def blocks(self) -> tuple[TableFactors | GroupFactors, ...]:
        """All the factors over several variables."""
        return (*self.tables, *self.groups)

    @property
    def n_variables(self) -> int:
        """How many label variables there are."""
        return len(self.sizes)

    @property
    def n_weights(self) -> int:
        """How many weights there are."""
        return len(self.weights)

    @property
    def n_factors(self) -> int:
        """How many factors tie two or more variables."""
        return sum(map(len, self.blocks))

    @cached_property
    def first_state(self) -> Longs:
        """The first state of each variable, and behind the last variable the number of states."""
        first = np.zeros(len(self.sizes) + 1, dtype=np.int64)
        np.cumsum(self.sizes, out=first[1:])
        first.flags.writeable = False
        return first

    @cached_property
    def n_states(self) -> int:
        """How many states all the variables have together."""
        return int(self.sizes.sum(dtype=np.int64))

    @cached_property
    def is_binary(self) -> bool:
        """Whether every variable has two states; then `first_state` is seldom needed."""
        return bool((self.sizes == 2).all())

    def states_of(self, span: LabelSpan) -> slice:
        """The states of a label function's variables."""
        first, end = span.first_variable, span.first_variable + span.n_variables
        if self.is_binary:
            return slice(2 * first, 2 * end)
        return slice(int(self.first_state[first]), int(self.first_state[end]))

    @property
    def n_bytes(self) -> int:
        """How much memory the factors' arrays take."""
        arrays = [getattr(block, field.name) for block in self.blocks for field in fields(block)]
        return sum(int(array.nbytes) for array in arrays if isinstance(array, np.ndarray))

    def span(self, name: str | None = None) -> LabelSpan:
        """The variables of a label function; of the only one when no name is given."""
        if name is None and len(self.spans) == 1:
            return self.spans[0]
        for span in self.spans:
            if span.name == name:
                return span
        known = [span.name for span in self.spans]
        if name is None:
            raise UnknownFunction(
                f"there are several label functions: {listed(known)}", remedy="name one of them"
            )
        raise UnknownFunction(
            f"no label function {name!r}; there are: {listed(known)}",
            remedy=did_you_mean(name, known),
        )


def freeze(block: Any) -> None:
    """Make the arrays of a block read-only."""
    for field in fields(block):
        value = getattr(block, field.name)
        for array in value if isinstance(value, tuple) else (value,):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
            elif isinstance(array, sparse.csr_array):
                for own in (array.data, array.indices, array.indptr):
                    own.flags.writeable = False
