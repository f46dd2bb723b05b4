"""Formulas: immutable nodes of first-order logic over observed facts and hidden labels.

A formula is a tree of the nodes below. Observed atoms are true or false by the tables; label atoms
(`LabelIs`, `SameLabel`) speak of hidden labels. Nodes check themselves at birth, compare by what
they say and not by where they were written, and combine with `&`, `|`, `~` and `>>`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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


def children(formula: Formula) -> tuple[Formula, ...]:
    """The formulas directly below a node."""
    match formula:
        case Not():
            return (formula.part,)
        case And() | Or():
            return formula.parts
        case Implies():
            return (formula.condition, formula.conclusion)
        case Iff():
            return (formula.left, formula.right)
        case Count():
            return (formula.body,)
        case _:
            return ()


def walk(formula: Formula) -> Iterator[Formula]:
    """Every node of a formula, the root first, parts from left to right."""
    yield formula
    for child in children(formula):
        yield from walk(child)


def terms(formula: Formula) -> Iterator[Term]:
    """Every term of a formula as it is written, from left to right."""
    for node in walk(formula):
        match node:
            case Atom():
                yield from node.terms
            case LabelIs():
                yield from (node.subject.item, node.value)
            case SameLabel():
                yield from (node.left.item, node.right.item)
            case Comparison():
                yield from (node.left, node.right)
            case _:
                pass


def variables(formula: Formula) -> dict[str, Variable]:
    """The free variables of a formula by name, in the order of their first occurrence."""
    found: dict[str, Variable] = {}
    for child in children(formula):
        for name, variable in variables(child).items():
            found.setdefault(name, variable)
    if isinstance(formula, Count):
        for bound in formula.variables:
            found.pop(bound.name, None)
    if not children(formula):
        for term in terms(formula):
            if isinstance(term, Variable):
                found.setdefault(term.name, term)
    return found


def per_value_variables(formula: Formula) -> tuple[str, ...]:
    """The names of the variables that key the weight: those marked `+` at least once."""
    marked = {t.name for t in terms(formula) if isinstance(t, Variable) and t.per_value}
    return tuple(name for name in variables(formula) if name in marked)


def is_hidden(formula: Formula) -> bool:
    """Whether the truth of a formula depends on a hidden label."""
    return any(isinstance(node, LabelIs | SameLabel) for node in walk(formula))


def label_functions(formula: Formula) -> tuple[str, ...]:
    """The names of the label functions that a formula speaks of, in the order of occurrence."""
    found: dict[str, None] = {}
    for node in walk(formula):
        match node:
            case LabelIs():
                found[node.subject.label] = None
            case SameLabel():
                found[node.left.label] = None
                found[node.right.label] = None
            case _:
                pass
    return tuple(found)


def map_children(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with the formulas directly below it replaced, from left to right."""
    match formula:
        case Not():
            return replace(formula, part=change(formula.part))
        case And() | Or():
            return replace(formula, parts=tuple(change(part) for part in formula.parts))
        case Implies(condition, conclusion):
            return replace(formula, condition=change(condition), conclusion=change(conclusion))
        case Iff(left, right):
            return replace(formula, left=change(left), right=change(right))
        case Count():
            return replace(formula, body=change(formula.body))
        case _:
            return formula


def map_terms(formula: Formula, change: Callable[[Term], Term]) -> Formula:
    """The formula with every term replaced, from left to right; quantified names are kept."""

    def subject(label: LabelOf) -> LabelOf:
        return replace(label, item=change(label.item))

    match formula:
        case Atom():
            return replace(formula, terms=tuple(change(term) for term in formula.terms))
        case LabelIs():
            return replace(formula, subject=subject(formula.subject), value=change(formula.value))
        case SameLabel():
            return replace(formula, left=subject(formula.left), right=subject(formula.right))
        case Comparison():
            return replace(formula, left=change(formula.left), right=change(formula.right))
        case _:
            return map_children(formula, lambda child: map_terms(child, change))


def rename(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with free variables renamed; what a quantifier inside it binds is left alone."""
    if isinstance(formula, Count):
        inside = {variable.name for variable in formula.variables}
        names = {old: new for old, new in names.items() if old not in inside}

    def renamed(term: Term) -> Term:
        if isinstance(term, Variable) and term.name in names:
            return replace(term, name=names[term.name])
        return term

    if children(formula):
        return map_children(formula, lambda child: rename(child, names))
    return map_terms(formula, renamed)
