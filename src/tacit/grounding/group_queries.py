"""Groups as SQL: what a quantifier over labels counts, and the queries that find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from sqlglot import exp

from tacit.errors import BadFormula
from tacit.grounding.query import (
    RULE,
    Domains,
    bindings,
    common_columns,
    constants,
    residue_columns,
)
from tacit.grounding.sql import Join, as_literals, column
from tacit.grounding.template import Batch, Shape
from tacit.grounding.truth import Residue
from tacit.logic.formula import And, Atom, Count, Formula, Or, Quantifier, Variable
from tacit.logic.normal import Literal
from tacit.logic.traverse import is_hidden, rename, terms, variables, walk

GROUP = "#group"  # no variable can be called that


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """A quantified conclusion taken apart: what its members are, and what else satisfies it."""

    quantifier: Quantifier
    limit: int
    facts: tuple[Literal, ...]  # what binds the members
    member: Residue  # the label of one member, and when it counts
    others: tuple[Residue, ...]  # labels outside the quantifier that satisfy the formula too

    @classmethod
    def of(cls, shape: Shape) -> GroupPlan:
        """The plan of a shape whose hidden part has one quantifier over labels."""
        hidden = shape.hidden
        parts = hidden.parts if isinstance(hidden, Or) else (hidden,)
        counts = [part for part in parts if isinstance(part, Count)]
        others = tuple(part for part in parts if not isinstance(part, Count))
        if len(counts) != 1 or any(_counts_labels(part) for part in others):
            raise _cannot(hidden, "a quantifier is mixed with other conditions on labels")
        count = counts[0]
        if others and (count.quantifier, count.count) != ("atleast", 1):
            raise _cannot(hidden, "only 'exists' can stand beside other conditions on labels")
        body = _apart(count, set(shape.free) | _parameters(shape))
        pieces = body.parts if isinstance(body, And) else (body,)
        labels = [piece for piece in pieces if is_hidden(piece)]
        facts = tuple(piece for piece in pieces if not is_hidden(piece))
        member = Residue.of(And(tuple(labels)) if len(labels) > 1 else labels[0])
        residues = (member, *(Residue.of(part) for part in others))
        if any(len(residue.slots) != 1 for residue in residues):
            raise _cannot(hidden, "each member of a group must speak of one label")
        literals = as_literals(facts)
        bound = {name for part in literals if isinstance(part, Atom) for name in variables(part)}
        if not set(variables(body)) <= bound | set(shape.free) | _parameters(shape):
            raise _cannot(hidden, "the facts inside the quantifier do not bind its variables")
        return cls(count.quantifier, count.count, literals, member, residues[1:])


def _parameters(shape: Shape) -> set[str]:
    return {name for name, _ in shape.parameters}


def _counts_labels(part: Formula) -> bool:
    return any(isinstance(node, Count) and is_hidden(node) for node in walk(part))


def _apart(count: Count, outside: set[str]) -> Formula:
    """The body of a quantifier, its variables renamed so that they shadow nothing outside."""
    taken = outside | {term.name for term in terms(count) if isinstance(term, Variable)}
    fresh: dict[str, str] = {}
    for variable in count.variables:
        name = f"{variable.name}_"
        while name in taken:
            name += "_"
        fresh[variable.name] = name
    return rename(count.body, fresh)


def _cannot(formula: Formula, why: str) -> BadFormula:
    return BadFormula(
        why,
        place=formula.place,
        remedy="let the quantifier be the whole conclusion, with one label inside it",
    )


def number_groups(
    batch: Batch,
    number: int,
    run: Callable[[exp.Query], pa.Table],
    load: Callable[[str, pa.Table], None],
    domains: Domains,
) -> pa.Table:
    """The groups of a batch, numbered in the order of their values.

    The engine gets them back, so that members are found with the number of their group, and no
    values have to be compared here.
    """
    groups = run(group_query(batch, number, domains))
    numbers = pa.array(np.arange(groups.num_rows, dtype=np.int32))
    groups = groups.append_column(GROUP, numbers)
    load(_name(number), groups)
    return groups


def group_query(batch: Batch, number: int, domains: Domains) -> exp.Select:
    """What identifies each group and its weight, in the order of the groups."""
    join = _outer(batch, number, domains)
    named = _columns(batch, join)
    columns = common_columns(join, batch) | {name: join.bound[v] for v, name in named.items()}
    query = join.select(columns or {"one": exp.Literal.number(1)})
    order = [exp.column(exp.to_identifier(name, quoted=True)) for name in named.values()]
    return query.order_by(*order) if order else query


def member_queries(batch: Batch, number: int, domains: Domains) -> list[tuple[exp.Select, Residue]]:
    """The members of the numbered groups, and the labels that all of them have outside."""
    plan = GroupPlan.of(batch.shape)
    named = _columns(batch, _outer(batch, number, domains))
    parts: list[tuple[Residue, tuple[Literal, ...]]] = [(plan.member, plan.facts)]
    parts += [(other, ()) for other in plan.others]
    queries: list[tuple[exp.Select, Residue]] = []
    for residue, literals in parts:
        join = Join(constants(batch))
        groups = join.source(_name(number))
        join.bound |= {variable: column(groups, name) for variable, name in named.items()}
        join.add(literals)
        columns = {GROUP: column(groups, GROUP)}
        if RULE in named:
            columns[RULE] = column(groups, RULE)
        columns |= residue_columns(join, residue, batch.shape, domains)
        queries.append((join.select(columns), residue))
    return queries


def _name(number: int) -> str:
    """The SQL name of the relation that holds the groups of a batch."""
    return f"groups {number}"


def _outer(batch: Batch, number: int, domains: Domains) -> Join:
    """What is bound outside the quantifier: the bindings, and the labels that stand beside it."""
    join = bindings(batch, number, domains)
    for other in GroupPlan.of(batch.shape).others:
        (slot,) = other.slots
        join.row_of(slot.item, domains[slot.label])
    return join


def _columns(batch: Batch, outer: Join) -> dict[str, str]:
    """The columns that identify a group, by what they hold: rule, constants, free variables."""
    shape = batch.shape
    named: dict[str, str] = {}
    if len(batch.templates) > 1:
        named = {RULE: RULE, **{name: f"p{i}" for i, (name, _) in enumerate(shape.parameters)}}
    free = [name for name in shape.free if name in outer.bound]
    return named | {name: f"g{i}" for i, name in enumerate(free)}
