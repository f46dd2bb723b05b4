"""Walking over formulas and changing them: every function answers a new value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
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
    Variable,
)


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
