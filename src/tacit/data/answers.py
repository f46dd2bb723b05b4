"""The answers of predicates as facts: which row each one is about, and the values it gives."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
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
    if not pat.is_boolean(truths.type) and not pat.is_null(truths.type):
        raise FunctionFailed(
            f"{predicate.described} returned {truths.type} and not truth values",
            place=declared_at(predicate),
            remedy="answer True or False for each row, or declare it with values=True",
        )
    return Facts(np.flatnonzero(truths.cast(pa.bool_()).fill_null(False)))


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
    if hasattr(answers, "notna") and getattr(answers, "dtype", None) == object:
        # In pandas NaN is a missing value, which is None here.
        there = zip(answers.tolist(), answers.notna().tolist(), strict=True)
        return [answer if known else None for answer, known in there]
    if isinstance(answers, Sequence) and not isinstance(answers, (str, bytes)):
        return list(answers)
    return None


def _from_objects(predicate: Predicate, answers: list[Any], table: Table) -> Facts:
    """Facts from Python objects, one answer a row; wrong shapes are reported by row."""
    width = len(predicate.value_columns)
    failures = Failures()
    rows, values = _unrolled(answers, width, failures)
    if _any_wrong(values, width):
        wrong = np.fromiter((_is_wrong(value, width) for value in values), bool, len(values))
        bad_rows = np.unique(rows[wrong])
        for row in bad_rows.tolist():
            failures.add(row, _returned(predicate, answers[row]))
        kept = ~np.isin(rows, bad_rows)
        rows, values = rows[kept], [v for v, keep in zip(values, kept, strict=True) if keep]
    report(predicate, table, failures)
    parts = [values] if width == 1 else [[value[i] for value in values] for i in range(width)]
    names = predicate.value_columns
    pairs = zip(names, parts, strict=True)
    columns = tuple(_column(predicate, name, part, rows, table) for name, part in pairs)
    return _without_nulls(rows, columns)


def _unrolled(answers: list[Any], width: int, failures: Failures) -> tuple[Rows, list[Any]]:
    """Every single answer and its row; lists are taken apart, and None is left out of them."""
    if width == 1 and all(map(_is_one, set(map(type, answers)))):
        return np.arange(len(answers)), answers  # plain values only, the commonest case
    values: list[Any] = []
    lengths = array("q")
    for row, answer in enumerate(answers):
        before = len(values)
        if answer is None:
            pass
        elif _is_one(type(answer)) or (width > 1 and isinstance(answer, tuple)):
            values.append(answer)
        else:
            try:
                values.extend(_sorted(answer) if isinstance(answer, Set) else answer)
            except Exception as error:  # an iterator runs the user's code
                failures.add(row, f"raised {type(error).__name__}: {error}", error)
                del values[before:]
        lengths.append(len(values) - before)
    rows = np.repeat(np.arange(len(answers)), np.array(lengths, dtype=np.int64))
    if width > 1 and None in set(values[:0]) | {v for v in map(_none_only, values) if v}:
        return rows, values
    return rows, values


