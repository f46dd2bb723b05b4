"""Formulas: immutable nodes of first-order logic over observed facts and hidden labels.

A formula is a tree of the nodes below. Observed atoms are true or false by the tables; label atoms
(`LabelIs`, `SameLabel`) speak of hidden labels. Nodes check themselves at birth, compare by what
they say and not by where they were written, and combine with `&`, `|`, `~` and `>>`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Literal

from tacit.errors import BadFormula, Place

IDENTIFIER = re.compile(r"[^\W\d]\w*\Z")
RESERVED = frozenset(
    {"label", "observed", "hard", "expect", "exists"}
    | {"atleast", "atmost", "exactly", "true", "false"}
)
NOT_NUMBERS = frozenset({"nan", "inf", "infinity"})  # read as weights, and refused
LARGEST_INTEGER = 10**18  # every smaller one fits a 64-bit column
Value = str | int | float | bool
Operator = Literal["=", "!=", "<", "<=", ">", ">="]
OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=")
Quantifier = Literal["atleast", "atmost", "exactly"]


def is_identifier(name: str) -> bool:
    """Whether a name can stand bare in program text."""
    return (
        IDENTIFIER.match(name) is not None
        and name not in RESERVED
        and name.lower() not in NOT_NUMBERS
    )


def require_identifier(name: str, what: str, place: Place | None = None) -> None:
    """Refuse a name that program text could not hold."""
    if not isinstance(name, str) or not is_identifier(name):
        raise BadFormula(
            f"{name!r} cannot be the name of a {what}",
            place=place,
            remedy="use letters, digits and _, not starting with a digit, and no reserved word",
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """Something that was written somewhere: kept for messages, ignored by comparison."""

    place: Place | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Variable(Placed):
    """A variable, universally quantified over the formula; `per_value` is written `+x`."""

    name: str
    per_value: bool = False  # one weight for each value that the variable takes

    def __post_init__(self) -> None:
        require_identifier(self.name, "variable", self.place)


@dataclass(frozen=True, slots=True)
class Constant(Placed):
    """A value that stands for itself: a text, a number or a truth value."""

    value: Value

    def __post_init__(self) -> None:
        if not isinstance(self.value, str | int | float | bool):
            raise BadFormula(
                f"{self.value!r} cannot be a constant", remedy="use a text, a number or a bool"
            )
        if isinstance(self.value, float) and not math.isfinite(self.value):
            raise BadFormula(f"the constant {self.value!r} is not finite", place=self.place)
        if isinstance(self.value, int) and abs(self.value) >= LARGEST_INTEGER:
            raise BadFormula("a constant integer has at most 18 digits", place=self.place)


Term = Variable | Constant


@dataclass(frozen=True, slots=True)
class Formula(Placed):
    """What every formula node can do: combine with others."""

    def __and__(self, other: Formula) -> And:
        return And((*_parts(self, And), *_parts(other, And)))

    def __or__(self, other: Formula) -> Or:
        return Or((*_parts(self, Or), *_parts(other, Or)))

    def __invert__(self) -> Not:
        return Not(self)

    def __rshift__(self, other: Formula) -> Implies:
        return Implies(self, other)


def _parts(formula: Formula, kind: type[And] | type[Or]) -> tuple[Formula, ...]:
    """The parts that a formula contributes to a flat conjunction or disjunction."""
    return formula.parts if isinstance(formula, kind) else (formula,)


def _require_formulas(parts: tuple[object, ...], place: Place | None) -> None:
    for part in parts:
        if not isinstance(part, Formula):
            raise BadFormula(f"{part!r} is not a formula", place=place)


def _require_terms(terms: tuple[object, ...], place: Place | None) -> None:
    for term in terms:
        if not isinstance(term, Variable | Constant):
            raise BadFormula(f"{term!r} is not a variable or a constant", place=place)


@dataclass(frozen=True, slots=True)
class Truth(Formula):
    """A formula that is always true or always false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Atom(Formula):
    """An observed fact: true exactly when its tuple is in the predicate's table."""

    predicate: str
    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        require_identifier(self.predicate, "predicate", self.place)
        _require_terms(self.terms, self.place)
        if not self.terms:
            raise BadFormula(f"'{self.predicate}' needs at least one argument", place=self.place)


@dataclass(frozen=True, slots=True)
class LabelOf(Placed):
    """The hidden label of one instance: `sentiment(r)`. Not a formula until it is compared."""

    label: str
    item: Term

    def __post_init__(self) -> None:
        require_identifier(self.label, "label function", self.place)
        _require_terms((self.item,), self.place)


@dataclass(frozen=True, slots=True)
class LabelIs(Formula):
    """A hidden label has a value: `sentiment(r) = pos`, `sentiment(r) = l`."""

    subject: LabelOf
    value: Term

    def __post_init__(self) -> None:
        _require_terms((self.value,), self.place)


@dataclass(frozen=True, slots=True)
class SameLabel(Formula):
    """Two hidden labels are equal: `sentiment(r) = sentiment(s)`."""

    left: LabelOf
    right: LabelOf


@dataclass(frozen=True, slots=True)
class Comparison(Formula):
    """Two observed values compared: `n < 3`, `w != "the"`."""

    left: Term
    operator: Operator
    right: Term

    def __post_init__(self) -> None:
        _require_terms((self.left, self.right), self.place)
        if self.operator not in OPERATORS:
            raise BadFormula(
                f"{self.operator!r} is no comparison",
                place=self.place,
                remedy=f"use one of {' '.join(OPERATORS)}",
            )


@dataclass(frozen=True, slots=True)
class Not(Formula):
    """The part is false."""

    part: Formula

    def __post_init__(self) -> None:
        _require_formulas((self.part,), self.place)


@dataclass(frozen=True, slots=True)
class And(Formula):
    """All parts hold."""

    parts: tuple[Formula, ...]

    def __post_init__(self) -> None:
        _require_several(self.parts, "&", self.place)


@dataclass(frozen=True, slots=True)
class Or(Formula):
    """At least one part holds."""

    parts: tuple[Formula, ...]

    def __post_init__(self) -> None:
        _require_several(self.parts, "|", self.place)


def _require_several(parts: tuple[Formula, ...], operator: str, place: Place | None) -> None:
    _require_formulas(parts, place)
    if len(parts) < 2:
        raise BadFormula(f"'{operator}' joins at least two parts", place=place)


@dataclass(frozen=True, slots=True)
class Implies(Formula):
    """If the condition holds, so does the conclusion."""

    condition: Formula
    conclusion: Formula

    def __post_init__(self) -> None:
        _require_formulas((self.condition, self.conclusion), self.place)


@dataclass(frozen=True, slots=True)
class Iff(Formula):
    """Both sides hold, or neither."""

    left: Formula
    right: Formula

    def __post_init__(self) -> None:
        _require_formulas((self.left, self.right), self.place)


@dataclass(frozen=True, slots=True)
class Count(Formula):
    """The number of ways to bind the variables so that the body holds is at least, at most or
    exactly `count`: `exists c: ...`, `atmost 1 c: ...`, `exactly 2 c, d: ...`."""

    quantifier: Quantifier
    count: int
    variables: tuple[Variable, ...]
    body: Formula

    def __post_init__(self) -> None:
        _require_formulas((self.body,), self.place)
        if self.count < 0:
            raise BadFormula(f"cannot count to {self.count}", place=self.place)
        names = [variable.name for variable in self.variables]
        if not names or len(set(names)) < len(names):
            raise BadFormula("a quantifier needs variables, each named once", place=self.place)


HiddenAtom = LabelIs | SameLabel
