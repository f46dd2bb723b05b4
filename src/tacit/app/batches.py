"""Files of new inputs, read piece by piece, so that their size does not matter."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from tacit.data.decode import clipped
from tacit.errors import BadFile, Place, UnknownColumn, did_you_mean, listed

ROWS = 2000  # at once: enough for a network to sort by length, and little memory for any
KINDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_END = "\0"  # behind the last line: a quote that is never closed swallows it


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a file."""

    first: int  # the number of the first row, from 1
    ids: list[str] | None  # from the first column, unless that is what is read
    inputs: list[Any]
    done: float  # the share of the file that was read so far


def kind_of(path: Path) -> str:
    """The ending that says how to read or write a file, without .gz."""
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    kind = plain.suffix.lower()
    if kind not in KINDS or (kind == ".parquet" and plain is not path):
        raise BadFile(
            f"{path} is not a kind of file that is read or written here: '{path.suffix}'",
            remedy=f"the kinds are: {listed(KINDS)}",
        )
    return kind


def require_file(path: Path) -> None:
    """Refuse a file that is absent or of another kind."""
    kind_of(path)
    if not path.is_file():
        entries = path.parent.iterdir() if path.parent.is_dir() else ()
        names = [entry.name for entry in entries if not entry.name.startswith(".")]
        raise BadFile(f"{path} is not there", remedy=did_you_mean(path.name, names))


def read_batches(path: Path, column: str, *, n_rows: int = ROWS) -> Iterator[Batch]:
    """The rows of a file, so many at once; `column` is what the predictor reads."""
    kind = kind_of(path)
    if kind == ".parquet":
        yield from _parquet(path, column, n_rows)
        return
    lines = Lines(path)
    read = _json_rows if kind in (".jsonl", ".ndjson") else _csv_rows
    rows = read(lines, column, "\t" if kind == ".tsv" else ",")
    first, ids, inputs = 1, list[str](), list[Any]()
    with _any_field_size():
        for key, value in rows:
            ids.append(key or "")
            inputs.append(value)
            if len(inputs) == n_rows:
                yield Batch(first, None if key is None else ids, inputs, lines.done)
                first, ids, inputs = first + n_rows, [], []
    if inputs:
        yield Batch(first, None if key is None else ids, inputs, 1.0)


@dataclass(slots=True)
class Lines:
    """The lines of a text file, and how far it is read."""

    path: Path
    number: int = 0  # of the line that was read last
    text: str = ""  # that line
    done: float = field(default=0.0)

    def __iter__(self) -> Iterator[str]:
        """Each line with its end."""
        size = max(self.path.stat().st_size, 1)
        try:
            with self.path.open("rb") as raw:
                zipped = self.path.suffix.lower() == ".gz"
                source: Any = gzip.GzipFile(fileobj=raw) if zipped else raw
                for self.number, line in enumerate(source, start=1):
                    self.text = self._decoded(line)
                    self.done = raw.tell() / size
                    yield self.text
        except (OSError, EOFError, zlib.error) as error:
            raise BadFile(f"{self.path} cannot be read: {error}", place=self.place()) from error

    def _decoded(self, line: bytes) -> str:
        try:
            text = line.decode("utf-8-sig" if self.number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise self.error("is not UTF-8", "save the file as UTF-8") from error
        if _END in text:
            raise self.error("holds a NUL byte", "is it a text file? save it as UTF-8")
        return text

    def place(self, line: int | None = None) -> Place:
        """Where the reader is."""
        text = clipped(self.text) if line in (None, self.number) else ""
        return Place(str(self.path), line or max(self.number, 1), text=text)

    def error(self, what: str, remedy: str | None, line: int | None = None) -> BadFile:
        """An error in the line that was read last, or in an earlier one."""
        place = self.place(line)
        return BadFile(f"line {place.line} of {self.path} {what}", place=place, remedy=remedy)


def _csv_rows(lines: Lines, column: str, delimiter: str) -> Iterator[tuple[str | None, str]]:
    """The id and the text of each record."""
    records = csv.reader(chain(lines, [_END]), delimiter=delimiter)
    header: list[str] | None = None
    begin = 1
    try:
        for fields in records:
            if fields and fields[-1].endswith(_END) and fields != [_END]:
                raise lines.error("opens a double quote that is never closed", "close it", begin)
            if not fields or fields == [_END]:
                pass
            elif header is None:
                header = [name.strip() for name in fields]
                at = _column(column, header, lines.path)
            elif len(fields) != len(header):
                remedy = "put double quotes around a value that contains the separator"
                what = f"has {len(fields)} fields, the header has {len(header)}: {listed(header)}"
                raise lines.error(what, remedy, begin)
            else:
                yield (fields[0] if at else None), fields[at]
            begin = records.line_num + 1
    except csv.Error as error:
        raise lines.error(f"is not CSV: {error}", None) from error


def _json_rows(lines: Lines, column: str, _: str) -> Iterator[tuple[str | None, Any]]:
    """The id and the input of each object."""
    key: str | None = None
    for line in lines:
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise lines.error(f"is not JSON: {error}", "write one object a line") from error
        if not isinstance(row, dict):
            raise lines.error("is not an object", 'such as {"id": "r1", "text": "..."}')
        if column not in row:
            _column(column, list(row), lines.path, lines.place())
        if isinstance(row[column], bool | int | float):
            raise lines.error(f"has a number for '{column}'", "it must be a text")
        key = next(iter(row)) if key is None else key
        given = row.get(key)
        name = None if key == column else "" if given is None else str(given)
        yield name, "" if row[column] is None else row[column]


def _parquet(path: Path, column: str, n_rows: int) -> Iterator[Batch]:
    """The rows of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            at = _column(column, names, path)
            if pa.types.is_primitive(file.schema_arrow.field(column).type):
                kind = file.schema_arrow.field(column).type
                raise BadFile(f"column '{column}' of {path} holds {kind}, not text")
            first, total = 1, max(file.metadata.num_rows, 1)
            for some in file.iter_batches(n_rows, columns=[names[0], column] if at else [column]):
                ids = [*map(str, _present(some[names[0]]))] if at else None
                inputs = _present(some[column])
                first += len(inputs)
                yield Batch(first - len(inputs), ids, inputs, (first - 1) / total)
    except (pa.ArrowException, OSError) as error:
        raise BadFile(
            f"{path} is not a readable Parquet file: {str(error).splitlines()[0]}",
            remedy="write it again; an interrupted copy leaves such a file",
        ) from error


def _present(values: Any) -> list[Any]:
    """Values, with an empty text for what is missing."""
    return ["" if value is None else value for value in values.to_pylist()]


def _column(column: str, columns: list[str], path: Path, place: Place | None = None) -> int:
    """Which column has a name."""
    if column in columns:
        return columns.index(column)
    raise UnknownColumn(
        f"{path} has no column '{column}'; there are: {listed(columns)}",
        place=place,
        remedy=did_you_mean(column, columns) or "name the one to read: --column NAME",
    )


@contextmanager
def _any_field_size() -> Iterator[None]:
    """Lift the csv module's limit on the size of a field for a while."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)
