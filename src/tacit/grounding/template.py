"""Templates: evidence split into what is joined and what is left to say about labels."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.logic.evidence import Evidence
from tacit.logic.formula import (
    And,
    Count,
    Formula,
    LabelIs,
    LabelOf,
    SameLabel,
    Variable,
    children,
    is_hidden,
    per_value_variables,
    variables,
)
from tacit.logic.normal import Literal, normal_form, simplify

Guards = tuple[tuple[Literal, ...], ...]


@dataclass(frozen=True, slots=True)
class Template:
    """One piece of evidence: each binding that passes a guard is a grounding that says `hidden`."""

    evidence: Evidence
    guards: Guards
    hidden: Formula
    slots: tuple[LabelOf, ...]  # the label variables that a grounding touches, quantifiers apart
    codes: dict[str, str]  # variables that stand for a label's value -> its label function
    keys: tuple[str, ...]  # variables whose values key the weight
    free: tuple[str, ...]  # all free variables: a grounding is a distinct binding of them

    @property
    def groups(self) -> tuple[Count, ...]:
        """The quantified parts whose bodies speak of labels."""
        return tuple(_hidden_counts(self.hidden))

    @property
    def is_unary(self) -> bool:
        """Whether each grounding touches one label variable only."""
        return len(self.slots) == 1 and not self.groups


def template(evidence: Evidence) -> Template:
    """The template of a piece of evidence.

    `A => B` and `A & B` differ by a constant where A is observed, so both are grounded as B over
    the bindings of A.
    """
    formula = evidence.formula
    simple = simplify(formula)
    if isinstance(simple, And) and not all(is_hidden(part) for part in simple.parts):
        observed = [part for part in simple.parts if not is_hidden(part)]
        hidden = [part for part in simple.parts if is_hidden(part)]
        guards = normal_form(~_all(observed)).guards
        rest = _all(hidden)
    else:
        form = normal_form(formula)
        guards, rest = form.guards, form.hidden
    return Template(
        evidence,
        guards,
        rest,
        tuple(dict.fromkeys(_slots(rest))),
        _codes(rest),
        per_value_variables(formula),
        tuple(variables(formula)),
    )


def _all(parts: list[Formula]) -> Formula:
    return And(tuple(parts)) if len(parts) > 1 else parts[0]


def _slots(formula: Formula) -> list[LabelOf]:
    """The label variables named outside quantifiers, in order."""
    match formula:
        case LabelIs(subject, _):
            return [subject]
        case SameLabel(left, right):
            return [left, right]
        case Count():
            return []
        case _:
            return [slot for child in children(formula) for slot in _slots(child)]


def _codes(formula: Formula) -> dict[str, str]:
    """The variables that stand for label values outside quantifiers, with their functions."""
    match formula:
        case LabelIs(subject, Variable(name)):
            return {name: subject.label}
        case Count():
            return {}
        case _:
            found: dict[str, str] = {}
            for child in children(formula):
                found |= _codes(child)
            return found


def _hidden_counts(formula: Formula) -> list[Count]:
    if isinstance(formula, Count):
        return [formula] if is_hidden(formula) else []
    return [count for child in children(formula) for count in _hidden_counts(child)]
