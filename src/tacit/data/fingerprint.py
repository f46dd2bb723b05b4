"""Digests of tables and functions: equal for equal content, whatever held it."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from hashlib import blake2b
from types import CodeType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

DIGEST_BYTES = 16  # 32 hexadecimal characters: no collision among any number of tasks that exist

_SIMPLE = (str, bytes, int, float, complex, bool, type(None))


def digest_of(parts: Iterable[str]) -> str:
    """One digest over a sequence of texts; where one text ends and the next begins matters."""
    state = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def table_digest(table: pa.Table) -> str:
    """A digest of column names, types, values and row order; chunks and slices leave no trace."""
    state = blake2b(digest_size=DIGEST_BYTES)
    for field in table.schema:
        state.update(f"{field.name!r} {field.type} {table.num_rows}\n".encode())
        chunks = table.column(field.name).chunks
        _feed(state, pa.concat_arrays(chunks) if chunks else pa.array([], type=field.type))
    return state.hexdigest()


def _feed(state: Any, values: pa.Array) -> None:
    """Feed the validity and the values of one array to the digest."""
    import pyarrow.compute as pc

    # Buffers under nulls hold anything at all, so nulls are first given one value.
    state.update(np.packbits(values.is_valid().to_numpy(zero_copy_only=False)).tobytes())
    if pat.is_large_string(values.type):
        _feed_text(state, pc.fill_null(values, ""))
    elif pat.is_int64(values.type):
        state.update(np.ascontiguousarray(pc.fill_null(values, 0).to_numpy()))
    elif pat.is_float64(values.type):
        numbers = pc.fill_null(values, 0.0).to_numpy() + 0.0  # -0.0 becomes 0.0
        state.update(np.where(np.isnan(numbers), np.nan, numbers))
    elif pat.is_boolean(values.type):
        truths = pc.fill_null(values, False).to_numpy(zero_copy_only=False)
        state.update(np.packbits(truths).tobytes())
    elif pat.is_large_list(values.type):
        lengths = pc.fill_null(pc.list_value_length(values), 0).to_numpy()
        state.update(np.ascontiguousarray(lengths, dtype=np.int64))
        _feed(state, values.flatten())
    elif pat.is_struct(values.type):
        for child in values.flatten():
            _feed(state, child)
    else:
        state.update(repr(values.to_pylist()).encode("utf-8", "surrogatepass"))


def _feed_text(state: Any, values: pa.Array) -> None:
    """Feed the lengths and the bytes of a text array without nulls, wherever its slice begins."""
    if len(values) == 0:
        return
    _, offset_buffer, data = values.buffers()
    offsets = np.frombuffer(offset_buffer, dtype=np.int64)[
        values.offset : values.offset + len(values) + 1
    ]
    state.update(np.diff(offsets))
    if data is not None:
        state.update(memoryview(data)[int(offsets[0]) : int(offsets[-1])])


def function_text(function: Callable[..., Any]) -> str:
    """What a function does, as text: its source (else bytecode) and the plain values it reads."""
    if isinstance(function, functools.partial):
        bound = (function.args, tuple(sorted(function.keywords.items())))
        return f"partial {_plain(bound)} of {function_text(function.func)}"
    code = getattr(function, "__code__", None)
    if code is None:
        return f"{type(function).__qualname__} {getattr(function, '__qualname__', '')}"
    try:
        body = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError, SyntaxError):
        body = _code_text(code)
    cells = getattr(function, "__closure__", None) or ()
    scope = getattr(function, "__globals__", {})
    read = {name: scope[name] for name in sorted(_names_in(code)) if name in scope}
    settings = (getattr(function, "__defaults__", None), [_cell_value(cell) for cell in cells])
    return f"{body}\n{_plain(settings)}\n{_plain(read)}"


def _names_in(code: CodeType) -> set[str]:
    """The global names that a function and the functions inside it may read."""
    inner = (value for value in code.co_consts if isinstance(value, CodeType))
    return set(code.co_names).union(*map(_names_in, inner))


def _code_text(code: CodeType) -> str:
    """Bytecode, names and constants of a function whose source is not to be had."""
    constants = [
        _code_text(value) if isinstance(value, CodeType) else repr(value)
        for value in code.co_consts
    ]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"


def _cell_value(cell: Any) -> Any:
    """What a closure's cell holds; None while it is still empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _plain(value: Any) -> str:
    """A text of a value that is the same in every process: other objects show only their type."""
    if isinstance(value, _SIMPLE):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_plain, value))}]"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(_plain, value)))}}}"
    if isinstance(value, dict):
        return _plain([(key, value[key]) for key in value])
    if isinstance(value, re.Pattern):
        return f"re {value.pattern!r} {value.flags}"
    return f"<{type(value).__module__}.{type(value).__qualname__}>"
