"""One Arrow type for each kind of value: equal data are equal whichever library held them."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pyarrow as pa
import pyarrow.types as pat


class ColumnKind(StrEnum):
    """What a column holds, as far as rules and predictors care."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    OTHER = "other"  # lists, structs, bytes: a predictor may read them, a rule cannot


_KIND_OF_TYPE = {
    pa.large_string(): ColumnKind.TEXT,
    pa.int64(): ColumnKind.INTEGER,
    pa.float64(): ColumnKind.NUMBER,
    pa.bool_(): ColumnKind.BOOLEAN,
}


def kind_of(arrow_type: pa.DataType) -> ColumnKind:
    """The kind of a column of this canonical type."""
    return _KIND_OF_TYPE.get(arrow_type, ColumnKind.OTHER)


def canonical_column(column: Any) -> pa.ChunkedArray:
    """The column in its canonical type, in one chunk; Arrow's own error if a value does not fit."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    plain = [_canonical_chunk(_decoded(chunk)) for chunk in chunks]
    if len(plain) == 1:
        return pa.chunked_array(plain)
    arrow_type = plain[0].type if plain else canonical_type(column.type)
    return pa.chunked_array([pa.concat_arrays(plain)] if plain else [], type=arrow_type)


def canonical_type(given: pa.DataType) -> pa.DataType:
    """The type that values of the given type are kept in; unknown types stay as they are."""
    if pat.is_null(given) or _is_string(given):
        return pa.large_string()
    if pat.is_integer(given) or (pat.is_decimal(given) and given.scale <= 0):
        return pa.int64()
    if pat.is_floating(given) or pat.is_decimal(given):
        return pa.float64()
    if pat.is_dictionary(given) or pat.is_run_end_encoded(given):
        return canonical_type(given.value_type)
    if _is_list(given):
        return pa.large_list(canonical_type(given.value_type))
    if pat.is_struct(given):
        return pa.struct([(field.name, canonical_type(field.type)) for field in given])
    return given


def _canonical_chunk(chunk: pa.Array) -> pa.Array:
    """One plain array in its canonical type."""
    if pat.is_temporal(chunk.type) and not pat.is_duration(chunk.type):
        return chunk if pat.is_interval(chunk.type) else _iso_text(chunk)
    wanted = canonical_type(chunk.type)
    return chunk if chunk.type == wanted else chunk.cast(wanted)


def _decoded(chunk: pa.Array) -> pa.Array:
    """The array without dictionary, run-end or extension wrapping."""
    if isinstance(chunk, pa.ExtensionArray):
        return _decoded(chunk.storage)
    if pat.is_dictionary(chunk.type):
        # Cast the dictionary first: it is short, and Arrow cannot take from string views.
        values = _canonical_chunk(_decoded(chunk.dictionary))
        return pa.DictionaryArray.from_arrays(chunk.indices, values).dictionary_decode()
    if pat.is_run_end_encoded(chunk.type):
        import pyarrow.compute as pc

        return _decoded(pc.run_end_decode(chunk))
    return chunk


def _iso_text(chunk: pa.Array) -> pa.Array:
    """Dates and times as ISO 8601 text: fractions only where not zero, zoned times in UTC."""
    import pyarrow.compute as pc

    zone = ""
    if pat.is_timestamp(chunk.type) and chunk.type.tz is not None:
        utc = chunk.cast(pa.timestamp(chunk.type.unit, "UTC"))
        chunk, zone = utc.cast(pa.timestamp(chunk.type.unit)), "Z"
    text = pc.replace_substring(chunk.cast(pa.large_string()), " ", "T")
    # The digits printed depend on the unit a library happened to choose; the value does not.
    text = pc.replace_substring_regex(text, r"(\.[0-9]*[1-9])0+$", r"\1")
    text = pc.replace_substring_regex(text, r"\.0+$", "")
    ends = (pa.scalar(part, pa.large_string()) for part in (zone, ""))
    return pc.binary_join_element_wise(text, *ends) if zone else text


def _is_string(given: pa.DataType) -> bool:
    """Whether the type is one of Arrow's three string layouts."""
    return bool(pat.is_string(given) or pat.is_large_string(given) or pat.is_string_view(given))


def _is_list(given: pa.DataType) -> bool:
    """Whether the type is one of Arrow's list layouts."""
    plain = pat.is_list(given) or pat.is_large_list(given) or pat.is_fixed_size_list(given)
    return bool(plain or pat.is_list_view(given) or pat.is_large_list_view(given))
