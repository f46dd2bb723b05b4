"""Predicates over tables: which rows a function holds for, as a relation of their keys."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from tacit.data.columns import column_from_values
from tacit.data.predicates import WHOLE_ROW, Predicate
from tacit.data.table import Table
from tacit.errors import BadInput, FunctionFailed, Place, TacitError, TacitWarning

_TRUTHS = (bool, np.bool_, type(None))


@dataclass(slots=True)
class _Failures:
    """What went wrong over the rows so far: the first failure in full, the others counted."""

    count: int = 0
    row: int = 0
    what: str = ""
    error: Exception | None = field(default=None)

    def add(self, row: int, what: str, error: Exception | None = None) -> None:
        """Note one failing row."""
        if self.count == 0:
            self.row, self.what, self.error = row, what, error
        self.count += 1


def evaluate(predicate: Predicate, table: Table) -> Table:
    """The relation of a predicate: the distinct keys of the rows it holds for (with their values).

    A key for which it holds in any row is in the relation. Every row is tried before an error is
    raised, so that the error can say how many fail.
    """
    keys = check_columns(predicate, table)
    if predicate.vectorised:
        results = _call_whole(predicate, table)
    else:
        results = _call_rows(predicate, table)
    if results is None:  # a vectorised function failed and abstains
        results = pa.nulls(table.n_rows, pa.bool_())
    columns = {key: table.column(key) for key in keys}
    if predicate.values:
        kept = pa.table(columns | {_value_column(predicate, keys): results})
        kept = kept.filter(results.is_valid())
    else:
        kept = pa.table(columns).filter(results.fill_null(False))
    return Table(predicate.name, _distinct(kept))


def check_columns(predicate: Predicate, table: Table) -> tuple[str, ...]:
    """The key columns, after checking that every column the predicate names is there."""
    keys = predicate.keys or table.columns[:1]
    for name in (*predicate.parameters, *keys):
        if name == WHOLE_ROW and name in predicate.parameters:
            continue
        try:
            table.column(name)
        except TacitError as error:
            raise type(error)(
                f"predicate '{predicate.name}' reads '{name}', but {error.message}",
                place=_declared_at(predicate),
                remedy=error.remedy,
            ) from None
    return tuple(keys)


def _call_rows(predicate: Predicate, table: Table) -> pa.Array:
    """The function's answer for each row; failing rows are null once they are allowed to be."""
    failures = _Failures()
    answers: list[Any] = []
    for row, settings in enumerate(_arguments(predicate, table)):
        answer = None
        try:
            answer = predicate.function(**settings)
        except Exception as error:  # whatever the user's function raises is reported, not passed on
            failures.add(row, f"raised {type(error).__name__}: {error}", error)
        if not predicate.values and not isinstance(answer, _TRUTHS):
            what = f"returned {answer!r:.60} ({type(answer).__name__}), not True, False or None"
            failures.add(row, what)
            answer = None
        answers.append(answer)
    if failures.count:
        _report(predicate, table, failures)
    if not predicate.values:
        return pa.array([None if a is None else bool(a) for a in answers], pa.bool_())
    return _values(predicate, answers)


def _arguments(predicate: Predicate, table: Table) -> Iterator[dict[str, Any]]:
    """The keyword arguments of each row's call."""
    names = [name for name in predicate.parameters if name != WHOLE_ROW]
    whole = WHOLE_ROW in predicate.parameters
    for batch in table.arrow.to_batches(max_chunksize=10_000):
        columns = [batch.column(name).to_pylist() for name in names]
        rows = batch.to_pylist() if whole else [None] * batch.num_rows
        for i, row in enumerate(rows):
            settings = {name: column[i] for name, column in zip(names, columns, strict=True)}
            yield settings | {WHOLE_ROW: row} if whole else settings


def _call_whole(predicate: Predicate, table: Table) -> pa.Array | pa.ChunkedArray | None:
    """The answers of a vectorised function, checked for length and type; None if it abstains."""
    settings = {name: table.column(name) for name in predicate.parameters}
    try:
        returned = predicate.function(**settings)
    except Exception as error:  # whatever the user's function raises is reported, not passed on
        failures = _Failures()
        failures.add(-1, f"raised {type(error).__name__}: {error}", error)
        _report(predicate, table, failures)
        return None
    answers = _values(predicate, returned)
    if len(answers) != table.n_rows:
        raise FunctionFailed(
            f"predicate '{predicate.name}' returned {len(answers)} results "
            f"for the {table.n_rows} rows of {table.described}",
            place=_declared_at(predicate),
            remedy="a vectorised predicate answers one result for each row, in row order",
        )
    if predicate.values or pat.is_boolean(answers.type):
        return answers
    if pat.is_null(answers.type):
        return answers.cast(pa.bool_())
    raise FunctionFailed(
        f"predicate '{predicate.name}' returned {answers.type} and not truth values",
        place=_declared_at(predicate),
        remedy="answer True or False for each row, or declare it with values=True",
    )


def _values(predicate: Predicate, answers: Any) -> pa.Array | pa.ChunkedArray:
    """A function's answers as one Arrow column."""
    try:
        column = column_from_values(predicate.name, "value", answers)
        return pa.concat_arrays(column.chunks) if _chunked(column) else column
    except BadInput as error:
        raise FunctionFailed(
            f"the answers of predicate '{predicate.name}' cannot be kept: {error.message}",
            place=_declared_at(predicate),
            remedy=error.remedy,
        ) from error


def _chunked(column: Any) -> bool:
    """Whether the column comes in several pieces that can be joined."""
    return isinstance(column, pa.ChunkedArray) and column.num_chunks > 0


def _report(predicate: Predicate, table: Table, failures: _Failures) -> None:
    """Raise, or warn where the predicate abstains on errors."""
    message = f"predicate '{predicate.name}' {failures.what}"
    if failures.row >= 0:
        keys = predicate.keys or table.columns[:1]
        first = ", ".join(f"{key} {table.column(key)[failures.row].as_py()!r}" for key in keys)
        message += f"; first at {first} (row {failures.row + 1} of {table.described})"
        message += f"; {failures.count} of {table.n_rows} rows fail"
    if predicate.on_error == "abstain":
        warnings.warn(f"{message}; they are left out", TacitWarning, stacklevel=2)
        return
    raise FunctionFailed(
        message,
        place=_raised_at(predicate, failures.error),
        remedy='mend the function, or declare it with on_error="abstain" to leave such rows out',
    ) from failures.error


def _declared_at(predicate: Predicate) -> Place | None:
    """Where the function is written, if that is known."""
    code = getattr(inspect.unwrap(predicate.function), "__code__", None)
    return Place(code.co_filename, code.co_firstlineno) if code else None


def _raised_at(predicate: Predicate, error: Exception | None) -> Place | None:
    """The line of the function's own file in which it raised, else where it is declared."""
    declared = _declared_at(predicate)
    trace: TracebackType | None = error.__traceback__ if error else None
    place = declared
    while trace is not None and declared is not None:
        if trace.tb_frame.f_code.co_filename == declared.source:
            place = Place(declared.source, trace.tb_lineno)
        trace = trace.tb_next
    return place


def _value_column(predicate: Predicate, keys: tuple[str, ...]) -> str:
    """What the column of values is called."""
    return "value" if "value" not in keys else predicate.name


def _distinct(rows: pa.Table) -> pa.Table:
    """Each row once, in order of first occurrence: a relation is a set."""
    if rows.num_rows == 0:
        return rows
    return rows.group_by(rows.column_names, use_threads=False).aggregate([])
