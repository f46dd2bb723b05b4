"""A named table: Arrow columns in canonical types, checked at birth and never changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from tacit.data.canonical import ColumnKind, canonical_column, kind_of
from tacit.data.fingerprint import table_digest
from tacit.errors import BadInput, UnknownColumn, did_you_mean, listed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """Named columns of equal length; equal to any other table with the same name and values.

    Text is kept as large_string, integers as int64, numbers as float64, truth values as bool; dates
    and times become ISO text; lists and structs stay what they are. Nulls are kept.
    """

    name: str
    arrow: pa.Table
    source: str | None = None  # the file it came from

    def __post_init__(self) -> None:
        """Check the names and bring every column into its canonical type."""
        names = self.arrow.column_names
        _check_names(self.described, names)
        columns = [self._canonical(name, self.arrow.column(i)) for i, name in enumerate(names)]
        object.__setattr__(self, "arrow", pa.Table.from_arrays(columns, names=names))

    @property
    def described(self) -> str:
        """The table as error messages call it: its name and, where there is one, its file."""
        return f"table '{self.name}'" + (f" ({self.source})" if self.source else "")

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names in order; the first column holds the ids."""
        return tuple(self.arrow.column_names)

    @property
    def kinds(self) -> dict[str, ColumnKind]:
        """What each column holds."""
        return {field.name: kind_of(field.type) for field in self.arrow.schema}

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.arrow.num_rows)

    def column(self, name: str) -> pa.ChunkedArray:
        """The values of one column, in row order."""
        if name not in self.columns:
            raise UnknownColumn(
                f"{self.described} has no column '{name}'; it has: {listed(self.columns)}",
                remedy=did_you_mean(name, self.columns),
            )
        return self.arrow.column(name)

    def __eq__(self, other: object) -> bool:
        """Whether name, columns and values are the same; the file does not matter."""
        if not isinstance(other, Table):
            return NotImplemented
        # By digest and not by Arrow's equality, for which NaN differs from itself.
        return self.name == other.name and table_digest(self.arrow) == table_digest(other.arrow)

    def __hash__(self) -> int:
        """A hash that equal tables share."""
        return hash((self.name, self.columns, self.n_rows))

    def __repr__(self) -> str:
        """Name, size and columns in one line."""
        columns = ", ".join(f"{name} {kind}" for name, kind in self.kinds.items())
        return f"Table({self.name!r}, {self.n_rows} rows: {columns})"

    def _canonical(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """One column in its canonical type, or an error that names it."""
        try:
            return canonical_column(column)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise BadInput(
                f"column '{name}' of {self.described} cannot be kept as {column.type}: {error}",
                remedy="turn the column into text first",
            ) from error


def _check_names(described: str, names: list[str]) -> None:
    """Refuse a table without columns, or with a column name that is empty or occurs twice."""
    if not names:
        raise BadInput(f"{described} has no columns", remedy="give at least an id column")
    if blank := [i for i, name in enumerate(names) if not name.strip()]:
        raise BadInput(f"column {blank[0] + 1} of {described} has no name", remedy="name it")
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise BadInput(
            f"{described} has more than one column called {listed(map(repr, twice))}",
            remedy="rename one of them",
        )
