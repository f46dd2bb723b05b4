"""Predicates over tables: which rows a function holds for, as a relation of their keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from tacit.data.canonical import ColumnKind
from tacit.data.failures import Failures, declared_at, report
from tacit.data.predicates import WHOLE_ROW, Predicate
from tacit.data.table import Table
from tacit.errors import BadInput, TacitError

Codes = np.ndarray[Any, np.dtype[np.int64]]

_BATCH = 10_000  # rows that are Python objects at one time


def evaluate(predicate: Predicate, table: Table) -> Table:
    """The relation of a predicate: the distinct keys of the rows it holds for (with their values).

    A key for which it holds in any row is in the relation, which may be empty. Every row is tried
    before an error is raised, so that the error can say how many fail.
    """
    keys = check_columns(predicate, table)
    call = _call_whole if predicate.vectorised else _call_rows
    facts = predicate.facts(call(predicate, table), table)
    at = pa.array(facts.rows)
    columns = {key: table.column(key).take(at) for key in keys}
    names = _free_names(predicate.value_columns, keys)
    columns |= dict(zip(names, facts.columns, strict=True))
    return Table(predicate.name, _distinct(pa.table(columns)))


def check_columns(predicate: Predicate, table: Table) -> tuple[str, ...]:
    """The key columns, after checking that every column the predicate names is there."""
    keys = predicate.keys or table.columns[:1]
    for name in (*predicate.parameters, *keys):
        if name == WHOLE_ROW and name in predicate.parameters and not predicate.vectorised:
            continue
        try:
            table.column(name)
        except TacitError as error:
            raise type(error)(
                f"{predicate.described} reads '{name}', but {error.message}",
                place=declared_at(predicate),
                remedy=error.remedy,
            ) from None
    for name in keys:
        if pat.is_nested(table.column(name).type):
            raise BadInput(
                f"column '{name}' of {table.described}, a key of {predicate.described}, "
                f"holds {table.column(name).type}, not plain values",
                place=declared_at(predicate),
                remedy="name other columns with keys=...",
            )
    for name in predicate.parameters if predicate.only_text else ():
        if table.kinds[name] is not ColumnKind.TEXT:
            raise BadInput(
                f"{predicate.described} reads column '{name}' of {table.described}, "
                f"which holds {table.kinds[name]}, not text",
                remedy=f"name a text column, such as column='{table.name}.text'",
            )
    return tuple(keys)


def _call_rows(predicate: Predicate, table: Table) -> list[Any]:
    """The function's answer for each row; rows that fail are None once they are allowed to."""
    failures = Failures()
    answers: list[Any] = []
    for row, settings in enumerate(_arguments(predicate, table)):
        answer = None
        try:
            answer = predicate.function(**settings)
            if predicate.values and isinstance(answer, Iterator):
                answer = list(answer)  # a generator raises only when it is run
        except Exception as error:  # whatever the user's function raises is reported, not passed on
            failures.add(row, f"raised {type(error).__name__}: {error}", error)
            answer = None
        answers.append(answer)
    report(predicate, table, failures)
    return answers


def _arguments(predicate: Predicate, table: Table) -> Iterator[dict[str, Any]]:
    """The keyword arguments of each row's call."""
    names = [name for name in predicate.parameters if name != WHOLE_ROW]
    whole = WHOLE_ROW in predicate.parameters
    for batch in table.arrow.to_batches(max_chunksize=_BATCH):
        columns = [batch.column(name).to_pylist() for name in names]
        rows = batch.to_pylist() if whole else [None] * batch.num_rows
        for i, row in enumerate(rows):
            settings = {name: column[i] for name, column in zip(names, columns, strict=True)}
            yield settings | {WHOLE_ROW: row} if whole else settings


def _call_whole(predicate: Predicate, table: Table) -> Any:
    """The answers of a vectorised function; None for every row if it raises and may abstain."""
    settings = {name: table.column(name) for name in predicate.parameters}
    try:
        return predicate.function(**settings)
    except Exception as error:  # whatever the user's function raises is reported, not passed on
        failures = Failures()
        failures.add(-1, f"raised {type(error).__name__}: {error}", error)
        report(predicate, table, failures)
        return [None] * table.n_rows


def _free_names(wanted: tuple[str, ...], taken: tuple[str, ...]) -> list[str]:
    """The names of the value columns, numbered where a key is called so: value, else value2, ..."""
    names = list(taken)
    for name in wanted:
        candidates = (name if n == 1 else f"{name}{n}" for n in count(1))
        names.append(next(free for free in candidates if free not in names))
    return names[len(taken) :]


def _distinct(rows: pa.Table) -> pa.Table:
    """Each row once, in order of first occurrence: a relation is a set.

    Arrow's group_by keeps no order over more than a few rows, and takes several times as long.
    """
    codes: Codes = np.zeros(rows.num_rows, np.int64)
    n_codes = 1
    for column in rows.columns:
        next_codes, n_next = _dense(column)
        if n_codes * n_next > np.iinfo(np.int64).max:
            codes, n_codes = _dense(pa.chunked_array([codes]))
        codes, n_codes = codes * n_next + next_codes, n_codes * n_next
    codes, n_codes = _dense(pa.chunked_array([codes]))
    if n_codes == rows.num_rows:
        return rows
    # Codes are given out in order, so that a row is new where the highest code so far rises.
    return rows.take(np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1)))


def _dense(column: pa.ChunkedArray) -> tuple[Codes, int]:
    """Codes 0, 1, ... for the values in order of first occurrence, and how many there are."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return encoded.indices.to_numpy().astype(np.int64), max(len(encoded.dictionary), 1)
