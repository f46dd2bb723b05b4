"""Tables of extractions: which column is the text, which make the tuple; then row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacit.app.settings import shown
from tacit.data import Table, as_table
from tacit.data.canonical import ColumnKind
from tacit.errors import BadFile, BadInput, TypeMismatch, UnknownColumn, did_you_mean, listed
from tacit.review.sampling import Extraction

LONG = 40  # characters on average: a column of texts, and not of names
PLACES = ("candidate", "doc", "document", "instance", "paper", "row", "sentence")
IDS = ("id", "uid", "uuid", "pmid", "pmcid", "doi", *PLACES, *(f"{name}_id" for name in PLACES))
PROBABILITIES = ("probability", "prob", "p", "confidence", "posterior", "score")
_NUMBERS = (ColumnKind.NUMBER, ColumnKind.INTEGER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which columns hold what; None, or no parts, where that is to be guessed."""

    text: str | None = None
    parts: tuple[str, ...] = ()  # of the tuple
    id: str | None = None
    probability: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What a system extracted, as a table."""

    system: str
    table: Table
    columns: Columns

    @property
    def where(self) -> str:
        """The table as messages call it."""
        return self.table.source or self.system


def file_source(system: str, path: Path, asked: Columns) -> Source:
    """A file of extractions, one a row, with its columns found or guessed."""
    table = as_table(system, shown(path))
    for name, option in ((asked.text, "--text"), (asked.id, "--id")):
        _require(table, name, option)
    _require(table, asked.probability, "--probability")
    text = asked.text or _text_column(table)
    if table.kinds[text] is not ColumnKind.TEXT:
        raise TypeMismatch(
            f"column '{text}' of {table.source} holds {table.kinds[text]}, not text",
            remedy="name the one with the texts: --text COLUMN",
        )
    ids = [name for name in table.columns if name.lower() in IDS and name != text]
    found = replace(
        asked,
        text=text,
        id=asked.id or next(iter(ids), None),
        probability=asked.probability or _probability_column(table),
        parts=tuple(_own_column(table, part) for part in asked.parts),
    )
    return Source(system, table, found)


def with_parts(sources: Sequence[Source]) -> list[Source]:
    """The sources with the columns of their tuples: those asked for, or those that all have.

    Guessed are the columns of short texts that are no ids; where no source has any, the id stands
    for the tuple.
    """
    if all(source.columns.parts for source in sources):
        return list(sources)
    guesses = [_names(source) for source in sources]
    common = [name for name in guesses[0] if all(name in guess for guess in guesses)]
    if not common and not any(guesses) and all(source.columns.id for source in sources):
        return [_with(source, (str(source.columns.id),)) for source in sources]
    if not common:
        raise BadInput(
            "no column could be the tuple in each of: "
            + listed(f"{source.where} ({listed(source.table.columns)})" for source in sources),
            remedy="name its columns: --tuple COLUMN,COLUMN",
        )
    return [_with(source, tuple(common)) for source in sources]


def extractions_of(source: Source) -> list[Extraction]:
    """The extractions in a table, in its order."""
    columns = source.columns
    texts = _filled(source, str(columns.text))
    keys = zip(*(_filled(source, part) for part in columns.parts), strict=True)
    ids = [""] * len(texts) if columns.id is None else _filled(source, columns.id)
    probabilities = _probabilities(source)
    rows = zip(keys, ids, texts, probabilities, strict=True)
    return [Extraction(key, id, text, (), p) for key, id, text, p in rows]


def _with(source: Source, parts: tuple[str, ...]) -> Source:
    return replace(source, columns=replace(source.columns, parts=parts))


def _names(source: Source) -> list[str]:
    """The columns that may be parts of a tuple."""
    columns, kinds = source.columns, source.table.kinds
    taken = (columns.text, columns.id, columns.probability)
    texts = [name for name, kind in kinds.items() if kind is ColumnKind.TEXT]
    named = [name for name in texts if name.lower() not in (*IDS, *PROBABILITIES)]
    lengths = {name: _mean_length(source.table, name) for name in named if name not in taken}
    return [name for name, length in lengths.items() if 0 < length < LONG]


def _own_column(table: Table, part: str) -> str:
    """The column of a part of the tuple; for "args.drug" also one that is called "drug"."""
    bare = part.rpartition(".")[2]
    if part not in table.columns and bare in table.columns:
        return bare
    _require(table, part, "--tuple")
    return part


def _require(table: Table, name: str | None, option: str) -> None:
    """Refuse a column that a file does not have."""
    if name is not None and name not in table.columns:
        raise UnknownColumn(
            f"{table.source} has no column '{name}', which {option} names; "
            f"there are: {listed(table.columns)}",
            remedy=did_you_mean(name, table.columns) or "all files need the same columns",
        )


def _text_column(table: Table) -> str:
    """The column "text", or the only one of long texts."""
    texts = [name for name, kind in table.kinds.items() if kind is ColumnKind.TEXT]
    called = [name for name in texts if name.lower() == "text"]
    long = called or [name for name in texts if _mean_length(table, name) >= LONG]
    if len(long) != 1:
        which = f"texts are in {listed(long)}" if long else "none is called 'text' or has long ones"
        raise UnknownColumn(
            f"which column of {table.source} has the texts? {which}; "
            f"there are: {listed(table.columns)}",
            remedy=f"name it: --text {long[0] if long else 'COLUMN'}",
        )
    return long[0]


def _mean_length(table: Table, name: str) -> float:
    import pyarrow.compute as pc

    return float(pc.mean(pc.utf8_length(table.column(name))).as_py() or 0.0)


def _probability_column(table: Table) -> str | None:
    """The column that is called like a probability and holds nothing else, if there is one."""
    for name in table.columns:
        if name.lower() in PROBABILITIES and table.kinds[name] in _NUMBERS:
            values = [value for value in table.column(name).to_pylist() if value is not None]
            if all(0 <= value <= 1 for value in values):
                return name
    return None


def _probabilities(source: Source) -> list[float | None]:
    name = source.columns.probability
    if name is None:
        return [None] * source.table.n_rows
    values: list[Any] = source.table.column(name).to_pylist()
    for row, value in enumerate(values, start=1):
        number = isinstance(value, int | float)
        if value is not None and not (number and 0 <= value <= 1):
            raise BadFile(
                f"row {row} of {source.where} has {value!r:.40} in '{name}', no probability",
                remedy="probabilities are numbers from 0 to 1; name their column: --probability",
            )
    return [None if value is None else float(value) for value in values]


def _filled(source: Source, name: str) -> list[str]:
    """The values of a column as texts; none may be missing."""
    if source.table.kinds[name] is ColumnKind.OTHER:
        kind = source.table.column(name).type
        raise TypeMismatch(
            f"column '{name}' of {source.where} holds {kind}, not text",
            remedy="write each of its values as one text",
        )
    values = source.table.column(name).to_pylist()
    texts = ["" if value is None else str(value).strip() for value in values]
    if "" in texts:
        raise BadFile(
            f"row {texts.index('') + 1} of {source.where} has no '{name}'",
            remedy="fill it, or leave that row out",
        )
    return texts
