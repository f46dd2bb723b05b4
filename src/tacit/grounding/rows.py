"""The rows that an engine answers, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tacit.errors import BadInput
from tacit.grounding.factors import Floats, Ints, Longs
from tacit.grounding.query import RULE
from tacit.grounding.template import Batch
from tacit.grounding.truth import Residue


@dataclass(frozen=True, slots=True)
class Rows:
    """One entry for each grounding of a batch."""

    rule: Ints  # which template of the batch
    slots: tuple[Ints, ...]  # the row of each label variable's instance
    codes: tuple[Ints, ...]  # label values; -1 for a value that is no label
    flags: tuple[NDArray[np.bool_], ...]  # facts inside the hidden part
    key: Ints  # which of the distinct `keys`
    keys: pa.Table  # the rule and the values that key a weight, sorted: one row a weight
    count: Floats | None  # how often the grounding counts; None: once

    def __len__(self) -> int:
        return len(self.rule)

    def take(self, order: Longs) -> Rows:
        """The rows in another order."""
        return replace(
            self,
            rule=self.rule[order],
            slots=tuple(slot[order] for slot in self.slots),
            codes=tuple(code[order] for code in self.codes),
            flags=tuple(flag[order] for flag in self.flags),
            key=self.key[order],
            count=None if self.count is None else self.count[order],
        )


def read_rows(
    answer: pa.Table, batch: Batch, residue: Residue, labels: Mapping[str, tuple[str, ...]]
) -> Rows:
    """The answer to a batch's query, as arrays; one of members has neither keys nor scale."""
    rule = as_ints(answer, RULE)
    parameters = {name: i for i, (name, _) in enumerate(batch.shape.parameters)}
    codes: list[Ints] = []
    for i, (variable, function) in enumerate(residue.codes):
        if variable in parameters:  # a constant of each rule
            at, space = parameters[variable], labels[function]
            of_rule = [_code(template.constants[at], space) for template in batch.templates]
            codes.append(taken(np.asarray(of_rule, dtype=np.int32), rule))
        else:
            codes.append(as_ints(answer, f"l{i}"))
    names = [f"k{i}" for i in range(len(batch.shape.keys))]
    keys, key = _weight_keys(rule, [answer.column(n) for n in names if n in answer.column_names])
    return Rows(
        rule=rule,
        slots=tuple(as_ints(answer, f"s{i}") for i in range(len(residue.slots))),
        codes=tuple(codes),
        flags=tuple(as_ints(answer, f"f{i}").astype(bool) for i in range(len(residue.flags))),
        key=key,
        keys=keys,
        count=_scales(answer, batch) if "x" in answer.column_names else None,
    )


def constant(value: int, size: int) -> Ints:
    """The same number many times over, without the memory."""
    return np.broadcast_to(np.int32(value), size)


def taken(values: Ints, at: Ints) -> Ints:
    """`values[at]`, which stays small where `at` is constant."""
    if len(at) and at.strides == (0,):
        return constant(int(values[at[0]]), len(at))
    return values[at]


def _code(label: object, labels: tuple[str, ...]) -> int:
    return labels.index(label) if isinstance(label, str) and label in labels else -1


def as_ints(answer: pa.Table, name: str) -> Ints:
    """A column as integers, nulls as -1; zeros where there is no such column."""
    if name not in answer.column_names:
        return constant(0, answer.num_rows)
    column = answer.column(name)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if column.null_count:
        column = pc.fill_null(column, -1)
    ints = np.empty(len(column), dtype=np.int32)  # its memory goes back at once; Arrow's does not
    end = 0
    for chunk in column.chunks:
        begin, end = end, end + len(chunk)
        ints[begin:end] = chunk.to_numpy()
    return ints


def _scales(answer: pa.Table, batch: Batch) -> Floats:
    """How often each grounding counts."""
    scales = np.ascontiguousarray(answer.column("x").to_numpy(), dtype=np.float64)
    if not np.isfinite(scales).all():
        raise BadInput(
            f"formula {batch.name} is scaled by '{batch.shape.scale}', which is not always finite",
            remedy="remove the rows with infinite numbers or NaN",
        )
    return scales


def _weight_keys(rule: Ints, values: Sequence[pa.ChunkedArray]) -> tuple[pa.Table, Ints]:
    """The distinct (rule, values), sorted, and for each row which of them it has."""
    if not values:
        known, key = _ranked_rules(rule)
        return pa.table({RULE: pa.array(known)}), key
    columns = [pa.chunked_array([pa.array(rule)]), *values]
    distinct, number = distinct_rows(columns)
    names = [RULE, *(f"k{i}" for i in range(len(values)))]
    return pa.table(distinct, names=names), number.astype(np.int32)


def _ranked_rules(rule: Ints) -> tuple[Ints, Ints]:
    """The rules that occur, in order, and the rank of each row's among them."""
    if rule.strides == (0,):  # all the same
        return rule[:1].copy(), constant(0, len(rule))
    seen = np.zeros(int(rule.max(initial=-1)) + 1, dtype=bool)
    seen[rule] = True
    if seen.all():
        return np.arange(len(seen), dtype=np.int32), rule
    rank = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return np.flatnonzero(seen).astype(np.int32), rank[rule]


def distinct_rows(columns: Sequence[pa.ChunkedArray]) -> tuple[list[pa.Array], Longs]:
    """The distinct rows of some columns in sorted order, and for each row which one it is.

    Sorted, so that the numbering depends on the values alone and never on an engine's row order.
    """
    code = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64)
    dictionaries: list[pa.Array] = []
    for column in columns:
        dictionary, rank = _ranked(column)
        dictionaries.append(dictionary)
        if len(dictionaries) > 1:  # keep the mixed-radix code small enough for 64 bits
            code = np.unique(code, return_inverse=True)[1].astype(np.int64)
        code = code * max(1, len(dictionary)) + rank
    first, inverse = np.unique(code, return_index=True, return_inverse=True)[1:]
    picked = pa.array(first)
    return [column.take(picked).combine_chunks() for column in columns], inverse.astype(np.int64)


def _ranked(column: pa.ChunkedArray) -> tuple[pa.Array, Longs]:
    """The distinct values of a column in order, and the rank of each row's value."""
    values = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    encoded = values.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return encoded.dictionary, rank[encoded.indices.to_numpy()]
