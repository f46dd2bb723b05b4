"""The truth of a formula by definition: nested loops over everything there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from operator import eq, ge, gt, le, lt, ne

from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
    Constant,
    Count,
    Formula,
    Iff,
    Implies,
    LabelIs,
    LabelOf,
    Not,
    Or,
    SameLabel,
    Term,
    Truth,
    Value,
)

Binding = Mapping[str, Value]

_COMPARE = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class World:
    """One way that everything could be: the observed facts, and a label for every item."""

    tables: Mapping[str, frozenset[tuple[Value, ...]]] = field(default_factory=dict)
    labels: Mapping[tuple[str, Value], str] = field(default_factory=dict)

    @cached_property
    def universe(self) -> tuple[Value, ...]:
        """Every value in the world, each once: what quantified variables range over."""
        facts = {value for rows in self.tables.values() for row in rows for value in row}
        items = {item for _, item in self.labels}
        return tuple(sorted(facts | items | set(self.labels.values()), key=_rank))


def holds(formula: Formula, world: World, binding: Binding) -> bool:
    """Whether a formula is true in a world when its free variables are bound so.

    Facts that are not in a table are false. Label atoms about an item without a label are false.
    """
    match formula:
        case Truth(truth):
            return truth
        case Atom(predicate, terms):
            row = tuple(_value(term, binding) for term in terms)
            return row in world.tables.get(predicate, frozenset())
        case LabelIs(subject, value):
            label = _label(subject, world, binding)
            return label is not None and label == _value(value, binding)
        case SameLabel(left, right):
            label = _label(left, world, binding)
            return label is not None and label == _label(right, world, binding)
        case Comparison(left, operator, right):
            sides = _rank(_value(left, binding)), _rank(_value(right, binding))
            return bool(_COMPARE[operator](*sides))
        case Not(part):
            return not holds(part, world, binding)
        case And(parts):
            return all(holds(part, world, binding) for part in parts)
        case Or(parts):
            return any(holds(part, world, binding) for part in parts)
        case Implies(condition, conclusion):
            return not holds(condition, world, binding) or holds(conclusion, world, binding)
        case Iff(left, right):
            return holds(left, world, binding) == holds(right, world, binding)
        case Count():
            return _count_holds(formula, world, binding)
        case _:
            raise TypeError(f"no such formula: {formula!r}")


def _count_holds(formula: Count, world: World, binding: Binding) -> bool:
    """Count the distinct bindings of the quantified variables that satisfy the body."""
    names = [variable.name for variable in formula.variables]
    found = sum(
        holds(formula.body, world, {**binding, **dict(zip(names, values, strict=True))})
        for values in product(world.universe, repeat=len(names))
    )
    compare = {"atleast": ge, "atmost": le, "exactly": eq}[formula.quantifier]
    return bool(compare(found, formula.count))


def _value(term: Term, binding: Binding) -> Value:
    return term.value if isinstance(term, Constant) else binding[term.name]


def _label(subject: LabelOf, world: World, binding: Binding) -> str | None:
    return world.labels.get((subject.label, _value(subject.item, binding)))


def _rank(value: Value) -> tuple[bool, Value]:
    """A total order: all numbers come before all texts, so that `!(a < b)` is `a >= b`."""
    return (isinstance(value, str), value)
