"""Templates: evidence split into what is joined and what is left to say about labels.

Templates that differ only in their constants have the same shape and are grounded together, in one
pass over the tables: the constants become a table of parameters with one row for each rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from tacit.errors import BadFormula, listed
from tacit.logic.evidence import Evidence, Expect
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
    Term,
    Truth,
    Value,
    Variable,
)
from tacit.logic.normal import Literal, normal_form, simplify
from tacit.logic.safety import label_ranged
from tacit.logic.traverse import (
    children,
    is_hidden,
    map_children,
    map_terms,
    per_value_variables,
    rename,
    terms,
    variables,
    walk,
)

Guards = tuple[tuple[Literal, ...], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """What templates have in common: a binding that passes a guard is a grounding of `hidden`."""

    guards: Guards
    hidden: Formula
    free: tuple[str, ...]  # the free variables: a grounding is a distinct binding of them
    keys: tuple[str, ...]  # those whose values key the weight
    scale: str | None  # the one whose value a grounding counts
    parameters: tuple[tuple[str, str], ...]  # variables for each rule's constants, with their kind
    ranged: tuple[tuple[str, tuple[str, ...]], ...]  # variables over the labels of these functions
    is_expectation: bool = False

    @property
    def slots(self) -> tuple[LabelOf, ...]:
        """The label variables that a grounding touches, quantified ones apart."""
        return tuple(dict.fromkeys(_slots(self.hidden)))

    @property
    def is_grouped(self) -> bool:
        """Whether a quantifier counts labels."""
        return any(isinstance(node, Count) and is_hidden(node) for node in walk(self.hidden))


@dataclass(frozen=True, slots=True)
class Template:
    """One piece of evidence as a shape and the constants that fill it."""

    evidence: Evidence
    shape: Shape
    constants: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """Templates of one shape, grounded together."""

    shape: Shape
    templates: tuple[Template, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the evidence."""
        return tuple(one.evidence.name for one in self.templates)

    @property
    def name(self) -> str:
        """What to call the batch in messages."""
        return listed(self.names, most=3)


def template(evidence: Evidence) -> Template:
    """The template of a piece of evidence."""
    formula = evidence.formula
    keys = per_value_variables(formula)
    scale = evidence.scale.name if evidence.scale else None
    left = {*variables(simplify(formula)), *keys, scale}  # the others were folded away
    guards, hidden = _split(formula)
    lift = _Lift({term.name for term in terms(formula) if isinstance(term, Variable)})
    shape = Shape(
        guards=tuple(tuple(lift.literal(part) for part in guard) for guard in guards),
        hidden=map_terms(hidden, lift.term),
        free=tuple(name for name in variables(formula) if name in left),
        keys=keys,
        scale=scale,
        parameters=tuple((name, _kind(value)) for name, value in lift.values.items()),
        ranged=tuple(one for one in _ranged(formula) if one[0] in left),
        is_expectation=isinstance(evidence.weight, Expect),
    )
    return Template(evidence, shape, tuple(lift.values.values()))


def _split(formula: Formula) -> tuple[Guards, Formula]:
    """The guards of a formula, and what it says about labels where one of them holds.

    `A => B` and `A & B` differ by a constant where A is observed, so both are B over the bindings
    of A. Where facts and labels do not part like that, the guard is what must be observed for the
    formula to be true (or for it to be false) at all, and the facts stay in the hidden part.
    """
    simple = simplify(formula)
    if not is_hidden(simple):  # whatever labels it named do not matter
        return (), simple
    if isinstance(simple, And) and not all(is_hidden(part) for part in simple.parts):
        observed = [part for part in simple.parts if not is_hidden(part)]
        guards = _alternatives(_all(observed))
        hidden = _all([part for part in simple.parts if is_hidden(part)])
    else:
        form = normal_form(formula)
        guards, hidden = form.guards, form.hidden
    if all(_binds(guard, hidden) for guard in guards):
        return guards, hidden
    for reading in (simplify(Not(formula)), simple):
        guards = _alternatives(_relaxed(reading, count()))
        if all(_binds(guard, simple) for guard in guards):
            return guards, simple
    raise BadFormula(
        "nothing that could be joined binds the variables of this formula",
        place=formula.place,
        remedy="bind them by facts in the formula's condition",
    )


def _alternatives(observed: Formula) -> Guards:
    """An observed formula in disjunctive normal form."""
    return normal_form(Not(observed)).guards


def _binds(guard: tuple[Literal, ...], hidden: Formula) -> bool:
    """Whether the facts of a guard bind what it names, and with labels all that `hidden` names."""
    bound = {name for part in guard if isinstance(part, Atom) for name in variables(part)}
    if not all(set(variables(part)) <= bound for part in guard):
        return False
    items = {slot.item.name for slot in _slots(hidden) if isinstance(slot.item, Variable)}
    return set(variables(hidden)) <= bound | items | set(label_ranged(hidden))


def _relaxed(formula: Formula, fresh: Iterator[int]) -> Formula:
    """The weakest observed condition for a formula in negation normal form: labels may be any.

    What some binding must satisfy is asked of a variable of its own, so that it can be joined.
    """
    match formula:
        case And() | Or():
            return map_children(formula, lambda part: _relaxed(part, fresh))
        case Count("atleast", number, bound, body) if number >= 1 and is_hidden(formula):
            names = {variable.name: f"some{next(fresh)}_{variable.name}" for variable in bound}
            return _relaxed(rename(body, names), fresh)
        case _:
            return Truth(True) if is_hidden(formula) else formula


def batches(templates: Iterable[Template]) -> list[Batch]:
    """Templates gathered by shape, in the order of first occurrence."""
    by_shape: dict[Shape, list[Template]] = {}
    for one in templates:
        by_shape.setdefault(one.shape, []).append(one)
    return [Batch(shape, tuple(members)) for shape, members in by_shape.items()]


class _Lift:
    """Replaces constants by parameters, so that shapes can be compared."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.values: dict[str, Value] = {}

    def term(self, term: Term) -> Term:
        """A parameter for a constant; a variable without its '+', which `keys` remembers."""
        if isinstance(term, Variable):
            return Variable(term.name)
        name = f"p{len(self.values)}"
        while name in self.taken:
            name += "_"
        self.values[name] = term.value
        return Variable(name)

    def literal(self, literal: Literal) -> Literal:
        """A literal of a guard, lifted."""
        lifted = map_terms(literal, self.term)
        assert isinstance(lifted, Atom | Not | Comparison | Count)
        return lifted


def _ranged(formula: Formula) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The variables that stand only for labels, with the label functions whose labels they take."""
    functions: dict[str, dict[str, None]] = {name: {} for name in label_ranged(formula)}
    for node in walk(formula):
        if isinstance(node, LabelIs) and isinstance(node.value, Variable):
            functions.get(node.value.name, {})[node.subject.label] = None
    return tuple((name, tuple(taken)) for name, taken in functions.items())


def _kind(value: Value) -> str:
    """What kind of column holds a constant: rules with different kinds cannot share one."""
    return type(value).__name__


def _all(parts: list[Formula]) -> Formula:
    return And(tuple(parts)) if len(parts) > 1 else parts[0]


def _slots(formula: Formula) -> list[LabelOf]:
    match formula:
        case LabelIs(subject, _):
            return [subject]
        case SameLabel(left, right):
            return [left, right]
        case Count():
            return []
        case _:
            return [slot for child in children(formula) for slot in _slots(child)]
