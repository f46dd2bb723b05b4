"""Ready forms over known facts: distant supervision, and counts over all instances of a tuple."""

from __future__ import annotations

from tacit.errors import ArityMismatch, BadInput, TypeMismatch
from tacit.logic.evidence import Evidence, LabelFunction, Observed, Weight
from tacit.logic.formula import And, Atom, Count, Implies, Not, Quantifier
from tacit.logic.knowledge import Knowledge
from tacit.logic.naming import as_weight, identifier, label_is, variables_for


def knowledge_base(
    facts: str | Observed,
    arguments: str | Observed,
    *,
    label: LabelFunction,
    value: str,
    weight: float | Weight = 1.5,
    negative: str | None = None,
    negative_weight: float | Weight = 1.0,
    arity: int | None = None,
    name: str | None = None,
) -> Knowledge:
    """Distant supervision: `1.5  args(c, d, g) & kb(d, g) => treats(c) = yes`.

    `facts` is the relation of known tuples, `arguments` says which tuple each instance is about:
    its first argument is the instance, the others are those of `facts`. Where only their names are
    given, `arity` says how many arguments a fact has. With `negative`, tuples that are not known
    speak for that label: `1.0  args(c, d, g) & !kb(d, g) => treats(c) = no`.
    """
    kb, args = _facts_and_arguments(facts, arguments, label, arity)
    item, *tuple_ = variables_for(label, args.domains)
    about, known = Atom(args.name, (item, *tuple_)), Atom(kb.name, tuple(tuple_))
    name = name or f"in_{kb.name}"
    positive = Implies(And((about, known)), label_is(label, item, value))
    evidence = [Evidence(name, positive, as_weight(weight))]
    if negative is not None:
        absent = Implies(And((about, Not(known))), label_is(label, item, negative))
        evidence.append(Evidence(f"not_{name}", absent, as_weight(negative_weight)))
    return Knowledge((label, args, kb), tuple(evidence))


def how_many(
    quantifier: Quantifier,
    count: int,
    facts: str | Observed,
    arguments: str | Observed,
    *,
    label: LabelFunction,
    value: str,
    weight: float | Weight = 3.0,
    arity: int | None = None,
    name: str | None = None,
) -> Knowledge:
    """How many instances of a known tuple have a label: `"atleast"`, `"atmost"` or `"exactly"`.

    `3.0  kb(d, g) => exactly 2 c: args(c, d, g) & treats(c) = yes`. The arguments are those of
    `knowledge_base`.
    """
    if quantifier not in ("atleast", "atmost", "exactly"):
        raise BadInput(
            f"{quantifier!r} is no way to count", remedy="use 'atleast', 'atmost' or 'exactly'"
        )
    kb, args = _facts_and_arguments(facts, arguments, label, arity)
    item, *tuple_ = variables_for(label, args.domains)
    body = And((Atom(args.name, (item, *tuple_)), label_is(label, item, value)))
    formula = Implies(Atom(kb.name, tuple(tuple_)), Count(quantifier, count, (item,), body))
    name = name or identifier(quantifier, str(count), kb.name)
    return Knowledge((label, args, kb), (Evidence(name, formula, as_weight(weight)),))


def at_least_one(
    facts: str | Observed,
    arguments: str | Observed,
    *,
    label: LabelFunction,
    value: str,
    weight: float | Weight = 3.0,
    arity: int | None = None,
    name: str | None = None,
) -> Knowledge:
    """Some instance of each known tuple has the label: `kb(d, g) => exists c: ... = yes`."""
    return how_many(
        "atleast",
        1,
        facts,
        arguments,
        label=label,
        value=value,
        weight=weight,
        arity=arity,
        name=name,
    )


def at_most_one(
    facts: str | Observed,
    arguments: str | Observed,
    *,
    label: LabelFunction,
    value: str,
    weight: float | Weight = 3.0,
    arity: int | None = None,
    name: str | None = None,
) -> Knowledge:
    """No two instances of a known tuple have the label: `kb(d, g) => atmost 1 c: ... = yes`."""
    return how_many(
        "atmost",
        1,
        facts,
        arguments,
        label=label,
        value=value,
        weight=weight,
        arity=arity,
        name=name,
    )


def _facts_and_arguments(
    facts: str | Observed, arguments: str | Observed, label: LabelFunction, arity: int | None
) -> tuple[Observed, Observed]:
    """Both declarations, checked to fit each other; names alone are declared with `arity`."""
    kb = facts if isinstance(facts, Observed) else None
    args = arguments if isinstance(arguments, Observed) else None
    domains = kb.domains if kb else args.domains[1:] if args else _placeholders(facts, arity)
    kb = kb or Observed(str(facts), domains)
    args = args or Observed(str(arguments), (label.domain, *domains))
    if args.arity != kb.arity + 1:
        raise ArityMismatch(
            f"{_signature(args)} should have one argument more than {_signature(kb)}",
            remedy=f"its first argument is the {label.domain}, the others are those of {kb.name}",
        )
    if args.domains != (label.domain, *kb.domains):
        wanted = Observed(args.name, (label.domain, *kb.domains))
        raise TypeMismatch(
            f"{_signature(args)} does not say which {_signature(kb)} a {label.domain} is about",
            remedy=f"declare it as {_signature(wanted)}",
        )
    return kb, args


def _placeholders(facts: object, arity: int | None) -> tuple[str, ...]:
    """Domains for a fact of which only the number of arguments is known."""
    if arity is None or arity < 1:
        raise BadInput(
            f"how many arguments '{facts}' has is not known",
            remedy="pass arity=..., or a declaration such as Observed('kb', ('drug', 'gene'))",
        )
    return tuple(f"argument{i + 1}" for i in range(arity))


def _signature(declared: Observed) -> str:
    return f"{declared.name}({', '.join(declared.domains)})"
