"""Kinds of CSV columns: a column is more than text only where nothing is lost by it."""

from __future__ import annotations

import pyarrow as pa

_INTEGER = r"^(?:0|-?[1-9][0-9]{0,18})$"
# No leading zeros ("007" is a name), no whole number that a float cannot hold exactly.
_NUMBER = (
    r"^(?:-?(?:0|[1-9][0-9]{0,14})"
    r"|-?(?:0|[1-9][0-9]*)?\.[0-9]+(?:[eE][+-]?[0-9]+)?"
    r"|-?(?:0|[1-9][0-9]*)\.?(?:[eE][+-]?[0-9]+)"
    r"|-?(?:0|[1-9][0-9]*)\."
    r"|[+-]?(?i:inf|infinity)|[+-]?(?i:nan))$"
)
_BOOLEAN = r"^(?i:true|false)$"


def inferred(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as integers, truth values or numbers where every cell reads so; else as it is."""
    import pyarrow.compute as pc

    filled = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.large_string()), column)
    values = filled.drop_null()
    if len(values) == 0:
        return filled
    if _all_match(values, _INTEGER):
        try:
            return filled.cast(pa.int64())
        except pa.ArrowInvalid:  # nineteen digits and more than 64 bits: a name, not a quantity
            return column
    if _all_match(values, _BOOLEAN):
        return pc.equal(pc.utf8_lower(filled), "true")
    if _all_match(values, _NUMBER):
        return _numbers(filled)
    return column


def _all_match(values: pa.ChunkedArray, pattern: str) -> bool:
    """Whether every value matches; the first few are tried alone, for most columns fail there."""
    import pyarrow.compute as pc

    head = values.slice(0, 64)
    if not pc.all(pc.match_substring_regex(head, pattern)).as_py():
        return False
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())


def _numbers(filled: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers from text, by Arrow where it knows the spelling and by Python where it does not."""
    try:
        return filled.cast(pa.float64())
    except pa.ArrowInvalid:
        numbers = [None if text is None else float(text) for text in filled.to_pylist()]
        return pa.chunked_array([pa.array(numbers, pa.float64())])
