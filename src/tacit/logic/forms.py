"""Ready forms: the commonest kinds of knowledge, said in Python instead of program text.

Each form answers a `Knowledge`: the very nodes that parsing the text in its docstring would give.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from tacit.data.coerce import as_table
from tacit.data.labels import LabelSpace
from tacit.errors import ArityMismatch, BadInput, TypeMismatch, listed
from tacit.logic.evidence import Evidence, Expect, Fixed, LabelFunction, Observed, Weight
from tacit.logic.formula import Atom, Formula, Implies, LabelOf, SameLabel, Variable
from tacit.logic.knowledge import Knowledge
from tacit.logic.naming import (
    Names,
    as_weight,
    identifier,
    label_is,
    require_label,
    variables_for,
)
from tacit.logic.traverse import variables

TOLERANCE = 1e-6  # how far probabilities that should sum to one may miss it


def label(name: str, on: str, labels: Sequence[str]) -> LabelFunction:
    """`label sentiment(review) = neg | pos`: a hidden label for each row of the table `on`."""
    return LabelFunction(name, on, LabelSpace(labels).labels)


def agreement(
    relation: str | Observed,
    pairs: Any = None,
    *,
    label: LabelFunction,
    weight: float | Weight = 1.0,
    name: str | None = None,
) -> Knowledge:
    """Related instances share their label: `1.0  near(r, r2) => sentiment(r) = sentiment(r2)`.

    `pairs` is the relation's table in any form that a task accepts; without it, the task has it.
    """
    domains = (label.domain, label.domain)
    declared = relation if isinstance(relation, Observed) else Observed(relation, domains)
    if declared.domains != domains:
        raise TypeMismatch(
            f"'{declared.name}({', '.join(declared.domains)})' does not relate two of the "
            f"table '{label.domain}'",
            remedy=f"declare it as {declared.name}({', '.join(domains)})",
        )
    tables = {} if pairs is None else {declared.name: as_table(declared.name, pairs)}
    for table in tables.values():
        if len(table.columns) != 2:
            raise ArityMismatch(
                f"{table.described} has {len(table.columns)} columns: {listed(table.columns)}",
                remedy="give pairs: two columns of ids",
            )
    first, second = variables_for(label, domains)
    same = SameLabel(LabelOf(label.name, first), LabelOf(label.name, second))
    formula = Implies(Atom(declared.name, (first, second)), same)
    evidence = Evidence(name or f"agree_{declared.name}", formula, as_weight(weight))
    return Knowledge((label, declared), (evidence,), tables)


def class_prior(
    shares: Mapping[str, float], *, label: LabelFunction, name: str = "prior"
) -> Knowledge:
    """How common each label is: `-1.2!  sentiment(r) = pos`, the log of its share."""
    _check_shares(shares, label)
    if missing := [value for value in label.labels if value not in shares]:
        raise BadInput(
            f"the prior of '{label.name}' leaves out: {listed(missing)}",
            remedy="give every label a share",
        )
    if abs((total := math.fsum(shares.values())) - 1) > TOLERANCE:
        raise BadInput(f"the prior of '{label.name}' sums to {total:g}", remedy="make it sum to 1")
    if never := [value for value, share in shares.items() if share <= 0]:
        raise BadInput(
            f"the prior of '{label.name}' gives {listed(never)} no chance at all",
            remedy="give it a small share, or leave it out of the labels",
        )
    (item,) = variables_for(label, (label.domain,))
    names, evidence = Names(), []
    for value in label.labels:
        weight = Fixed(math.log(float(shares[value])))
        called = names.new(identifier(name, value))
        evidence.append(Evidence(called, label_is(label, item, value), weight))
    return Knowledge((label,), tuple(evidence))


def expectation(
    shares: Mapping[str, float],
    margin: float = 0.0,
    *,
    label: LabelFunction,
    given: Formula | None = None,
    item: str | None = None,
    name: str = "expect",
) -> Knowledge:
    """How many instances have a label: `expect 0.5 +- 0.05: sentiment(r) = pos`.

    `given` narrows it to the instances for which that formula holds. Its only variable stands for
    the instance; where it has several, `item` names the one that does.
    """
    _check_shares(shares, label)
    _check_reachable(shares, margin, label)
    subject = _subject(given, item, label)
    names, evidence = Names(), []
    for value, share in shares.items():
        goal = label_is(label, subject, value)
        formula = Implies(given, goal) if given is not None else goal
        target = Expect(float(share), float(margin))
        evidence.append(Evidence(names.new(identifier(name, value)), formula, target))
    return Knowledge((label,), tuple(evidence))


def _check_shares(shares: Mapping[str, float], label: LabelFunction) -> None:
    """Refuse anything but a number from 0 to 1 for labels of this label function."""
    if not isinstance(shares, Mapping) or not shares:
        raise BadInput(
            f"{shares!r:.60} does not give shares", remedy='give a dict, such as {"pos": 0.3}'
        )
    for value, share in shares.items():
        require_label(label, value)
        if isinstance(share, bool) or not isinstance(share, Real) or not 0 <= float(share) <= 1:
            raise BadInput(
                f"the share of '{value}' is {share!r}", remedy="use a number from 0 to 1"
            )


def _check_reachable(shares: Mapping[str, float], margin: float, label: LabelFunction) -> None:
    """Refuse shares that no distribution over the labels can have."""
    total, slack = math.fsum(shares.values()), margin * len(shares) + TOLERANCE
    if total - slack > 1 or (len(shares) == len(label.labels) and total + slack < 1):
        raise BadInput(
            f"the expected shares of '{label.name}' sum to {total:g}",
            remedy="all labels together have a share of 1: change a share or widen the margin",
        )


def _subject(given: Formula | None, item: str | None, label: LabelFunction) -> Variable:
    """The variable that stands for the instance."""
    if given is None:
        return variables_for(label, (label.domain,))[0]
    free = variables(given)
    if item is None and len(free) == 1:
        (item,) = free
    if item is None or item not in free:
        raise BadInput(
            f"which variable of the condition is the {label.domain}? It has: {listed(free)}",
            remedy="name it with item=...",
        )
    return Variable(item)
