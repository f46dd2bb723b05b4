"""Normal forms: formulas without implications, and the split into what is observed and hidden."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne

from tacit.errors import BadFormula, Place
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
    Operator,
    Or,
    SameLabel,
    Term,
    Truth,
    Variable,
)
from tacit.logic.traverse import children, is_hidden

Literal = Atom | Not | Comparison | Count  # of a guard: never speaks of a label

MAX_GUARDS = 64  # each one is a join of its own; real conditions have a handful
MAX_NODES = 10_000  # nested <=> doubles at each level, so a short formula can explode

_OPPOSITE: dict[Operator, Operator] = {
    "=": "!=",
    "!=": "=",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
}
_COMPARE = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True)
class NormalForm:
    """A formula as `(some guard holds) => hidden`.

    Each guard is a conjunction of observed literals: an atom, a negated atom, a comparison or a
    count without label atoms. The empty conjunction always holds; no guards at all never hold, and
    the formula is true whatever the labels. `hidden` is in negation normal form; it may still hold
    observed atoms where they do not part from the labels, and is false where the formula speaks of
    no label.

    Guards may overlap: the groundings of a formula are the DISTINCT bindings of its variables over
    the union of its guards, never one for each guard.
    """

    guards: tuple[tuple[Literal, ...], ...]
    hidden: Formula


def simplify(formula: Formula) -> Formula:
    """An equivalent formula in negation normal form, with everything folded that is plain.

    No implications remain, and `Not` stands only over atoms and label atoms. Conjunctions and
    disjunctions are flat and without repetition; contradictions and constant comparisons are truth
    values. Nothing is renamed or moved across a quantifier, so no variable can be captured; a
    variable whose every occurrence was folded away is gone.
    """
    if _size(formula) > MAX_NODES:
        raise BadFormula(
            "the formula grows too large when it is written out without '<=>'",
            place=formula.place,
            remedy="split it into several formulas",
        )
    return _signed(formula, True)


def normal_form(formula: Formula) -> NormalForm:
    """The guards that a formula's groundings must pass, and what it then says about labels.

    As a disjunction, the parts without label atoms are negated into the guards and the others stay.
    A conjunction at the top is not taken apart: each grounding counts once, as a whole.
    """
    simple = simplify(formula)
    parts = simple.parts if isinstance(simple, Or) else (simple,)
    hidden = [part for part in parts if is_hidden(part)]
    condition = [_signed(part, False) for part in parts if not is_hidden(part)]
    guards = _disjuncts(_join(And, condition, formula.place), formula.place)
    return NormalForm(tuple(guards), _join(Or, hidden, formula.place))


def _size(formula: Formula) -> int:
    """A bound on the nodes of the negation normal form."""
    doubles = isinstance(formula, Iff) or (
        isinstance(formula, Count) and formula.quantifier == "exactly"
    )
    return 1 + (2 if doubles else 1) * sum(_size(child) for child in children(formula))


def _signed(formula: Formula, positive: bool) -> Formula:
    """The simplified formula, or its simplified negation where `positive` is false."""
    place = formula.place
    match formula:
        case Truth(value):
            return formula if positive else Truth(not value, place=place)
        case Not(part):
            inner = _signed(part, not positive)
            return Not(inner.part, place=place) if isinstance(inner, Not) else inner
        case And(parts) | Or(parts):
            kind = And if isinstance(formula, And) is positive else Or
            return _join(kind, [_signed(part, positive) for part in parts], place)
        case Implies(condition, conclusion):
            sides = [_signed(condition, not positive), _signed(conclusion, positive)]
            return _join(Or if positive else And, sides, place)
        case Iff(left, right):
            both = [_signed(left, True), _signed(right, positive)]
            neither = [_signed(left, False), _signed(right, not positive)]
            return _join(Or, [_join(And, both, place), _join(And, neither, place)], place)
        case Count():
            return _count(formula) if positive else _not_count(formula)
        case Comparison():
            return _comparison(formula if positive else _opposite(formula))
        case SameLabel(left, right) if left.label == right.label and _same(left.item, right.item):
            return Truth(positive, place=place)
        case _:
            return formula if positive else Not(formula, place=place)


def _join(
    kind: type[And] | type[Or], parts: Iterable[Formula], place: Place | None = None
) -> Formula:
    """Simplified parts as one flat conjunction or disjunction, folded where that is plain."""
    flat: dict[Formula, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, kind) else (part,)))
    flat.pop(Truth(kind is And), None)
    decided = Truth(kind is Or, place=place)
    if decided in flat or any(_negated(part) in flat for part in flat) or _clashes(kind, flat):
        return decided
    if len(flat) > 1:
        return kind(tuple(flat), place=place)
    return next(iter(flat), Truth(kind is And, place=place))


def _negated(literal: Formula) -> Formula | None:
    """The opposite of a literal; nothing for larger formulas."""
    match literal:
        case Atom() | LabelIs() | SameLabel():
            return Not(literal)
        case Not(part):
            return part
        case Comparison():
            return _opposite(literal)
        case _:
            return None


def _clashes(kind: type[And] | type[Or], parts: Iterable[Formula]) -> bool:
    """Whether one item would need two labels (in a conjunction), or must lack one of two."""
    labels: dict[LabelOf, Constant] = {}
    for part in parts:
        literal = part if kind is And else _negated(part)
        match literal:
            case LabelIs(subject, Constant() as label):
                if labels.setdefault(subject, label) != label:
                    return True
            case _:
                pass
    return False


def _opposite(formula: Comparison) -> Comparison:
    """The comparison that holds exactly when this one does not."""
    operator = _OPPOSITE[formula.operator]
    return Comparison(formula.left, operator, formula.right, place=formula.place)


def _comparison(formula: Comparison) -> Formula:
    """A comparison, or its truth value where its sides tell.

    Texts compare with texts and numbers with numbers. A text never equals a number; which of the
    two comes first is for whoever knows the columns to refuse.
    """
    left, operator, right = formula.left, formula.operator, formula.right
    if _same(left, right):
        return Truth(operator in ("=", "<=", ">="), place=formula.place)
    if not (isinstance(left, Constant) and isinstance(right, Constant)):
        return formula
    kinds = {_kind(left), _kind(right)}
    if len(kinds) == 1:
        return Truth(bool(_COMPARE[operator](left.value, right.value)), place=formula.place)
    if str in kinds and operator in ("=", "!="):
        return Truth(operator == "!=", place=formula.place)
    return formula


def _kind(constant: Constant) -> type:
    """Text, truth value or number."""
    return float if type(constant.value) is int else type(constant.value)


def _same(left: Term, right: Term) -> bool:
    """Whether two terms have the same value under every binding; `+x` is still x."""
    if isinstance(left, Variable) and isinstance(right, Variable):
        return left.name == right.name
    return left == right


def _count(formula: Count) -> Formula:
    """A count with its body simplified; a truth value where the body or the number decides."""
    body = _signed(formula.body, True)
    if formula.quantifier == "atleast" and formula.count == 0:
        return Truth(True, place=formula.place)
    if body == Truth(False):
        fits_none = formula.quantifier == "atmost" or formula.count == 0
        return Truth(fits_none, place=formula.place)
    return Count(formula.quantifier, formula.count, formula.variables, body, place=formula.place)


def _not_count(formula: Count) -> Formula:
    """The negation of a count: fewer than its range, or more."""
    number, place = formula.count, formula.place
    outside: list[Formula] = []
    if formula.quantifier != "atmost" and number > 0:
        fewer = Count("atmost", number - 1, formula.variables, formula.body, place=place)
        outside.append(_count(fewer))
    if formula.quantifier != "atleast":
        more = Count("atleast", number + 1, formula.variables, formula.body, place=place)
        outside.append(_count(more))
    return _join(Or, outside, place)


def _disjuncts(formula: Formula, place: Place | None) -> list[tuple[Literal, ...]]:
    """The disjunctive normal form of an observed formula that is already simplified."""
    match formula:
        case Truth(value):
            return [()] if value else []
        case Or(parts):
            alternatives = [guard for part in parts for guard in _disjuncts(part, place)]
            return _distinct(alternatives, place)
        case And(parts):
            guards: list[tuple[Literal, ...]] = [()]
            for part in parts:
                choices = _disjuncts(part, place)
                both = [_conjunction((*guard, *choice)) for guard in guards for choice in choices]
                guards = _distinct([guard for guard in both if guard is not None], place)
            return guards
        case Atom() | Not() | Comparison() | Count():
            return [(formula,)]
        case _:
            raise TypeError(f"not in negation normal form: {formula!r}")


def _conjunction(literals: tuple[Literal, ...]) -> tuple[Literal, ...] | None:
    """The literals without repetition, or None where they contradict each other."""
    if _join(And, literals) == Truth(False):
        return None
    return tuple(dict.fromkeys(literals))


def _distinct(
    guards: Sequence[tuple[Literal, ...]], place: Place | None
) -> list[tuple[Literal, ...]]:
    """Guards that say different things, in order; refuses more than anyone would join."""
    distinct = list({frozenset(guard): guard for guard in reversed(guards)}.values())[::-1]
    if len(distinct) > MAX_GUARDS:
        raise BadFormula(
            f"the formula's condition has more than {MAX_GUARDS} alternatives",
            place=place,
            remedy="split the formula into several, or put the alternatives into a table",
        )
    return distinct
