"""`as_table`: one Table from whatever people keep their data in."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.data.columns import (
    SINGLE_COLUMN,
    column_from_values,
    column_name,
    table_from_mapping,
    table_from_numpy,
    table_from_rows,
)
from tacit.data.read import read_file
from tacit.data.table import Table
from tacit.errors import BadInput, EmptyTable, TacitError

ACCEPTED = (
    "a pandas or Polars frame, an Arrow table, a DuckDB relation, a Hugging Face Dataset, "
    "a list of dicts or tuples, a dict of columns, a NumPy array, or the path of a "
    ".csv, .tsv, .jsonl, .json or .parquet file"
)

_EXACT_INTEGERS = 2.0**53  # beyond this a float64 no longer tells neighbouring integers apart


def as_table(name: str, source: Any) -> Table:
    """The data as a Table of this name; a table without rows or without any value is refused.

    Of a pandas frame, index levels that have a name become the first columns; an unnamed index is
    left out. A pandas column of floats that are all whole, some missing, is read as integers, since
    that is how pandas keeps integers with gaps.
    """
    if isinstance(source, Table):
        return _with_values(Table(name, source.arrow, source.source))
    if isinstance(source, (str, PathLike)):
        return _with_values(_from_file(name, source))
    return _with_values(Table(name, _arrow_from(name, source)))


def _from_file(name: str, path: str | PathLike[str]) -> Table:
    """The table in a file; errors in its content name the file."""
    shown = str(path)
    try:
        return Table(name, read_file(name, path), shown)
    except BadInput as error:
        if shown in error.message:
            raise
        raise BadInput(f"{shown}: {error.message}", remedy=error.remedy) from error


def _arrow_from(name: str, source: Any) -> pa.Table:
    """An Arrow table from data in memory, of whichever library."""
    library = type(source).__module__.partition(".")[0]
    if library == "datasets":
        return _from_datasets(name, source)
    if library == "polars" and hasattr(source, "collect"):
        source = source.collect()
    if library == "pandas":
        return _from_pandas(name, source)
    if isinstance(source, (pa.Table, pa.RecordBatch)) or hasattr(source, "__arrow_c_stream__"):
        return _from_arrow(name, source)
    if isinstance(source, pa.Array):
        return pa.table({SINGLE_COLUMN: source})
    if isinstance(source, np.ndarray):
        return table_from_numpy(name, source)
    if isinstance(source, Mapping):
        return table_from_mapping(name, source)
    if isinstance(source, (list, tuple)):
        return table_from_rows(name, source)
    raise _unknown_kind(name, source)


def _from_arrow(name: str, source: Any) -> pa.Table:
    """A table from anything that speaks Arrow's C stream; one column where it is a series."""
    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if isinstance(source, (pa.Table, pa.ChunkedArray)):
        return source if isinstance(source, pa.Table) else pa.table({SINGLE_COLUMN: source})
    if hasattr(source, "columns") or hasattr(source, "schema"):
        return pa.table(source)
    label = getattr(source, "name", None) or SINGLE_COLUMN
    return pa.table({column_name(name, label): pa.chunked_array(source)})


def _from_pandas(name: str, source: Any) -> pa.Table:
    """A table from a pandas frame or series, with the named levels of its index in front."""
    if not hasattr(source, "columns"):
        if not hasattr(source, "to_frame"):
            raise _unknown_kind(name, source)
        source = source.to_frame(SINGLE_COLUMN if source.name is None else source.name)
    levels = {i: label for i, label in enumerate(source.index.names) if label is not None}
    keys = [source.index.get_level_values(i).to_series() for i in levels]
    series = keys + [source.iloc[:, i] for i in range(source.shape[1])]
    labels = [*levels.values(), *source.columns]
    names = [column_name(name, label) for label in labels]
    arrays = [
        _pandas_column(name, label, values) for label, values in zip(labels, series, strict=True)
    ]
    return pa.Table.from_arrays(arrays, names=names)


def _pandas_column(name: str, label: Any, values: Any) -> Any:
    """One pandas column; whole floats with gaps are the integers they once were."""
    column = column_from_values(name, label, values)
    if not (isinstance(values.dtype, np.dtype) and values.dtype.kind == "f" and column.null_count):
        return column
    numbers = np.asarray(column.drop_null(), dtype=np.float64)
    whole = (np.abs(numbers) <= _EXACT_INTEGERS) & (numbers == np.floor(numbers))
    return column.cast(pa.int64()) if len(numbers) and whole.all() else column


def _from_datasets(name: str, source: Any) -> pa.Table:
    """A table from a Hugging Face Dataset; a dictionary of splits or a stream is refused."""
    if isinstance(source, Mapping):
        splits = ", ".join(map(repr, source))
        raise BadInput(
            f"table '{name}' is a {type(source).__name__} with the splits {splits}",
            remedy=f"pick a split, for example dataset[{next(iter(source), 'train')!r}]",
        )
    if not hasattr(source, "with_format") or not hasattr(source, "__len__"):
        raise BadInput(
            f"table '{name}' is a {type(source).__name__}, which has no fixed length",
            remedy="take what you need of it into a list of dicts first",
        )
    return source.with_format("arrow")[:]


def _with_values(table: Table) -> Table:
    """The table itself, unless it has no rows or nothing but nulls."""
    if table.n_rows == 0:
        raise EmptyTable(f"{table.described} has no rows", remedy="leave it out, or give it rows")
    if all(column.null_count == table.n_rows for column in table.arrow.columns):
        raise EmptyTable(
            f"{table.described} has {table.n_rows} rows and not one value",
            remedy="leave it out, or fill it",
        )
    return table


def _unknown_kind(name: str, source: Any) -> TacitError:
    """The error for data of a kind that is not accepted, with a hint for the commonest."""
    kind = type(source)
    hint = f"give {ACCEPTED}"
    if isinstance(source, (set, frozenset)):
        hint = "a set has no order: give sorted(...) of it"
    elif hasattr(source, "__next__") or isinstance(source, (range, map, filter, zip)):
        hint = "give list(...) of it"
    elif callable(source):
        hint = "a function is declared with @tacit.predicate and given as predicates=[...]"
    return BadInput(f"table '{name}' is of a kind not accepted: {kind.__qualname__}", remedy=hint)
