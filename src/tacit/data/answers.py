"""The answers of predicates as facts: which row each one is about, and the values it gives."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from tacit.data.canonical import canonical_column
from tacit.data.columns import column_from_values
from tacit.data.failures import Failures, declared_at, report, row_named
from tacit.data.table import Table
from tacit.errors import BadInput, FunctionFailed

if TYPE_CHECKING:
    from tacit.data.predicates import Predicate

Rows = np.ndarray[Any, np.dtype[np.int64]]

_TRUTHS = (bool, np.bool_, type(None))


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that a predicate states: for each the row that it is about, and its values."""

    rows: Rows  # (facts,), never falling
    columns: tuple[pa.Array, ...] = ()  # the values, one column for each that it declares


def read_truths(predicate: Predicate, answers: Any, table: Table) -> Facts:
    """The rows for which a predicate answers True."""
    if isinstance(answers, list) and not predicate.vectorised:
        failures = Failures()
        for row, answer in enumerate(answers):
            if not isinstance(answer, _TRUTHS):
                failures.add(row, _returned(predicate, answer))
                answers[row] = None
        report(predicate, table, failures)
        return Facts(np.flatnonzero(np.array(answers, dtype=object).astype(bool)))
    truths = _loaded(predicate, answers)
    _check_length(predicate, truths, table)
    if truths.null_count == len(truths):  # whatever the type of so many nulls
        return Facts(np.arange(0))
    if not pat.is_boolean(truths.type):
        raise FunctionFailed(
            f"{predicate.described} returned {truths.type} and not truth values",
            place=declared_at(predicate),
            remedy="answer True or False for each row, or declare it with values=True",
        )
    return Facts(np.flatnonzero(truths.fill_null(False)))


def read_values(predicate: Predicate, answers: Any, table: Table) -> Facts:
    """What a predicate answers for each row: nothing, a value, or a list of them.

    With several value columns, a tuple stands where a plain value stands with one. Arrow columns
    may hold lists, and structs for tuples.
    """
    objects = _as_objects(answers)
    if objects is None:
        column = _loaded(predicate, answers)
        _check_length(predicate, column, table)
        return _from_arrow(predicate, column, table)
    _check_length(predicate, objects, table)
    return _from_objects(predicate, objects, table)


def _as_objects(answers: Any) -> list[Any] | None:
    """Answers that are Python objects as a list; None for columns of plain values."""
    if isinstance(answers, list):
        return answers
    if isinstance(answers, np.ndarray):
        return answers.tolist() if answers.dtype == object or answers.ndim > 1 else None
    if hasattr(answers, "notna") and str(answers.dtype) == "object":
        # In pandas NaN is a missing value, which is None here.
        there = zip(answers.tolist(), answers.notna().tolist(), strict=True)
        return [answer if known else None for answer, known in there]
    if isinstance(answers, Sequence) and not isinstance(answers, (str, bytes)):
        return list(answers)
    return None


def _from_objects(predicate: Predicate, answers: list[Any], table: Table) -> Facts:
    """Facts from Python objects, one answer a row; wrong shapes are reported with their row."""
    names = predicate.value_columns
    failures = Failures()
    rows, values = _taken_apart(answers, len(names), failures)
    if _any_wrong(values, len(names)):
        wrong = np.fromiter((_is_wrong(v, len(names)) for v in values), bool, len(values))
        wrong_rows = np.unique(rows[wrong])
        for row in wrong_rows.tolist():
            failures.add(row, _returned(predicate, answers[row]))
        good = np.flatnonzero(~np.isin(rows, wrong_rows))
        rows, values = rows[good], [values[i] for i in good.tolist()]
    report(predicate, table, failures)
    if len(names) == 1:
        return _there(rows, _column(predicate, names[0], values, rows, table))
    parts = ([value[i] for value in values] for i in range(len(names)))
    pairs = zip(names, parts, strict=True)
    return Facts(rows, tuple(_column(predicate, name, p, rows, table) for name, p in pairs))


def _taken_apart(answers: list[Any], width: int, failures: Failures) -> tuple[Rows, list[Any]]:
    """Every single answer, and the row of each; one column may still hold None."""
    kinds = set(map(type, answers))
    single = {kind for kind in kinds if _is_one(kind) or (width > 1 and issubclass(kind, tuple))}
    if single == kinds and (width == 1 or type(None) not in kinds):
        return np.arange(len(answers)), answers  # the commonest case needs no loop
    values: list[Any] = []
    lengths = array("q")
    for row, answer in enumerate(answers):
        before = len(values)
        if answer is None:
            pass
        elif type(answer) in single:
            values.append(answer)
        else:
            try:
                values.extend(_in_order(answer) if isinstance(answer, Set) else answer)
            except Exception as error:  # an iterator may run the user's code
                failures.add(row, f"raised {type(error).__name__}: {error}", error)
                del values[before:]
        lengths.append(len(values) - before)
    rows = np.repeat(np.arange(len(answers)), np.array(lengths, dtype=np.int64))
    if width == 1 or type(None) not in set(map(type, values)):
        return rows, values  # one column leaves its nulls out later
    there = [i for i, value in enumerate(values) if value is not None]
    return rows[there], [values[i] for i in there]


def _is_one(kind: type) -> bool:
    """Whether a value of this type is a single answer, and not several; a dict is one, if wrong."""
    return issubclass(kind, (str, bytes, Mapping)) or not issubclass(kind, Iterable)


def _in_order(answer: Set[Any]) -> list[Any]:
    """The members of a set in an order that is the same in every process."""
    try:
        return sorted(answer)
    except TypeError:
        return sorted(answer, key=lambda value: (type(value).__name__, repr(value)))


def _any_wrong(values: list[Any], width: int) -> bool:
    """Whether any single answer has the wrong shape: one pass over types, without a Python loop."""
    kinds = set(map(type, values))
    if width == 1:
        return any(map(_is_wrong_kind, kinds))
    if not all(issubclass(kind, tuple) for kind in kinds) or set(map(len, values)) - {width}:
        return True
    return any(map(_is_wrong_kind, set(map(type, chain.from_iterable(values)))))


def _is_wrong(value: Any, width: int) -> bool:
    """Whether a single answer is no plain value or, for several columns, no fitting tuple."""
    if width == 1:
        return _is_wrong_kind(type(value))
    fits = isinstance(value, tuple) and len(value) == width
    return not fits or any(_is_wrong_kind(type(part)) for part in value)


def _is_wrong_kind(kind: type) -> bool:
    """Whether values of this type are not plain."""
    return issubclass(kind, Mapping) or not _is_one(kind)


def _column(
    predicate: Predicate, name: str, values: list[Any], rows: Rows, table: Table
) -> pa.Array:
    """Plain values as a column; values of several kinds are refused with the rows they are at."""
    try:
        return _joined(column_from_values(predicate.name, name, values))
    except (BadInput, pa.ArrowException) as error:
        what = getattr(error, "message", str(error))
        raise FunctionFailed(
            f"the answers of {predicate.described} cannot be kept: "
            f"{_mixed(predicate, name, values, rows, table) or what}",
            place=declared_at(predicate),
            remedy="answer values of one kind, for example text with str()",
        ) from error


def _mixed(
    predicate: Predicate, name: str, values: list[Any], rows: Rows, table: Table
) -> str | None:
    """The first two values of different kinds, in words."""
    first: tuple[str, str] | None = None
    for row, value in zip(rows.tolist(), values, strict=True):
        if value is None:
            continue
        shown = f"{type(value).__name__} ({value!r:.40} at {row_named(predicate, table, row)})"
        if first is None:
            first = (_kind(value), shown)
        elif _kind(value) != first[0]:
            return f"column '{name}' mixes {first[1]} and {shown}"
    return None


def _kind(value: object) -> str:
    """What is kept in one column: all numbers are alike, truth values are none."""
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    return "number" if isinstance(value, Real) else type(value).__name__


def _from_arrow(predicate: Predicate, column: pa.Array, table: Table) -> Facts:
    """Facts from an Arrow column: plain values or structs, or lists of either."""
    import pyarrow.compute as pc

    names = predicate.value_columns
    rows, values = np.arange(len(column)), column
    if pat.is_large_list(column.type):
        rows, values = np.asarray(pc.list_parent_indices(column)), pc.list_flatten(column)
    tuples = pat.is_struct(values.type) and values.type.num_fields == len(names) > 1
    if not tuples and (pat.is_nested(values.type) or len(names) > 1):
        (there,) = np.nonzero(column.is_valid())
        first = int(there[0]) if len(there) else 0
        returned = _returned(predicate, column[first].as_py())
        report(predicate, table, Failures(len(there), first, returned))
        return Facts(rows[:0], tuple(pa.nulls(0) for _ in names))
    if not tuples:
        return _there(rows, values)
    valid = values.is_valid()
    return Facts(rows[np.asarray(valid)], tuple(part.filter(valid) for part in values.flatten()))


def _loaded(predicate: Predicate, answers: Any) -> pa.Array:
    """The answers of a vectorised function as one Arrow column of a canonical type."""
    try:
        return _joined(column_from_values(predicate.name, "value", answers))
    except (BadInput, pa.ArrowException) as error:
        raise FunctionFailed(
            f"the answers of {predicate.described} cannot be kept: "
            f"{getattr(error, 'message', error)}",
            place=declared_at(predicate),
            remedy=getattr(error, "remedy", None),
        ) from error


def _joined(column: Any) -> pa.Array:
    """The column in its canonical type and in one piece."""
    whole = canonical_column(column)
    return whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)


def _there(rows: Rows, values: pa.Array) -> Facts:
    """The values that are not null, each with its row."""
    if values.null_count == 0:
        return Facts(rows, (values,))
    valid = values.is_valid()
    return Facts(rows[np.asarray(valid)], (values.filter(valid),))


def _check_length(predicate: Predicate, answers: Any, table: Table) -> None:
    """Refuse more or fewer answers than rows."""
    if len(answers) != table.n_rows:
        raise FunctionFailed(
            f"{predicate.described} returned {len(answers)} results "
            f"for the {table.n_rows} rows of {table.described}",
            place=declared_at(predicate),
            remedy=f"a vectorised {predicate.what} answers one result for each row, in row order",
        )


def _returned(predicate: Predicate, answer: object) -> str:
    """What a function returned, and what it should."""
    return f"returned {answer!r:.60} ({type(answer).__name__}), not {predicate.wanted}"
