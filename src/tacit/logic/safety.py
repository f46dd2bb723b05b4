"""Which variables of a formula are bound: the range restriction that keeps grounding finite.

A formula is grounded over the bindings for which its truth depends on a label. For `A => B` these
are the bindings that make `A` true, for `A & B` likewise; so every variable must occur in a fact
that the condition asserts, not merely in one that it denies. A formula without any fact, such as
a prior `sentiment(r) = pos`, ranges over the table of its label function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from tacit.logic.formula import (
    And,
    Atom,
    Comparison,
    Count,
    Formula,
    LabelIs,
    Not,
    Or,
    SameLabel,
    Term,
    Variable,
)
from tacit.logic.normal import simplify
from tacit.logic.traverse import children, variables, walk


def unbound(formula: Formula) -> list[Variable]:
    """The free variables that nothing binds; an empty list means that the formula is safe."""
    free = variables(formula)
    needed = {name for name in free if name not in label_ranged(formula)}
    simple = simplify(formula)
    if _ranges_over_its_table(simple, needed):
        return _unbound_inside(formula)
    as_condition = _restricted_somewhere(simplify(Not(formula)))  # A => B: false only where A holds
    as_conjunction = restricted(simple)  # A & B: true only where A holds
    missing = min(needed - as_condition, needed - as_conjunction, key=len)
    return [free[name] for name in free if name in missing] + _unbound_inside(formula)


def unconnected(formula: Formula, tables: Collection[str]) -> tuple[Variable, Variable] | None:
    """Two variables that facts bind, but that no chain of facts and comparisons connects.

    Such a formula would be grounded over every combination of the two. Where one of them is bound
    by the name of a label's table, as in `review(s)`, every combination is what was asked for.
    """
    group: dict[str, str] = {}  # variable -> another one that it is connected with, or itself

    def root(name: str) -> str:
        while group.setdefault(name, name) != name:
            name = group[name]
        return name

    by_facts: set[str] = set()
    any_of_table: set[str] = set()
    for node in walk(formula):
        if isinstance(node, Atom | Comparison | LabelIs):  # a label's value has few choices
            names = list(variables(node))
            for name in names[1:]:
                group[root(name)] = root(names[0])
            if isinstance(node, Atom):
                by_facts.update(names)
                any_of_table.update(names if node.predicate in tables else ())
    freed = {root(name) for name in any_of_table}
    found = [v for name, v in variables(formula).items() if name in by_facts]
    free = [variable for variable in found if root(variable.name) not in freed]
    apart = [variable for variable in free if root(variable.name) != root(free[0].name)]
    return (free[0], apart[0]) if apart else None


def label_ranged(formula: Formula) -> dict[str, int]:
    """Variables that stand only for label values, so that they range over the label space.

    The count says how many label atoms share the variable: `a(x) = l => b(x) = l` has two.
    """
    as_value: Counter[str] = Counter()
    elsewhere: set[str] = set()
    for node in walk(formula):
        match node:
            case LabelIs(subject, value):
                elsewhere |= _names(subject.item)
                as_value.update(_names(value))
            case Atom() | SameLabel() | Comparison():
                elsewhere |= set(variables(node))
            case _:
                pass
    return {name: count for name, count in as_value.items() if name not in elsewhere}


def restricted(formula: Formula) -> set[str]:
    """The variables that can take only finitely many values where the formula (in NNF) holds."""
    match formula:
        case Atom(_, terms):
            return {name for term in terms for name in _names(term)}
        case And(parts):
            return set().union(*(restricted(part) for part in parts))
        case Or(parts):
            return set.intersection(*(restricted(part) for part in parts))
        case Count("atleast", count, bound, body) if count >= 1:
            return restricted(body) - {variable.name for variable in bound}
        case _:
            return set()


def _restricted_somewhere(formula: Formula) -> set[str]:
    """As `restricted`, but a fact in one alternative and a label in the others bind as well.

    This is what `p(i) <=> y(i) = pos` needs: where no fact names i, its label does.
    """
    if not isinstance(formula, Or):
        return restricted(formula)
    by_facts: list[set[str]] = [restricted(part) for part in formula.parts]
    by_any = [bound | _labelled(part) for bound, part in zip(by_facts, formula.parts, strict=True)]
    return set.intersection(*by_any) & set[str]().union(*by_facts)


def _labelled(formula: Formula) -> set[str]:
    """The variables whose label a conjunction asserts."""
    parts = formula.parts if isinstance(formula, And) else (formula,)
    return {
        name for part in parts if isinstance(part, LabelIs) for name in _names(part.subject.item)
    }


def _items(node: Formula) -> set[str]:
    """The variables whose labels a label atom speaks of."""
    match node:
        case LabelIs(subject, _):
            return _names(subject.item)
        case SameLabel(left, right):
            return _names(left.item, right.item)
        case _:
            return set()


def _names(*terms: Term) -> set[str]:
    return {term.name for term in terms if isinstance(term, Variable)}


def _ranges_over_its_table(formula: Formula, needed: set[str]) -> bool:
    """Whether the formula speaks of one instance's labels and nothing else: a prior."""
    items = {name for node in walk(formula) for name in _items(node)}
    facts = any(isinstance(node, Atom) for node in walk(formula))
    return len(needed) == 1 and needed <= items and not facts


def _unbound_inside(formula: Formula) -> list[Variable]:
    """Variables of quantifiers that the quantifier's own body does not bind."""
    found: list[Variable] = []
    for child in children(formula):
        found.extend(_unbound_inside(child))
    if isinstance(formula, Count):
        ok = restricted(simplify(formula.body))
        found.extend(variable for variable in formula.variables if variable.name not in ok)
    return found
