"""From rows to factors: truth tables are folded, and equal groundings are merged."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacit.grounding.factors import LabelVariables, TableBlock, UnaryBlock
from tacit.grounding.merge import CHUNK, Floats, Ints, merge
from tacit.grounding.rows import Rows
from tacit.grounding.truth import Residue, Truths


@dataclass(frozen=True, slots=True)
class Alike:
    """Groundings that share a truth table, with one array of instance rows for each axis."""

    functions: tuple[str, ...]  # the label function of each axis
    truth: Truths
    items: tuple[Ints, ...]
    weight: Ints
    count: Floats | None  # None: each counts once
    once: bool  # equal rows are one grounding, not several

    def where(self, chosen: NDArray[np.bool_]) -> Alike:
        """Some of the groundings."""
        if chosen.all():
            return self
        return replace(
            self,
            items=tuple(item[chosen] for item in self.items),
            weight=self.weight[chosen],
            count=None if self.count is None else self.count[chosen],
        )

    def without_axis(self, axis: int, truth: Truths) -> Alike:
        """The same groundings with one axis less.

        Groundings that differed in the lost axis are now equal, so equal rows are counted first.
        """
        counted = self._counted() if self.once else self
        keep = [i for i in range(len(counted.items)) if i != axis]
        functions = tuple(counted.functions[i] for i in keep)
        items = tuple(counted.items[i] for i in keep)
        return replace(counted, functions=functions, truth=truth, items=items)

    def _counted(self) -> Alike:
        merged = merge([*self.items, self.weight], None, once=True, unordered=False)
        *items, weight = (merged.rows.column(i) for i in range(len(self.items) + 1))
        return replace(self, items=tuple(items), weight=weight, count=None, once=False)


def cases(
    rows: Rows, residue: Residue, variables: LabelVariables
) -> Iterator[tuple[NDArray[np.bool_], Truths]]:
    """The rows that share a truth table, with that table."""
    sizes = [len(variables.labels[function]) + 1 for _, function in residue.codes]
    sizes += [2] * len(rows.flags)
    if not sizes:
        yield np.ones(len(rows), dtype=bool), residue.table(variables.labels, (), ())
        return
    case = _cases(rows, sizes)
    for one in _present(case).tolist():
        digits = np.unravel_index(one, sizes)
        codes = tuple(int(digit) - 1 for digit in digits[: len(rows.codes)])
        flags = tuple(bool(digit) for digit in digits[len(rows.codes) :])
        yield case == one, residue.table(variables.labels, codes, flags)


def _cases(rows: Rows, sizes: list[int]) -> NDArray[np.unsignedinteger]:
    """What is known of each row as one number, its digits being the codes (from -1) and flags."""
    case = np.zeros(len(rows), dtype=np.min_scalar_type(math.prod(sizes)))  # most often a byte
    digits = [*(codes + 1 for codes in rows.codes), *rows.flags]
    for digit, size in zip(digits, sizes, strict=True):
        case *= case.dtype.type(size)
        case += digit.astype(case.dtype)
    return case


def _present(case: NDArray[np.unsignedinteger]) -> NDArray[np.integer]:
    """The numbers that occur, in order; small ones are marked in a table instead of sorted."""
    if case.dtype.itemsize > 2:
        return np.unique(case)
    seen = np.zeros(1 << (8 * case.dtype.itemsize), dtype=bool)
    for begin in range(0, len(case), CHUNK):
        seen[case[begin : begin + CHUNK]] = True
    return np.flatnonzero(seen)


def alike(
    rows: Rows, residue: Residue, variables: LabelVariables, *, once: bool
) -> Iterator[Alike]:
    """The groundings of a batch, gathered by truth table."""
    functions = tuple(slot.label for slot in residue.slots)
    for chosen, truth in cases(rows, residue, variables):
        yield Alike(functions, truth, rows.slots, rows.key, rows.count, once).where(chosen)


def folded(group: Alike) -> Iterator[Alike]:
    """The groundings with one axis for each label that their truth still depends on, maybe none."""
    while len(group.weight):
        if (pair := _coinciding(group)) is not None:
            # One label in two places: what is left is the table's diagonal.
            first, second = pair
            same = group.items[first] == group.items[second]
            diagonal = np.diagonal(group.truth, axis1=first, axis2=second)
            diagonal = np.moveaxis(diagonal, -1, first)
            yield from folded(group.where(same).without_axis(second, diagonal))
            group = group.where(~same)
        elif (axis := _idle_axis(group.truth)) is not None:
            group = group.without_axis(axis, np.asarray(group.truth.take(0, axis=axis)))
        else:
            yield group
            return


def _coinciding(group: Alike) -> tuple[int, int] | None:
    """Two axes that are the same label in some grounding."""
    for first, second in combinations(range(len(group.items)), 2):
        same_function = group.functions[first] == group.functions[second]
        if same_function and (group.items[first] == group.items[second]).any():
            return first, second
    return None


def _idle_axis(truth: Truths) -> int | None:
    """An axis that the truth does not depend on."""
    for axis in range(truth.ndim):
        if (truth == truth.take([0], axis=axis)).all():
            return axis
    return None


def unary_block(group: Alike, variables: LabelVariables) -> UnaryBlock:
    """Groundings over one label each, as merged entries of the count matrix."""
    (function,) = group.functions
    n_labels = len(variables.labels[function])
    columns = [group.items[0], group.weight]
    merged = merge(columns, group.count, once=group.once, unordered=False)
    true_states = np.flatnonzero(group.truth)
    state = np.multiply(merged.rows.column(0)[:, None], n_labels, dtype=np.int64)
    state = state + (variables.first_state[function] + true_states)
    weight, count = merged.rows.column(1), merged.count
    if len(true_states) != 1:
        weight, count = np.repeat(weight, len(true_states)), np.repeat(count, len(true_states))
    return UnaryBlock(state.ravel(), weight, count)


def table_block(pending: list[Alike], variables: LabelVariables) -> TableBlock:
    """Groundings over several labels each; those on the same labels and weight are merged.

    Takes the first of `pending`, so that its arrays can be let go as soon as they are packed.
    """
    group = pending.pop(0)
    functions, truth, count, once = group.functions, group.truth, group.count, group.once
    columns = [*group.items, group.weight]
    del group
    symmetric = len(functions) == 2 and functions[0] == functions[1] and (truth == truth.T).all()
    merged = merge(columns, count, once=once, unordered=bool(symmetric))
    weight = merged.rows.column(len(functions))
    first = [variables.first_variable[function] for function in functions]
    found = merged.rows.table(range(len(functions)), first)
    return TableBlock(functions, np.ascontiguousarray(truth), found, weight, merged.count)
