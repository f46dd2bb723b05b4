"""The instances of a table: their ids in row order, checked to be there and distinct."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tacit.data.canonical import ColumnKind
from tacit.data.table import Table
from tacit.errors import BadInput, DuplicateIds, EmptyTable, did_you_mean, listed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Instances:
    """The ids of a table's rows, and where each of them stands."""

    table: str
    ids: pa.Array
    _rows: dict[Any, int] = field(init=False)  # id -> row, filled when first asked

    def __post_init__(self) -> None:
        """Start without the look-up."""
        object.__setattr__(self, "_rows", {})

    def __len__(self) -> int:
        """How many instances there are."""
        return len(self.ids)

    def __repr__(self) -> str:
        """The table and its first ids."""
        return (
            f"Instances({self.table!r}, {len(self)} ids: {listed(self.ids[:4].to_pylist())}, ...)"
        )

    def index_of(self, instance: object) -> int:
        """The row, counted from 0, of the instance with this id."""
        if not self._rows:
            self._rows.update((key, row) for row, key in enumerate(self.ids.to_pylist()))
        try:
            return self._rows[instance]
        except (KeyError, TypeError):
            raise BadInput(
                f"table '{self.table}' has no instance {instance!r}",
                remedy=did_you_mean(str(instance), map(str, self._rows))
                or f"its ids begin with {listed(self._rows, most=4)}",
            ) from None

    def indices_of(self, instances: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The rows of many ids at once; -1 for an id that is not there."""
        import pyarrow.compute as pc

        if not isinstance(instances, (pa.Array, pa.ChunkedArray)):
            instances = pa.array(_as_list(instances), self.ids.type)
        rows = pc.fill_null(pc.index_in(instances.cast(self.ids.type), value_set=self.ids), -1)
        return np.asarray(rows, dtype=np.int64)


def instances_of(table: Table, text_column: str | None = None) -> Instances:
    """The instances of a table, whose first column must hold distinct ids and no null."""
    name = table.columns[0]
    if table.n_rows == 0:
        raise EmptyTable(f"{table.described} has no rows", remedy="give it at least one instance")
    if table.kinds[name] is ColumnKind.OTHER:
        raise BadInput(
            f"column '{name}' of {table.described} holds {table.column(name).type}, not ids",
            remedy="put a column of text or integers first",
        )
    ids = table.column(name).combine_chunks()
    ids = ids if isinstance(ids, pa.Array) else pa.concat_arrays(ids.chunks)
    remedy = f"the first column, '{name}', must name each row once: remove or rename the others"
    if name == text_column:
        remedy = f"'{name}' is the first column and so holds the ids: put an id column before it"
    if ids.null_count:
        row = ids.is_null().to_pylist().index(True) + 1
        raise DuplicateIds(f"row {row} of {table.described} has no {name}", remedy=remedy)
    if len(ids.unique()) < len(ids):
        raise DuplicateIds(f"{table.described} has {_first_repeats(ids)}", remedy=remedy)
    return Instances(table.name, ids)


def _first_repeats(ids: pa.Array, most: int = 3) -> str:
    """The first ids that occur again, each with both its rows, counted from 1."""
    first: dict[Any, int] = {}
    repeats: dict[Any, tuple[int, int]] = {}
    for row, key in enumerate(ids.to_pylist(), start=1):
        if first.setdefault(key, row) != row:
            repeats.setdefault(key, (first[key], row))
    shown = (f"{key!r:.60} in rows {a} and {b}" for key, (a, b) in repeats.items())
    return "the id " + listed(shown, most=most)


def _as_list(values: Iterable[Any]) -> list[Any]:
    """Ids from any sequence, NumPy scalars as plain Python."""
    return values.tolist() if hasattr(values, "tolist") else list(values)
