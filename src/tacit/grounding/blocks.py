"""From rows to factors: truth tables are folded, and equal groundings are merged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacit.grounding.factors import Floats, Ints, LabelVariables, TableBlock, UnaryBlock
from tacit.grounding.rows import Rows, sorted_groups
from tacit.grounding.truth import Residue, Truths


@dataclass(frozen=True, slots=True)
class Alike:
    """Groundings that share a truth table, with one array of instance rows for each axis."""

    functions: tuple[str, ...]  # the label function of each axis
    truth: Truths
    items: tuple[Ints, ...]
    weight: Ints
    count: Floats

    def where(self, chosen: NDArray[np.bool_]) -> Alike:
        """Some of the groundings."""
        if chosen.all():
            return self
        items = tuple(item[chosen] for item in self.items)
        return replace(self, items=items, weight=self.weight[chosen], count=self.count[chosen])

    def without_axis(self, axis: int, truth: Truths) -> Alike:
        """The same groundings with one axis less."""
        keep = [i for i in range(len(self.items)) if i != axis]
        functions = tuple(self.functions[i] for i in keep)
        return replace(
            self, functions=functions, truth=truth, items=tuple(self.items[i] for i in keep)
        )


def cases(
    rows: Rows, residue: Residue, variables: LabelVariables
) -> Iterator[tuple[NDArray[np.bool_], Truths]]:
    """The rows that share a truth table, with that table."""
    known = [*(codes + 1 for codes in rows.codes), *(flag.astype(np.int32) for flag in rows.flags)]
    sizes = [len(variables.labels[function]) + 1 for _, function in residue.codes]
    sizes += [2] * len(rows.flags)
    case = np.zeros(len(rows), dtype=np.int64)
    for values, size in zip(known, sizes, strict=True):
        case = case * size + values
    for one in np.unique(case).tolist():
        digits = np.unravel_index(one, sizes) if sizes else ()
        codes = tuple(int(digit) - 1 for digit in digits[: len(rows.codes)])
        flags = tuple(bool(digit) for digit in digits[len(rows.codes) :])
        yield case == one, residue.table(variables.labels, codes, flags)


def alike(rows: Rows, residue: Residue, variables: LabelVariables) -> Iterator[Alike]:
    """The groundings of a batch, gathered by truth table."""
    functions = tuple(slot.label for slot in residue.slots)
    for chosen, truth in cases(rows, residue, variables):
        yield Alike(functions, truth, rows.slots, rows.key, rows.count).where(chosen)


def folded(group: Alike) -> Iterator[Alike]:
    """The groundings with one axis for each label that their truth still depends on, maybe none."""
    if len(group.weight) == 0:
        return
    for first, second in combinations(range(len(group.items)), 2):
        if group.functions[first] == group.functions[second]:
            same = group.items[first] == group.items[second]
            if same.any():  # one label in two places: what is left is the table's diagonal
                diagonal = np.diagonal(group.truth, axis1=first, axis2=second)
                diagonal = np.moveaxis(diagonal, -1, first)
                yield from folded(group.where(same).without_axis(second, diagonal))
                yield from folded(group.where(~same))
                return
    for axis in range(group.truth.ndim):
        reference = group.truth.take([0], axis=axis)
        if (group.truth == reference).all():
            yield from folded(group.without_axis(axis, reference.squeeze(axis)))
            return
    yield group


def unary_block(group: Alike, variables: LabelVariables) -> UnaryBlock:
    """Groundings over one label each, as merged entries of the count matrix."""
    (function,) = group.functions
    n_labels = len(variables.labels[function])
    true_states = np.flatnonzero(group.truth)
    first = variables.first_state[function] + group.items[0].astype(np.int64) * n_labels
    state = (first[:, None] + true_states).ravel()
    weight = np.repeat(group.weight, len(true_states))
    count = np.repeat(group.count, len(true_states))
    order, starts = sorted_groups(state, weight)
    keep = order[starts]
    return UnaryBlock(state[keep], weight[keep], _sums(count[order], starts))


def table_block(group: Alike, variables: LabelVariables) -> TableBlock:
    """Groundings over several labels each; those on the same labels and weight are merged."""
    functions, truth = group.functions, group.truth
    columns = [
        item + np.int32(variables.first_variable[function])
        for item, function in zip(group.items, functions, strict=True)
    ]
    if len(columns) == 2 and functions[0] == functions[1] and (truth == truth.T).all():
        columns = [np.minimum(*columns), np.maximum(*columns)]
    order, starts = sorted_groups(*columns, group.weight)
    keep = order[starts]
    return TableBlock(
        functions=functions,
        truth=np.ascontiguousarray(truth),
        variables=np.stack([column[keep] for column in columns], axis=1),
        weight=group.weight[keep],
        count=_sums(group.count[order], starts),
    )


def _sums(values: Floats, starts: NDArray[np.int64]) -> Floats:
    """The sum of each run."""
    return np.add.reduceat(values, starts) if len(starts) else np.empty(0)
