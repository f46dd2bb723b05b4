"""Names for what the ready forms make: valid in program text, readable and used once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count
from numbers import Real

from tacit.errors import BadWeight, DuplicateName, UnknownLabel, did_you_mean, listed
from tacit.logic.evidence import Expect, Fixed, Hard, LabelFunction, Learned, Weight
from tacit.logic.formula import Constant, LabelIs, LabelOf, Term, Variable, is_identifier

_LONGEST = 40  # characters of a made name; enough to recognise it by


class Names:
    """Gives out names, each of them once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Start with some names that are taken already."""
        self._taken = set(taken)

    def new(self, wanted: str) -> str:
        """The wanted name, with `_2`, `_3`, ... behind it where it is taken."""
        candidates = (wanted if n == 1 else f"{wanted}_{n}" for n in count(1))
        name = next(name for name in candidates if name not in self._taken)
        self._taken.add(name)
        return name

    def claim(self, name: str, what: str) -> None:
        """Take exactly this name, or refuse it if it was given out before."""
        if name in self._taken:
            raise DuplicateName(f"two {what}s are called '{name}'", remedy="rename one of them")
        self._taken.add(name)


def identifier(*words: str) -> str:
    """A name made of words: `identifier("pos", "sci-fi!")` is `pos_sci_fi`."""
    parts = [re.sub(r"\W+", "_", word).strip("_") for word in words]
    name = "_".join(part for part in parts if part)[:_LONGEST].rstrip("_")
    return name if is_identifier(name) else f"is_{name or 'something'}"


def variables_for(label: LabelFunction, names: Sequence[str]) -> tuple[Variable, ...]:
    """A variable for each name: its first letter, numbered where that is taken or is a label."""
    taken = set(label.labels)
    found = []
    for name in names:
        letter = name[0].lower() if is_identifier(name[0].lower()) else "x"
        candidates = (letter if n == 1 else f"{letter}{n}" for n in count(1))
        found.append(next(candidate for candidate in candidates if candidate not in taken))
        taken.add(found[-1])
    return tuple(Variable(name) for name in found)


def label_is(label: LabelFunction, item: Variable, value: str | Variable) -> LabelIs:
    """`sentiment(r) = pos`, or `sentiment(r) = l` for a variable."""
    term: Term = value if isinstance(value, Variable) else Constant(require_label(label, value))
    return LabelIs(LabelOf(label.name, item), term)


def require_label(label: LabelFunction, value: object) -> str:
    """The value, if it is one of the label function's labels."""
    if isinstance(value, str) and value in label.labels:
        return value
    raise UnknownLabel(
        f"{value!r} is no label of '{label.name}'; it has: {listed(label.labels)}",
        remedy=did_you_mean(str(value), label.labels) or "use one of its labels",
    )


def as_weight(weight: float | Weight) -> Weight:
    """A number as a weight that is learned from there; a weight as it is."""
    if isinstance(weight, Real) and not isinstance(weight, bool):
        return Learned(float(weight))  # NumPy's numbers would print otherwise than Python's
    if isinstance(weight, Learned | Fixed | Hard | Expect):
        return weight
    raise BadWeight(f"the weight is {weight!r}", remedy="use a number, Fixed(...) or Hard()")
