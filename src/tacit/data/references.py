"""References to columns, written "table.column": what the predictor reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacit.data.table import Table
from tacit.errors import BadInput, DuplicateName, UnknownTable, did_you_mean, listed


@dataclass(frozen=True, slots=True)
class TextReference:
    """One column of one table."""

    table: str
    column: str

    def __str__(self) -> str:
        """The reference as it is written."""
        return f"{self.table}.{self.column}"


def text_references(
    text: str | Sequence[str] | None, tables: Mapping[str, Table]
) -> tuple[TextReference, ...]:
    """The columns named by `text`, checked to be there; one for each table at most."""
    written = [text] if isinstance(text, str) else list(text or ())
    references = tuple(_reference(one, tables) for one in written)
    named = [reference.table for reference in references]
    if twice := [table for table in named if named.count(table) > 1]:
        raise DuplicateName(
            f"text= names two columns of table '{twice[0]}'",
            remedy="the predictor reads one column a table: join the two into one",
        )
    return references


def _reference(written: str, tables: Mapping[str, Table]) -> TextReference:
    """One reference, read and checked."""
    table, dot, column = written.partition(".") if isinstance(written, str) else ("", "", "")
    if not dot or not table or not column:
        raise BadInput(
            f"{written!r} does not name a column of a table",
            remedy=f"write {_example(written, tables)!r}",
        )
    if table not in tables:
        raise UnknownTable(
            f"'{written}' names table '{table}', which was not given; given: {listed(tables)}",
            remedy=did_you_mean(table, tables),
        )
    tables[table].column(column)
    return TextReference(table, column)


def _example(written: object, tables: Mapping[str, Table]) -> str:
    """A reference that would have been right, guessed from what was written."""
    if written in tables:
        return f"{written}.{tables[str(written)].columns[-1]}"
    holders = [name for name, table in tables.items() if written in table.columns]
    return f"{holders[0]}.{written}" if holders else "review.text"
