"""Domains for the variables of Markov logic that no fact binds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tacit.logic.formula import (
    And,
    Atom,
    Count,
    Formula,
    Iff,
    Implies,
    LabelIs,
    Not,
    Or,
    Term,
    Variable,
)
from tacit.logic.mln_formula import Roles
from tacit.logic.mln_signature import Predicate, domain_predicate, table_name
from tacit.logic.normal import simplify
from tacit.logic.safety import label_ranged, restricted, unbound
from tacit.logic.traverse import children, variables


def bound_to_domains(formula: Formula, roles: Roles) -> Formula:
    """The formula, with an atom for the domain of each variable that no fact binds.

    In Markov logic a variable ranges over all constants of its type. Where no fact of the formula
    says so, the domain does: `person(x)` if the type's items have labels, else `any_word(w)`.
    """
    formula = _bound_inside(formula, roles)
    free = variables(formula)
    if not {variable.name for variable in unbound(formula)} & set(free):
        return formula
    is_and = isinstance(formula, And)
    asserted = restricted(simplify(formula if is_and else Not(formula)))
    loose = [v for v in free if v not in asserted and v not in label_ranged(formula)]
    atoms = _domain_atoms(loose, formula, roles)
    match formula:
        case _ if not atoms:
            return formula
        case And(parts):
            return replace(formula, parts=(*atoms, *parts))
        case Implies(condition, conclusion):
            return Implies(_conjunction(atoms, condition), conclusion, place=formula.place)
        case _:
            return Implies(_conjunction(atoms), formula, place=formula.place)


def _bound_inside(formula: Formula, roles: Roles) -> Formula:
    """The formula with the variables of its quantifiers bound, innermost first."""
    match formula:
        case Not(part):
            return replace(formula, part=_bound_inside(part, roles))
        case And(parts) | Or(parts):
            return replace(formula, parts=tuple(_bound_inside(part, roles) for part in parts))
        case Implies(condition, conclusion):
            sides = _bound_inside(condition, roles), _bound_inside(conclusion, roles)
            return Implies(*sides, place=formula.place)
        case Iff(left, right):
            sides = _bound_inside(left, roles), _bound_inside(right, roles)
            return Iff(*sides, place=formula.place)
        case Count(_, _, quantified, body):
            body = _bound_inside(body, roles)
            asserted = restricted(simplify(body))
            loose = [v.name for v in quantified if v.name not in asserted]
            atoms = _domain_atoms(loose, body, roles)
            return replace(formula, body=_conjunction(atoms, body) if atoms else body)
        case _:
            return formula


def _conjunction(atoms: list[Formula], *rest: Formula) -> Formula:
    """Atoms, then the parts of the rest, as one flat conjunction."""
    parts = list(atoms)
    for formula in rest:
        parts.extend(formula.parts if isinstance(formula, And) else [formula])
    return And(tuple(parts)) if len(parts) > 1 else parts[0]


def _domain_atoms(names: Iterable[str], formula: Formula, roles: Roles) -> list[Formula]:
    """The domain atoms of some variables; none for a variable whose type cannot be told."""
    uses = {table_name(name): predicate for name, predicate in roles.predicates.items()}
    atoms: list[Formula] = []
    for name in names:
        kind = _type_of(name, formula, uses)
        if kind is not None:
            table = table_name(kind)
            predicate = table if table in roles.tables else domain_predicate(kind)
            atoms.append(Atom(predicate, (Variable(name),)))
    return atoms


def _type_of(name: str, formula: Formula, uses: Mapping[str, Predicate]) -> str | None:
    """The written type of a free variable, from the first atom that uses it."""
    found: Iterable[str | None] = ()
    match formula:
        case Count(_, _, quantified) if name in {variable.name for variable in quantified}:
            return None
        case Atom(predicate, terms) if predicate in uses:
            found = _types_at(name, terms, uses[predicate].types)
        case LabelIs(subject, value):
            declared = uses[subject.label]
            terms = (subject.item, value)
            position = declared.exclusive[0] if declared.exclusive else 1
            kinds = declared.types if position == 1 else declared.types[::-1]
            found = _types_at(name, terms, kinds)
        case _:
            found = (_type_of(name, child, uses) for child in children(formula))
    return next((kind for kind in found if kind is not None), None)


def _types_at(name: str, terms: tuple[Term, ...], kinds: tuple[str, ...]) -> list[str]:
    """The types of the places where a variable stands."""
    places = zip(terms, kinds, strict=False)  # a label that is true or false has no type
    return [kind for term, kind in places if isinstance(term, Variable) and term.name == name]
