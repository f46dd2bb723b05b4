"""What a program says already: conditions on single instances from which a label follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from tacit.logic.evidence import Hard, LabelFunction
from tacit.logic.formula import (
    And,
    Atom,
    Constant,
    Formula,
    Implies,
    LabelIs,
    Term,
    Value,
    Variable,
)
from tacit.logic.program import Program
from tacit.logic.traverse import walk
from tacit.proposals.features import Feature

Pattern = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """The conditions of a program's evidence on one label function.

    Those of constants alone are kept as a set, as a grown program has hundreds of them.
    """

    exact: frozenset[frozenset[tuple[str, tuple[Value, ...]]]]
    patterns: tuple[Pattern, ...]  # those with variables: `votes(r, l)` covers `votes(r, "pos")`

    def covers(self, feature: Feature) -> bool:
        """Whether the program draws a conclusion from just this feature."""
        facts = tuple((part.predicate, part.constants) for part in feature.parts)
        return frozenset(facts) in self.exact or any(
            _fits(pattern, order) for pattern in self.patterns for order in permutations(facts)
        )


def said(program: Program, label: LabelFunction) -> Said:
    """What a program says about a label function, feature by feature."""
    found = [p for e in program.evidence if (p := _pattern(e.formula, label))]
    exact, patterns = set(), []
    for pattern in found:
        if all(isinstance(term, Constant) for atom in pattern for term in atom.terms[1:]):
            exact.add(frozenset((atom.predicate, _values(atom)) for atom in pattern))
        else:
            patterns.append(pattern)
    return Said(frozenset(exact), tuple(patterns))


def truth_tables(program: Program, label: LabelFunction) -> frozenset[str]:
    """Predicates that hold the label itself, as in `hard gold(r, l) => sentiment(r) = l`."""
    return frozenset(
        predicate
        for evidence in program.evidence
        if isinstance(evidence.weight, Hard)
        for predicate in _naming_label(evidence.formula, label)
    )


def _naming_label(formula: Formula, label: LabelFunction) -> Iterator[str]:
    """The predicates of a formula that share a variable with the label's value."""
    goals = (node for node in walk(formula) if isinstance(node, LabelIs))
    values = [goal.value for goal in goals if goal.subject.label == label.name]
    names = {value.name for value in values if isinstance(value, Variable)}
    for node in walk(formula):
        if isinstance(node, Atom) and any(
            isinstance(term, Variable) and term.name in names for term in node.terms
        ):
            yield node.predicate


def _pattern(formula: Formula, label: LabelFunction) -> Pattern | None:
    """The atoms of `atoms => label(x) = value` or `atoms & label(x) = value`, all about x."""
    if isinstance(formula, Implies):
        goals, conditions = [formula.conclusion], _conjuncts(formula.condition)
    else:
        goals = [part for part in _conjuncts(formula) if isinstance(part, LabelIs)]
        conditions = [part for part in _conjuncts(formula) if not isinstance(part, LabelIs)]
    if len(goals) != 1 or not isinstance(goal := goals[0], LabelIs) or not conditions:
        return None
    atoms = tuple(part for part in conditions if isinstance(part, Atom))
    item = goal.subject.item
    about = len(atoms) == len(conditions) and all(atom.terms[0] == item for atom in atoms)
    return atoms if about and goal.subject.label == label.name else None


def _conjuncts(formula: Formula) -> list[Formula]:
    """The parts of a conjunction; anything else is its own only part."""
    return list(formula.parts) if isinstance(formula, And) else [formula]


def _values(atom: Atom) -> tuple[Value, ...]:
    """The constants behind an atom's first term."""
    return tuple(term.value for term in atom.terms[1:] if isinstance(term, Constant))


def _fits(pattern: Pattern, facts: tuple[tuple[str, tuple[Value, ...]], ...]) -> bool:
    """Whether the variables of a pattern can be set so that it says these facts, in this order."""
    if len(pattern) != len(facts):
        return False
    bound: dict[str, Value] = {}
    for atom, (predicate, constants) in zip(pattern, facts, strict=True):
        if atom.predicate != predicate or len(atom.terms) != len(constants) + 1:
            return False
        if not all(_binds(t, c, bound) for t, c in _paired(atom, constants)):
            return False
    return True


def _paired(atom: Atom, constants: tuple[Value, ...]) -> Iterator[tuple[Term, Value]]:
    """Each term behind the first with its constant."""
    return zip(atom.terms[1:], constants, strict=True)


def _binds(term: Term, constant: Value, bound: dict[str, Value]) -> bool:
    """Whether a term can stand for a constant; a variable then does so from here on."""
    if isinstance(term, Variable):
        return bound.setdefault(term.name, constant) == constant
    return term.value == constant
