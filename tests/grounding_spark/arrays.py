"""Comparing all the arrays of two groundings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import numpy as np
import pyarrow as pa

from tacit.data import Task
from tacit.errors import EngineFailed
from tacit.grounding import Engine, GroundFactors, ground_factors
from tacit.logic.evidence import Evidence
from tacit.logic.program import Program


def outcome(program: Program, task: Task, engine: Engine | None = None) -> GroundFactors | str:
    """The ground factors, or the error, whichever: what is right is for other tests to say."""
    try:
        return ground_factors(program, task, engine=engine)
    except EngineFailed:  # each engine has its own words
        return "EngineFailed"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def differences(left: object, right: object, path: str = "") -> list[str]:
    """Where two groundings differ, types included; the formulas themselves are not compared."""
    return list(_differences(left, right, path))


def _differences(left: object, right: object, path: str) -> Iterator[str]:
    if type(left) is not type(right):
        yield f"{path}: {left!r} and {right!r}"
    elif isinstance(left, Program | Task | Evidence):
        return
    elif isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.dtype != right.dtype or not np.array_equal(left, right, equal_nan=_float(left)):
            yield f"{path}: {left!r} and {right!r}"
    elif isinstance(left, pa.Array | pa.ChunkedArray):
        if left.type != right.type or repr(left.to_pylist()) != repr(right.to_pylist()):
            yield f"{path}: {left!r} and {right!r}"
    elif isinstance(left, tuple | list) and isinstance(right, tuple | list):
        if len(left) != len(right):
            yield f"{path}: {len(left)} and {len(right)} of them"
        for i, (one, other) in enumerate(zip(left, right, strict=False)):
            yield from _differences(one, other, f"{path}[{i}]")
    elif isinstance(left, dict) and isinstance(right, dict):
        yield from _differences(sorted(left), sorted(right), f"{path}.keys")
        for key in left.keys() & right.keys():
            yield from _differences(left[key], right[key], f"{path}[{key!r}]")
    elif is_dataclass(left):
        for field in fields(left):
            if field.name in ("seconds", "queries"):  # each engine has its own
                continue
            parts = getattr(left, field.name), getattr(right, field.name)
            yield from _differences(*parts, f"{path}.{field.name}")
    elif left != right:
        yield f"{path}: {left!r} and {right!r}"


def _float(array: np.ndarray) -> bool:
    return bool(np.issubdtype(array.dtype, np.floating))
