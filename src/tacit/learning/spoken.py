"""What is said of one instance: which evidence speaks of it, and which rows made it speak."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from tacit.data import Instances
from tacit.errors import BadInput
from tacit.grounding import GroundFactors, trace
from tacit.grounding.engine import DuckDBEngine
from tacit.grounding.trace_label import trace_label
from tacit.learning.votes import Floats, Truths

if TYPE_CHECKING:
    from tacit.learning.incoming import Incoming
    from tacit.learning.label_model import LabelModel

Row = Mapping[str, object]


def row_of(model: LabelModel, name: str, instance: object) -> int:
    """The row of an instance; those of a label matrix are called by their numbers."""
    if model.graph_ is not None:
        return _instances(model, name).index_of(instance)
    n = model.votes_[name].n_instances
    text = str(instance)
    if not text.isascii() or not text.isdigit() or int(text) >= n:
        raise BadInput(
            f"the label matrix has no row {instance!r}",
            remedy=f"its rows are called 0 to {n - 1}",
        )
    return int(text)


def id_of(model: LabelModel, variable: int) -> tuple[str, object, int]:
    """The label function, the instance id and the row of a label variable."""
    firsts = model.factors_.variables.first_variable
    name = [name for name, first in firsts.items() if first <= variable][-1]
    row = variable - firsts[name]
    return name, _instances(model, name).ids[row].as_py(), row


def spoken_of(model: LabelModel, name: str, row: int) -> dict[int, Floats]:
    """For each weight that speaks of an instance, how often it counts for each label."""
    n_labels = len(model.labels_[name])
    if model.graph_ is not None:
        low = int(model.graph_.first_state[model.graph_.span(name).first_variable])
        return _by_weight(model.graph_.counts, low + row * n_labels, n_labels)
    votes = model.votes_[name]
    pattern = int(votes.pattern_of_instance[row])
    cast = votes.cast.indices[votes.cast.indptr[pattern] : votes.cast.indptr[pattern + 1]]
    found: dict[int, Floats] = {}
    happened = votes.parts.where(np.isin(votes.parts.event, cast))
    for parts in (happened, votes.standing):
        for weight, label, add in zip(parts.weight, parts.label, parts.add, strict=True):
            found.setdefault(int(weight), np.zeros(n_labels))[label] += add
    return found


def ruled_out(model: LabelModel, name: str, row: int) -> dict[int, Truths]:
    """For each hard weight that speaks of an instance, which labels it rules out.

    A hard formula holds in all its groundings: a label is ruled out where it holds in fewer than
    for the label that is possible.
    """
    if model.graph_ is None or model.graph_.possible is None:
        return {}
    n_labels = len(model.labels_[name])
    low = model.factors_.variables.first_state[name] + row * n_labels
    spoken = _by_weight(model.factors_.counts, low, n_labels)
    hard = np.isinf(model.graph_.weights)
    return {w: holds < holds.max() for w, holds in spoken.items() if hard[w]}


def possible_labels(model: LabelModel, name: str, row: int) -> Truths:
    """The labels of an instance that hard evidence on single labels leaves."""
    n_labels = len(model.labels_[name])
    if model.graph_ is None or model.graph_.possible is None:
        return np.ones(n_labels, dtype=bool)
    low = model.factors_.variables.first_state[name] + row * n_labels
    return np.asarray(model.graph_.possible[low : low + n_labels])


class Traces:
    """Looks up the rows that made evidence speak."""

    def __init__(self, factors: GroundFactors) -> None:
        self.factors = factors
        self._engine: DuckDBEngine | None = None  # most explanations need none

    def of_label(self, name: str, row: int, weights: Iterable[int]) -> dict[int, tuple[Row, ...]]:
        """The rows of weights that speak of one label alone."""
        return trace_label(self.factors, name, row, weights, self.engine)

    def of_factor(self, one: Incoming) -> tuple[Row, ...]:
        """The rows of a factor over several labels."""
        found = trace(self.factors, one.block, one.index, engine=self.engine())
        return tuple(sorted(found.bindings.to_pylist(), key=str))

    def engine(self) -> DuckDBEngine:
        """One engine for all look-ups."""
        if self._engine is None:
            self._engine = DuckDBEngine()
        return self._engine

    def close(self) -> None:
        """End the engine, where there is one."""
        if self._engine is not None:
            self._engine.close()


def _instances(model: LabelModel, name: str) -> Instances:
    return model.factors_.variables.instances[list(model.labels_).index(name)]


def _by_weight(counts: sparse.csr_array, first_state: int, n_labels: int) -> dict[int, Floats]:
    """The entries of some rows of a count matrix, by weight."""
    found: dict[int, Floats] = {}
    for label in range(n_labels):
        inside = slice(counts.indptr[first_state + label], counts.indptr[first_state + label + 1])
        for weight, count in zip(counts.indices[inside], counts.data[inside], strict=True):
            found.setdefault(int(weight), np.zeros(n_labels))[label] += count
    return found
