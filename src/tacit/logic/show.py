"""Programs as text: the inverse of parsing, so that `parse(show(p)) == p`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from tacit.logic.evidence import (
    Declaration,
    Evidence,
    Expect,
    Fixed,
    Hard,
    LabelFunction,
    Learned,
    Origin,
)
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
    Variable,
    is_identifier,
)

_SURROGATE = re.compile("[\ud800-\udfff]")
_WIDEST_ALIGNED = 14  # names and weights up to this length stand in columns

# How tightly each node binds; a part that binds less tightly than its place needs brackets.
_IFF, _IMPLIES, _OR, _AND, _UNARY = range(5)


def show_program(declarations: Iterable[Declaration], evidence: Iterable[Evidence]) -> str:
    """A whole program as text, declarations first."""
    heads = [show_declaration(declaration) for declaration in declarations]
    rows = [(f"{e.name}:", show_weight(e), e) for e in evidence]
    name_width = max((len(n) for n, _, _ in rows if len(n) <= _WIDEST_ALIGNED), default=0)
    weight_width = max((len(w) for _, w, _ in rows if len(w) <= _WIDEST_ALIGNED), default=0)
    bodies = [
        f"{name:<{name_width}} {weight:<{weight_width}}  {show_formula(e.formula)}"
        + show_origin(e.origin)
        for name, weight, e in rows
    ]
    return "".join(f"{line}\n" for line in [*heads, *bodies])


def show_declaration(declaration: Declaration) -> str:
    """One declaration as text."""
    if isinstance(declaration, LabelFunction):
        labels = " | ".join(show_label(label) for label in declaration.labels)
        return f"label    {declaration.name}({declaration.domain}) = {labels}"
    return f"observed {declaration.name}({', '.join(declaration.domains)})"


def show_evidence(evidence: Evidence) -> str:
    """One piece of evidence as text, on one line."""
    formula = show_formula(evidence.formula)
    return f"{evidence.name}: {show_weight(evidence)} {formula}{show_origin(evidence.origin)}"


def show_weight(evidence: Evidence) -> str:
    """The weight with its scale and prior: `2.2`, `2.2!`, `1.0 * s ~ 1.0 +- 0.5`, `hard`."""
    scale = f" * {evidence.scale.name}" if evidence.scale else ""
    match evidence.weight:
        case Learned(start):
            prior = evidence.prior
            belief = f" ~ {_number(prior.mean)} +- {_number(prior.deviation)}" if prior else ""
            return f"{_number(start)}{scale}{belief}"
        case Fixed(value):
            return f"{_number(value)}!{scale}"
        case Hard():
            return "hard"
        case Expect(share, margin):
            give_or_take = f" +- {_number(margin)}" if margin else ""
            return f"expect {_number(share)}{give_or_take}:"


def show_origin(origin: Origin) -> str:
    """The origin behind a formula; nothing for what the expert wrote."""
    if origin == Origin():
        return ""
    facts = "".join(f" {key}={show_value(value)}" for key, value in origin.facts)
    return f"  @ {origin.kind}{facts}"


def show_formula(formula: Formula, tightness: int = _IFF, *, last: bool = True) -> str:
    """A formula as text; `last` says that nothing follows it inside the enclosing brackets."""
    own, text = _show_node(formula, last)
    return f"({_show_node(formula, last=True)[1]})" if own < tightness else text


def _show_node(formula: Formula, last: bool) -> tuple[int, str]:
    """How tightly a node binds, and its text without brackets of its own."""
    match formula:
        case Iff(left, right):
            head = show_formula(left, _IFF, last=False)
            return _IFF, f"{head} <=> {show_formula(right, _IMPLIES, last=last)}"
        case Implies(condition, conclusion):
            head = show_formula(condition, _OR, last=False)
            return _IMPLIES, f"{head} => {show_formula(conclusion, _IMPLIES, last=last)}"
        case Or(parts):
            return _OR, " | ".join(show_formula(part, _AND, last=False) for part in parts)
        case And(parts):
            return _AND, " & ".join(show_formula(part, _UNARY, last=False) for part in parts)
        case Count():
            # A quantifier reaches as far right as it can: bare only where nothing follows.
            return (_UNARY if last else -1), _show_count(formula)
        case _:
            return _UNARY, _show_leaf(formula)


def _show_count(formula: Count) -> str:
    words = f"{formula.quantifier} {formula.count}"
    words = "exists" if words == "atleast 1" else words
    names = ", ".join(variable.name for variable in formula.variables)
    return f"{words} {names}: {show_formula(formula.body)}"


def _show_leaf(formula: Formula) -> str:
    match formula:
        case Not(LabelIs(subject, value)):
            return f"{show_label_of(subject)} != {show_term(value, label=True)}"
        case Not(SameLabel(left, right)):
            return f"{show_label_of(left)} != {show_label_of(right)}"
        case Not(Comparison() as part):
            return f"!({_show_leaf(part)})"
        case Not(part):
            return f"!{show_formula(part, _UNARY, last=False)}"
        case LabelIs(subject, value):
            return f"{show_label_of(subject)} = {show_term(value, label=True)}"
        case SameLabel(left, right):
            return f"{show_label_of(left)} = {show_label_of(right)}"
        case Comparison(first, operator, second):
            return f"{show_term(first)} {operator} {show_term(second)}"
        case Atom(predicate, terms):
            return f"{predicate}({', '.join(show_term(term) for term in terms)})"
        case Truth(truth):
            return "true" if truth else "false"
        case _:
            raise TypeError(f"no such formula: {formula!r}")


def show_label_of(subject: LabelOf) -> str:
    """`sentiment(r)`."""
    return f"{subject.label}({show_term(subject.item)})"


def show_term(term: Term, *, label: bool = False) -> str:
    """A variable or a constant; in the place of a label, a label's name needs no quotes."""
    if isinstance(term, Variable):
        return f"+{term.name}" if term.per_value else term.name
    assert isinstance(term, Constant)
    if label and isinstance(term.value, str):
        return show_label(term.value)
    return show_value(term.value)


def show_label(label: str) -> str:
    """A label's name, quoted only where it must be."""
    return label if is_identifier(label) else quoted(label)


def show_value(value: Value) -> str:
    """A constant as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(value) if isinstance(value, str) else _number(value)


def quoted(text: str) -> str:
    """A text in double quotes, with whatever would break a line or a file escaped."""
    plain = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", plain)


def _number(number: float) -> str:
    return repr(int(number)) if isinstance(number, int) else repr(float(number))
