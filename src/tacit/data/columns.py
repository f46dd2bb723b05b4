"""Arrow columns from plain Python and NumPy: rows as dicts or tuples, columns as lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.errors import BadInput, EmptyTable, listed

SINGLE_COLUMN = "id"  # the column of a table given as one bare sequence of values


def table_from_mapping(name: str, columns: Mapping[Any, Any]) -> pa.Table:
    """A table from {column name: values}; all columns must be equally long."""
    names = [column_name(name, key) for key in columns]
    arrays = [column_from_values(name, key, values) for key, values in columns.items()]
    if len({len(array) for array in arrays}) > 1:
        pairs = zip(names, arrays, strict=True)
        shown = listed(f"{column} {len(array)}" for column, array in pairs)
        raise BadInput(
            f"the columns of table '{name}' differ in length: {shown}",
            remedy="give every column one value for each row; None where there is none",
        )
    return pa.Table.from_arrays(arrays, names=names)


def table_from_rows(name: str, rows: Sequence[Any]) -> pa.Table:
    """A table from a list of dicts, of tuples (columns c0, c1, ...) or of values (column id)."""
    if not rows:
        raise EmptyTable(f"table '{name}' has no rows", remedy="give it at least one row")
    if isinstance(rows[0], Mapping):
        return _from_dicts(name, rows)
    if isinstance(rows[0], (tuple, list)) or _is_array(rows[0]):
        return _from_tuples(name, rows)
    return table_from_mapping(name, {SINGLE_COLUMN: rows})


def table_from_numpy(name: str, array: np.ndarray[Any, Any]) -> pa.Table:
    """A table from an array: 1-D is a column id, 2-D has columns c0, c1, ..., fields keep names."""
    if array.dtype.names:
        return table_from_mapping(name, {field: array[field] for field in array.dtype.names})
    if array.ndim == 1:
        return table_from_mapping(name, {SINGLE_COLUMN: array})
    if array.ndim == 2:
        return table_from_mapping(name, {f"c{i}": array[:, i] for i in range(array.shape[1])})
    raise BadInput(
        f"table '{name}' is an array of {array.ndim} dimensions",
        remedy="give a 2-D array (rows, columns), or a dict of columns",
    )


def column_name(table: str, key: Any) -> str:
    """A column's name as text; the whole numbers that pandas gives by itself become c0, c1, ..."""
    if isinstance(key, str):
        return key
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        return f"c{key}"
    raise BadInput(
        f"table '{table}' has a column called {key!r}, which is not text",
        remedy="rename the column",
    )


def column_from_values(table: str, column: object, values: Any) -> pa.Array | pa.ChunkedArray:
    """One column from a list, an array or a series; values of different types are refused."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    if isinstance(values, np.ndarray) and values.ndim > 1:
        values = values.tolist()  # each row of the array is one cell: a list
    if hasattr(values, "__arrow_c_stream__") and not _is_pandas(values):
        return pa.chunked_array(values)
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__"):
        raise BadInput(
            f"column '{column}' of table '{table}' is one {type(values).__name__}, not many values",
            remedy="give a list, with one value for each row",
        )
    return _array(table, column, _own(values))


def _own(values: Any) -> Any:
    """The values in memory of their own: Arrow would share an array that may still change."""
    if isinstance(values, np.ndarray) or _is_pandas(values):
        return values.copy()
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _array(table: str, column: object, values: Any) -> pa.Array | pa.ChunkedArray:
    """The values as Arrow infers them; NaN among other things than numbers counts as missing."""
    try:
        return pa.array(values, from_pandas=_is_pandas(values))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        pass
    except (OverflowError, UnicodeEncodeError) as error:
        raise _unfit(table, column, values, error) from error
    try:
        return pa.array(values, from_pandas=True)
    except (ValueError, TypeError, OverflowError, NotImplementedError) as error:
        raise _unfit(table, column, values, error) from error


def _unfit(table: str, column: object, values: Any, error: Exception) -> BadInput:
    """The error for values that fit no one type: it names the first two rows that disagree."""
    first: tuple[int, str] | None = None
    where = f"column '{column}' of table '{table}'"
    for row, value in enumerate(values, start=1):
        if value is None:
            continue
        kind = type(value).__name__
        if first is None:
            first = (row, kind)
        elif kind != first[1]:
            return BadInput(
                f"{where} mixes {first[1]} (row {first[0]}) and {kind} (row {row}: {value!r:.60})",
                remedy="turn the whole column into one type, for example text with str()",
            )
    return BadInput(
        f"{where} cannot be kept: {error}", remedy="turn its values into text with str()"
    )


def _from_dicts(name: str, rows: Sequence[Any]) -> pa.Table:
    """A table from dicts: the union of their keys in first-seen order, absent keys as nulls."""
    _check_alike(name, rows, Mapping, "a dict")
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return table_from_mapping(name, {key: [row.get(key) for row in rows] for key in keys})


def _from_tuples(name: str, rows: Sequence[Any]) -> pa.Table:
    """A table from tuples of one length; named tuples lend their field names."""
    _check_alike(name, rows, (tuple, list, np.ndarray), "a tuple")
    width = len(rows[0])
    for i, row in enumerate(rows, start=1):
        if len(row) != width:
            raise BadInput(
                f"row {i} of table '{name}' has {len(row)} values and row 1 has {width}",
                remedy="give every row the same number of values; None where there is none",
            )
    names = getattr(rows[0], "_fields", [f"c{i}" for i in range(width)])
    return table_from_mapping(name, dict(zip(names, zip(*rows, strict=True), strict=True)))


def _check_alike(name: str, rows: Sequence[Any], wanted: Any, called: str) -> None:
    """Refuse a list in which one row is of another kind than the first."""
    for i, row in enumerate(rows, start=1):
        if not isinstance(row, wanted):
            raise BadInput(
                f"row {i} of table '{name}' is {type(row).__name__}, but row 1 is {called}",
                remedy="give all rows as dicts, or all as tuples",
            )


def _is_array(value: object) -> bool:
    """Whether a row is itself an array."""
    return isinstance(value, np.ndarray) and value.ndim == 1


def _is_pandas(value: object) -> bool:
    """Whether pandas made the value; there NaN means missing."""
    return type(value).__module__.partition(".")[0] == "pandas"
