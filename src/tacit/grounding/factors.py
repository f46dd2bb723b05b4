"""Ground factors: what grounding hands on, as flat arrays; no object for any single factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from tacit.data import Instances, Task
from tacit.grounding.truth import Truths
from tacit.logic.evidence import Evidence, Expect, Fixed, Hard, LabelFunction, Learned
from tacit.logic.formula import Quantifier
from tacit.logic.program import Program

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LabelVariables:
    """The hidden labels: one variable for each instance of each label function, in order."""

    functions: tuple[LabelFunction, ...]
    instances: tuple[Instances, ...]

    @cached_property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """The labels of each label function."""
        return {function.name: function.labels for function in self.functions}

    @cached_property
    def first_variable(self) -> Mapping[str, int]:
        """The first variable of each label function."""
        sizes = [len(instances) for instances in self.instances]
        starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        return dict(zip((f.name for f in self.functions), starts, strict=False))

    @cached_property
    def first_state(self) -> Mapping[str, int]:
        """The first state of each label function: states are numbered variable by variable."""
        sizes = [len(i) * len(f.labels) for f, i in self._pairs]
        starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        return dict(zip((f.name for f in self.functions), starts, strict=False))

    @property
    def n_variables(self) -> int:
        """How many label variables there are."""
        return sum(len(instances) for instances in self.instances)

    @property
    def n_states(self) -> int:
        """How many states all the variables have together."""
        return sum(len(i) * len(f.labels) for f, i in self._pairs)

    @property
    def _pairs(self) -> list[tuple[LabelFunction, Instances]]:
        return list(zip(self.functions, self.instances, strict=True))


@dataclass(frozen=True, slots=True)
class WeightBlock:
    """The weights of one piece of evidence: one, or one for each combination of key values."""

    evidence: Evidence
    keys: tuple[pa.Array, ...]  # one array for each key variable, as long as there are weights
    n_weights: int

    def key_of(self, index: int) -> tuple[object, ...]:
        """The values that key one of the weights."""
        return tuple(key[index].as_py() for key in self.keys)


@dataclass(frozen=True)
class Weights:
    """All the weights of a program, block after block."""

    blocks: tuple[WeightBlock, ...]

    @cached_property
    def first(self) -> Longs:
        """The first weight of each block, and behind the last block the number of weights."""
        return np.concatenate([[0], np.cumsum([b.n_weights for b in self.blocks])]).astype(np.int64)

    @property
    def n_weights(self) -> int:
        """How many weights there are."""
        return int(self.first[-1])

    @cached_property
    def block_of_weight(self) -> Ints:
        """Which block each weight belongs to."""
        sizes = [block.n_weights for block in self.blocks]
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    @cached_property
    def start(self) -> Floats:
        """Where each weight starts; infinite for hard evidence, 0 for expectations."""
        return self._spread([_start(block.evidence) for block in self.blocks])

    @cached_property
    def is_learned(self) -> NDArray[np.bool_]:
        """Which weights are to be learned."""
        learned = [isinstance(block.evidence.weight, Learned) for block in self.blocks]
        return np.asarray(learned, dtype=bool)[self.block_of_weight]

    def name_of(self, weight: int) -> str:
        """A weight's name: that of its evidence, with the values that key it."""
        at = int(self.block_of_weight[weight])
        block = self.blocks[at]
        key = block.key_of(weight - int(self.first[at]))
        return f"{block.evidence.name}[{', '.join(map(str, key))}]" if key else block.evidence.name

    def _spread(self, values: list[float]) -> Floats:
        return np.asarray(values, dtype=np.float64)[self.block_of_weight]


def _start(evidence: Evidence) -> float:
    match evidence.weight:
        case Learned(start):
            return start
        case Fixed(value):
            return value
        case Hard():
            return np.inf
        case Expect():
            return 0.0


@dataclass(frozen=True, slots=True)
class UnaryBlock:
    """Groundings over one label variable, as entries of the count matrix (state x weight)."""

    state: Longs
    weight: Ints
    count: Floats


@dataclass(frozen=True, slots=True)
class TableBlock:
    """Groundings over several label variables that share one truth table."""

    functions: tuple[str, ...]  # the label function of each axis
    truth: Truths
    variables: Ints  # (factors, axes)
    weight: Ints
    count: Floats


@dataclass(frozen=True, slots=True)
class GroupBlock:
    """Groups of labels of which at least, at most or exactly `limit` lie in given state sets."""

    quantifier: Quantifier
    limit: int
    first_member: Longs  # (groups + 1)
    variable_of_member: Ints
    set_of_member: Ints  # index into state_sets
    state_sets: tuple[Truths, ...]
    weight: Ints  # (groups)
    count: Floats  # (groups)


@dataclass(frozen=True, slots=True)
class ExpectationBlock:
    """States whose expected share is constrained: entries (state, weight), and totals by weight.

    Each expectation has a weight, its dual variable, which starts at 0.
    """

    state: Longs
    weight: Ints
    count: Floats
    constrained: Ints  # the weights of the block's expectations
    n_groundings: Floats  # what each expectation is a share of


@dataclass(frozen=True, slots=True)
class Step:
    """How a batch was grounded."""

    queries: tuple[str, ...]  # as SQL
    estimate: float  # rows expected, or a bound on them
    rows: int  # rows that the engine answered
    seconds: float


@dataclass(frozen=True, slots=True)
class Part:
    """What one batch of evidence grounds to."""

    names: tuple[str, ...]  # of the evidence
    step: Step
    unary: tuple[UnaryBlock, ...] = ()
    tables: tuple[TableBlock, ...] = ()
    groups: tuple[GroupBlock, ...] = ()
    expectations: tuple[ExpectationBlock, ...] = ()

    @property
    def n_bytes(self) -> int:
        """How much memory the arrays take."""
        blocks: list[Any] = [*self.unary, *self.tables, *self.groups, *self.expectations]
        values = [getattr(block, field.name) for block in blocks for field in fields(block)]
        return sum(int(value.nbytes) for value in values if isinstance(value, np.ndarray))


@dataclass(frozen=True)
class GroundFactors:
    """A grounded program: label variables, weights, and the factors that tie them."""

    program: Program
    task: Task
    variables: LabelVariables
    weights: Weights
    parts: tuple[Part, ...]
    possible: Mapping[str, Truths]  # (instances, labels) that hard evidence leaves, where it speaks

    @property
    def unary(self) -> tuple[UnaryBlock, ...]:
        """Groundings over one label, as entries of the count matrix."""
        return tuple(block for part in self.parts for block in part.unary)

    @property
    def tables(self) -> tuple[TableBlock, ...]:
        """Groundings over several labels, by truth table."""
        return tuple(block for part in self.parts for block in part.tables)

    @property
    def groups(self) -> tuple[GroupBlock, ...]:
        """Quantified groundings."""
        return tuple(block for part in self.parts for block in part.groups)

    @property
    def expectations(self) -> tuple[ExpectationBlock, ...]:
        """Constraints on expected shares."""
        return tuple(block for part in self.parts for block in part.expectations)

    @cached_property
    def counts(self) -> sparse.csr_array:
        """All unary groundings as one sparse matrix: states x weights."""
        shape = (self.variables.n_states, self.weights.n_weights)
        state = np.concatenate([b.state for b in self.unary] or [np.empty(0, np.int64)])
        weight = np.concatenate([b.weight for b in self.unary] or [np.empty(0, np.int32)])
        count = np.concatenate([b.count for b in self.unary] or [np.empty(0)])
        return sparse.csr_array(sparse.coo_array((count, (state, weight)), shape=shape))
