"""Tables from CSV and TSV: Arrow's parser first, Python's where that one fails, to say why."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

import pyarrow as pa

from tacit.data.decode import check_bytes, clipped, decode_text
from tacit.data.infer_kinds import inferred
from tacit.errors import BadFile, EmptyTable, Place, listed

_BLOCK_BYTES = 1 << 24  # a block must hold the longest record; the slow reader has no such limit
_END = "\0"  # cannot occur in the file itself: files with NUL bytes are refused


def table_from_csv(shown: str, data: bytes, delimiter: str = ",") -> pa.Table:
    """A table from a file whose first line names the columns; each column's kind is inferred.

    A column is integer, number or boolean only if every cell that is not empty reads back as
    written ("007" stays text). Empty cells are null there, and "" in text columns.
    """
    check_bytes(shown, data)
    with _any_field_size():
        header = _header(shown, data, delimiter)
        columns = _read_fast(data, delimiter, header)
        if columns is None:
            columns = _read_slowly(shown, data, delimiter, header)
    if not columns or len(columns[0]) == 0:
        raise EmptyTable(
            f"{shown} has a header and no rows", remedy="leave it out, or give it rows"
        )
    names = [name.strip() for name in header]
    return pa.Table.from_arrays([inferred(column) for column in columns], names=names)


def _header(shown: str, data: bytes, delimiter: str) -> list[str]:
    """The column names as they are written, checked to be present and distinct."""
    record = next(_records(decode_text(shown, data[: _header_end(data)]), delimiter), None)
    if record is None:
        raise BadFile(f"{shown} is empty", remedy="write the table into it, or leave it out")
    line, header = record
    place = Place(shown, line, text=clipped(delimiter.join(header)))
    names = [name.strip() for name in header]
    if "" in names:
        raise BadFile(
            f"column {names.index('') + 1} of {shown} has no name",
            place=place,
            remedy="the first line must name every column",
        )
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise BadFile(
            f"{shown} has more than one column called {listed(map(repr, twice))}",
            place=place,
            remedy="rename one of them",
        )
    return header


def _header_end(data: bytes) -> int:
    """How many bytes surely hold the header; all of them if a name spans lines."""
    start = len(data) - len(data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"))
    ends = [at for at in (data.find(b"\n", start), data.find(b"\r", start)) if at >= 0]
    end = min(ends, default=len(data))
    return end if b'"' not in data[:end] else len(data)


def _read_fast(data: bytes, delimiter: str, header: list[str]) -> list[pa.ChunkedArray] | None:
    """All columns as text by Arrow's parser, or None where the slow reader must look."""
    import pyarrow.csv as pa_csv

    # Arrow takes a quote that is never closed for text up to the end of the file.
    if data.count(b'"') % 2:
        return None
    try:
        table = pa_csv.read_csv(
            io.BytesIO(data),
            read_options=pa_csv.ReadOptions(block_size=_BLOCK_BYTES),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.large_string()),
                strings_can_be_null=False,
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    return list(table.columns) if table.column_names == header else None


def _read_slowly(
    shown: str, data: bytes, delimiter: str, header: list[str]
) -> list[pa.ChunkedArray]:
    """All columns as text by Python's parser, which knows the line of every record."""
    text = decode_text(shown, data)
    records = _records(text, delimiter)
    next(records)
    rows: list[list[str]] = []
    for line, fields in records:
        if fields[-1].endswith(_END):
            raise _unclosed(shown, text, line)
        if len(fields) != len(header):
            raise _miscounted(shown, text, line, fields, header)
        rows.append(fields)
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return [pa.chunked_array([pa.array(column, pa.large_string())]) for column in columns]


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with its first line; the last ends in NUL if a quote is never closed."""
    reader = csv.reader(chain(io.StringIO(text, newline=""), [_END]), delimiter=delimiter)
    line = 1
    for fields in reader:
        if fields and fields != [_END]:
            yield line, fields
        line = reader.line_num + 1


@contextmanager
def _any_field_size() -> Iterator[None]:
    """Lift the csv module's limit on the size of a field for a while."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _unclosed(shown: str, text: str, line: int) -> BadFile:
    """The error for a double quote that nothing closes."""
    return BadFile(
        f"line {line} of {shown} opens a double quote that is never closed",
        place=Place(shown, line, text=_line_of(text, line)),
        remedy='close it; a double quote inside a quoted value is written twice: ""',
    )


def _miscounted(shown: str, text: str, line: int, fields: list[str], header: list[str]) -> BadFile:
    """The error for a record with too many or too few fields."""
    wide = len(fields) > len(header)
    message = f"line {line} of {shown} has {len(fields)} field{'s' * (len(fields) != 1)}, "
    return BadFile(
        message + f"the header has {len(header)}: {listed(header)}",
        place=Place(shown, line, text=_line_of(text, line)),
        remedy="put double quotes around a value that contains the separator"
        if wide
        else "a value is missing, or the separator is not the one that the file's name promises",
    )


def _line_of(text: str, line: int) -> str:
    """One physical line of the text, short enough to quote."""
    for number, content in enumerate(io.StringIO(text, newline=""), start=1):
        if number == line:
            return clipped(content)
    return ""
