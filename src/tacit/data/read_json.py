"""Tables from JSON: one object a line, or one array of objects."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from tacit.data.columns import table_from_rows
from tacit.data.decode import check_bytes, clipped, decode_text
from tacit.errors import BadFile, Place


def table_from_jsonl(name: str, shown: str, data: bytes) -> pa.Table:
    """A table from JSON lines: each line one object, blank lines skipped."""
    check_bytes(shown, data)
    rows: list[dict[str, Any]] = []
    # Not splitlines(): JSON strings may hold U+2028 and its kin, which are no line ends here.
    for number, line in enumerate(decode_text(shown, data).split("\n"), start=1):
        if not line.strip():
            continue
        row = _parsed(shown, line, number)
        if not isinstance(row, dict):
            raise BadFile(
                f"line {number} of {shown} is {_called(row)}, not an object",
                place=Place(shown, number, text=clipped(line)),
                remedy='write one object a line, such as {"id": "r1", "text": "..."}',
            )
        rows.append(row)
    return table_from_rows(name, rows)


def table_from_json(name: str, shown: str, data: bytes) -> pa.Table:
    """A table from a JSON file that holds one array of objects."""
    check_bytes(shown, data)
    text = decode_text(shown, data)
    rows = _parsed(shown, text)
    if not isinstance(rows, list):
        raise BadFile(
            f"{shown} holds {_called(rows)}, not an array of objects",
            place=Place(shown, 1),
            remedy='write [{"id": ...}, {"id": ...}]; one object a line goes into a .jsonl file',
        )
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise BadFile(
                f"element {number} of the array in {shown} is {_called(row)}, not an object",
                remedy='write [{"id": ...}, {"id": ...}]',
            )
    return table_from_rows(name, rows)


def _parsed(shown: str, text: str, line: int | None = None) -> Any:
    """The value that a JSON text holds; `line` says which line it is where it is one of many."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at = line or error.lineno
        remedy = f"json: {error.msg}"
        if line is None and error.msg == "Extra data":
            remedy += "; a file with one object a line must be called .jsonl"
        raise BadFile(
            f"line {at} of {shown} is not JSON: {error.msg}, at column {error.colno}",
            place=_place(shown, text.split("\n")[error.lineno - 1], at, error.colno),
            remedy=remedy,
        ) from error
    except RecursionError as error:
        raise BadFile(f"{shown} is nested too deeply to be read") from error


def _place(shown: str, text: str, line: int, column: int) -> Place:
    """The place with a caret, where the line is short enough for the caret to stand in it."""
    quoted = clipped(text)
    return Place(shown, line, column if column <= len(quoted) else 0, text=quoted)


def _called(value: object) -> str:
    """What JSON calls a value of this type."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")
