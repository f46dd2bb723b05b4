"""Label matrices: the votes of many functions on many items, as one relation and one formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.data.columns import column_from_values
from tacit.errors import BadInput, DuplicateName, UnknownLabel, listed
from tacit.logic.evidence import Evidence, LabelFunction, Observed, Weight
from tacit.logic.formula import Atom, Implies, Variable
from tacit.logic.functions import FUNCTION_WEIGHT
from tacit.logic.knowledge import Knowledge
from tacit.logic.naming import as_weight, label_is, variables_for

ABSTAIN = -1

Matrix = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class LabelMatrix:
    """A label matrix with the names of its labels and columns, all of it checked but the votes."""

    votes: Matrix  # (instances, functions) indices of labels, -1 = abstain
    labels: tuple[str, ...]
    functions: tuple[str, ...]

    @staticmethod
    def of(
        matrix: Any, labels: Sequence[str] | None = None, functions: Sequence[str] | None = None
    ) -> LabelMatrix:
        """A matrix with its names; labels without one are called "0", "1", ..., two at least."""
        votes = _as_matrix(matrix)
        if labels is None:
            labels = tuple(map(str, range(max(2, int(votes.max()) + 1))))
        label = LabelFunction("y", "item", tuple(labels))
        called = _checked_names(_function_names(matrix, functions), votes.shape[1])
        return LabelMatrix(votes, label.labels, tuple(called))

    def check_votes(self) -> None:
        """Refuse votes that index no label; a pass over the matrix that a reader may spare."""
        _check_votes(self.votes, self.labels, self.functions)

    def weight_names(self, *, per_class: bool, name: str = "votes") -> tuple[str, ...]:
        """The names of the weights, as those of `label_matrix` would be called."""
        if not per_class:
            return tuple(f"{name}[{function}]" for function in self.functions)
        return tuple(f"{name}[{f}, {value}]" for f in self.functions for value in self.labels)


def label_matrix(
    matrix: Any,
    *,
    label: LabelFunction,
    functions: Sequence[str] | None = None,
    ids: Any = None,
    per_class: bool = False,
    weight: float | Weight = FUNCTION_WEIGHT,
    relation: str = "vote",
    name: str = "votes",
) -> Knowledge:
    """A matrix (items, functions) of label indices, -1 = abstain, as evidence.

    `votes: 2.2  vote(i, +f, l) => y(i) = l`: one weight for each function, and with `per_class` one
    for each function and label. The functions are called `functions`, else after the columns of a
    data frame, else f0, f1, ...; the rows are the instances `ids`, else "0", "1", ...
    """
    votes = _as_matrix(matrix)
    called = _checked_names(_function_names(matrix, functions), votes.shape[1])
    _check_votes(votes, label.labels, called)
    item, function, value = variables_for(label, (label.domain, "function", "label"))
    atom = Atom(relation, (item, Variable(function.name, per_value=True), value))
    goal = label_is(label, item, Variable(value.name, per_value=per_class))
    return Knowledge(
        (label, Observed(relation, (label.domain, "function", "class"))),
        (Evidence(name, Implies(atom, goal), as_weight(weight)),),
        {relation: _vote_table(votes, label, called, ids)},
    )


def _vote_table(votes: Matrix, label: LabelFunction, functions: list[str], ids: Any) -> pa.Table:
    """The votes that were cast: (item, function, class), by item and then by function."""
    n_items, n_functions = votes.shape
    cells = np.flatnonzero(votes != ABSTAIN)
    if not len(cells):
        raise BadInput(
            "every function abstains on every item", remedy="there is nothing to learn from"
        )
    rows = cells // n_functions  # then a product: many times as fast as divmod
    return pa.table(
        {
            label.domain: instance_ids(n_items, ids).take(pa.array(rows)),
            "function": _named(cells - rows * n_functions, functions),
            "class": _named(votes.ravel()[cells].astype(np.int64), label.labels),
        }
    )


def instance_ids(n: int, ids: Any = None) -> pa.Array:
    """The given ids, one for each of n rows, or the row numbers "0", "1", ... as text."""
    if ids is None:
        return pa.array(np.arange(n)).cast(pa.large_string())
    column = column_from_values("ids", "id", ids)
    column = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
    if len(column) != n:
        raise BadInput(f"there are {len(column)} ids for {n} rows", remedy="give an id a row")
    return column


def _function_names(matrix: Any, functions: Sequence[str] | None) -> list[str] | None:
    """The names of the functions: those given, else those of a data frame's columns."""
    if isinstance(functions, str):
        raise BadInput(
            f"functions={functions!r} is one text", remedy=f"give a list: [{functions!r}]"
        )
    if functions is None:
        functions = list(getattr(matrix, "columns", ()))
        return functions if functions and all(isinstance(f, str) for f in functions) else None
    return list(functions)


def _checked_names(names: list[str] | None, n_functions: int) -> list[str]:
    """One distinct name for each column."""
    if names is None:
        return [f"f{i}" for i in range(n_functions)]
    if len(names) != n_functions:
        raise BadInput(
            f"there are {len(names)} names for {n_functions} functions: {listed(names)}",
            remedy="name every column of the matrix",
        )
    for function in names:
        if not isinstance(function, str) or not function:
            raise BadInput(f"{function!r} cannot name a function", remedy="use texts")
        if names.count(function) > 1:
            raise DuplicateName(f"two functions are called '{function}'", remedy="rename one")
    return names


def _as_matrix(matrix: Any) -> Matrix:
    """The matrix as an array of whole numbers, or an error that says why it is none."""
    if hasattr(matrix, "toarray"):
        raise BadInput(
            "the label matrix is sparse, so that what is not stored would count as label 0",
            remedy="fill an array with -1 for abstain and the indices of the labels",
        )
    try:
        votes = np.asarray(matrix)
    except ValueError:
        votes = np.empty(0, dtype=object)
    if votes.dtype.kind not in "iuf":
        raise BadInput(
            f"the label matrix holds {_kind(votes)}, not whole numbers of two dimensions",
            remedy="give -1 for abstain and the indices of the labels, in rows of equal length",
        )
    if votes.ndim != 2 or 0 in votes.shape:
        raise BadInput(
            f"the label matrix has the shape {votes.shape}",
            remedy="give a row an item and a column a function",
        )
    if votes.dtype.kind == "f":
        whole = np.isfinite(votes) & (votes == np.round(votes))
        if not whole.all():
            row, column = np.argwhere(~whole)[0]
            raise BadInput(
                f"L[{row}, {column}] is {votes[row, column]}, not a whole number",
                remedy="give -1 where a function abstains",
            )
    return votes


def _kind(votes: Matrix) -> str:
    """What an array holds that is not numbers."""
    return {"b": "truth values", "U": "text", "c": "complex numbers"}.get(
        votes.dtype.kind, "objects"
    )


def _check_votes(votes: Matrix, labels: Sequence[str], functions: Sequence[str]) -> None:
    """Refuse votes that index no label."""
    if votes.min() >= ABSTAIN and votes.max() < len(labels):
        return
    row, column = np.argwhere((votes < ABSTAIN) | (votes >= len(labels)))[0]
    pairs = listed(f"{i} {value}" for i, value in enumerate(labels))
    raise UnknownLabel(
        f"L[{row}, {column}] is {votes[row, column]}, which indexes no label (row {row}, function "
        f"'{functions[column]}' in column {column}, counted from 0); the labels are: {pairs}",
        remedy="use the index of a label, or -1 for abstain",
    )


def _named(codes: Matrix, names: Sequence[str]) -> pa.Array:
    """The name of each code, without a Python object for each."""
    return pa.array(names, pa.large_string()).take(pa.array(codes))
