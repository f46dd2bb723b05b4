"""The hidden part of a formula as truth tables over the labels that it touches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import BadFormula
from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
    Count,
    Formula,
    LabelIs,
    LabelOf,
    Not,
    Or,
    SameLabel,
    Variable,
)
from tacit.logic.traverse import children

Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Residue:
    """What must be known of a grounding to say how its truth depends on the labels."""

    formula: Formula
    slots: tuple[LabelOf, ...]  # the label variables, in order of occurrence: the table's axes
    codes: tuple[tuple[str, str], ...]  # (variable, label function): values of labels
    flags: tuple[Atom | Comparison, ...]  # facts that could not be parted from the labels

    @classmethod
    def of(cls, formula: Formula) -> Residue:
        """The residue of a hidden formula without quantifiers over labels."""
        leaves = list(_leaves(formula))
        slots: list[LabelOf] = []
        for leaf in leaves:
            match leaf:
                case LabelIs(subject, _):
                    slots.append(subject)
                case SameLabel(left, right):
                    slots += [left, right]
                case _:
                    pass
        codes = [
            (leaf.value.name, leaf.subject.label)
            for leaf in leaves
            if isinstance(leaf, LabelIs) and isinstance(leaf.value, Variable)
        ]
        flags = [leaf for leaf in leaves if isinstance(leaf, Atom | Comparison)]
        return cls(formula, _once(slots), _once(codes), _once(flags))

    def table(
        self, labels: Mapping[str, tuple[str, ...]], codes: tuple[int, ...], flags: tuple[bool, ...]
    ) -> Truths:
        """The truth of the formula for every combination of the slots' labels.

        Axis i runs over the labels of slot i. A code of -1 is a value that is no label.
        """
        sizes = [len(labels[slot.label]) for slot in self.slots]
        known = dict(zip(self.codes, codes, strict=True))
        facts = dict(zip(self.flags, flags, strict=True))
        result = _truth(self.formula, self.slots, labels, known, facts)
        return np.broadcast_to(result, sizes)


def _once(items: list[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(items))


def _leaves(formula: Formula) -> list[Formula]:
    if isinstance(formula, Count):
        raise BadFormula(
            "a quantifier is mixed with other conditions in a way that cannot be grounded",
            place=formula.place,
            remedy="let the quantifier be the whole conclusion of a formula of its own",
        )
    below = children(formula)
    return [leaf for child in below for leaf in _leaves(child)] if below else [formula]


def _truth(
    formula: Formula,
    slots: tuple[LabelOf, ...],
    labels: Mapping[str, tuple[str, ...]],
    codes: Mapping[tuple[str, str], int],
    facts: Mapping[Atom | Comparison, bool],
) -> Truths:
    """Truth by structure; the result broadcasts over the slots' axes."""
    match formula:
        case Not(part):
            return ~_truth(part, slots, labels, codes, facts)
        case And(parts):
            truths = [_truth(part, slots, labels, codes, facts) for part in parts]
            return np.asarray(np.logical_and.reduce(np.broadcast_arrays(*truths)))
        case Or(parts):
            truths = [_truth(part, slots, labels, codes, facts) for part in parts]
            return np.asarray(np.logical_or.reduce(np.broadcast_arrays(*truths)))
        case LabelIs(subject, Variable(name)):
            code = codes[name, subject.label]
            states = np.arange(len(labels[subject.label])) == code
            return _along(states, slots.index(subject), len(slots))
        case SameLabel(left, right):
            first, second = slots.index(left), slots.index(right)
            names = [np.array(labels[slot.label], dtype=object) for slot in (left, right)]
            same = _along(names[0], first, len(slots)) == _along(names[1], second, len(slots))
            return np.asarray(same, dtype=bool)
        case Atom() | Comparison():
            return np.asarray(facts[formula])
        case _:
            raise TypeError(f"not in normal form: {formula!r}")


def _along(values: NDArray[Any], axis: int, n_axes: int) -> NDArray[Any]:
    """A vector laid along one axis of a table."""
    return values.reshape([-1 if i == axis else 1 for i in range(n_axes)])
