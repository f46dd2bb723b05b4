"""Groups: `exists`, `atmost` and `exactly` over labels, whatever the number of members."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from sqlglot import exp

from tacit.errors import BadFormula
from tacit.grounding.blocks import cases
from tacit.grounding.factors import GroupBlock, Ints, LabelVariables, Longs
from tacit.grounding.query import RULE, Domains, bindings, common_columns, residue_columns
from tacit.grounding.rows import Rows, distinct_rows, read_rows
from tacit.grounding.sql import as_literals
from tacit.grounding.template import Batch, Shape
from tacit.grounding.truth import Residue, Truths
from tacit.logic.formula import And, Atom, Count, Formula, LabelOf, Or, Quantifier, Variable
from tacit.logic.normal import Literal
from tacit.logic.traverse import is_hidden, rename, terms, variables, walk


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


@dataclass(frozen=True, slots=True)
class Members:
    """Members of groups, one entry each."""

    group: Longs
    variable: Ints
    states: Ints  # which of the state sets
    state_sets: tuple[Truths, ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a batch: rule and weight of each, and their members."""

    plan: GroupPlan
    rows: Rows
    members: Members


def group_queries(batch: Batch, number: int, domains: Domains) -> list[tuple[exp.Select, Residue]]:
    """The query of a batch's groups, then those of their members, each with what it speaks of."""
    plan = GroupPlan.of(batch.shape)
    nothing = Residue(batch.shape.hidden, (), (), ())
    parts = [(nothing, ()), (plan.member, plan.facts), *((other, ()) for other in plan.others)]
    slots = [residue.slots[0] for residue in plan.others]
    queries = [
        (_query(batch, number, residue, facts, slots, domains), residue) for residue, facts in parts
    ]
    if (plan.quantifier, plan.limit) == ("atleast", 1):  # one way to bind a member is enough
        queries = [(query.distinct(), residue) for query, residue in queries]
    return queries


def ground_groups(
    batch: Batch,
    number: int,
    run: Callable[[exp.Query], pa.Table],
    domains: Domains,
    variables: LabelVariables,
) -> Groups:
    """Run the queries of a batch with a quantifier: its groups, then the members of each."""
    queries = group_queries(batch, number, domains)
    answers = [run(query) for query, _ in queries]
    group_of = _numbered(answers)
    rows = [
        read_rows(answer, batch, residue, variables.labels)
        for answer, (_, residue) in zip(answers, queries, strict=True)
    ]
    members = [
        _members(some, group, residue, variables)
        for some, group, (_, residue) in zip(rows[1:], group_of[1:], queries[1:], strict=True)
    ]
    groups = rows[0].take(np.argsort(group_of[0]))
    return Groups(GroupPlan.of(batch.shape), groups, _together(members))


def _query(
    batch: Batch,
    number: int,
    residue: Residue,
    facts: tuple[Literal, ...],
    slots: list[LabelOf],
    domains: Domains,
) -> exp.Select:
    """What identifies a group, and one of its members; `slots` are labels that each group has."""
    join = bindings(batch, number, domains)
    for slot in slots:
        join.row_of(slot.item, domains[slot.label])
    columns = common_columns(join, batch)
    names = [name for name in batch.shape.free if name in join.bound]
    columns |= {f"g{i}": join.bound[name] for i, name in enumerate(names)}
    join.add(facts)
    columns |= residue_columns(join, residue, batch.shape, domains)
    return join.select(columns or {"one": exp.Literal.number(1)})


def _numbered(answers: list[pa.Table]) -> list[Longs]:
    """For each row of each answer the number of its group; groups are numbered by their values."""
    names = [name for name in answers[0].column_names if name == RULE or name[0] == "g"]
    if not names:
        return [np.zeros(answer.num_rows, dtype=np.int64) for answer in answers]
    together = pa.concat_tables([answer.select(names) for answer in answers])
    number = distinct_rows([together.column(name) for name in names])[1]
    ends = np.cumsum([answer.num_rows for answer in answers])
    return np.split(number, ends[:-1])


def _members(rows: Rows, group: Longs, residue: Residue, variables: LabelVariables) -> Members:
    """The members that some label makes count, each with the set of those labels."""
    (slot,) = residue.slots
    variable = rows.slots[0] + np.int32(variables.first_variable[slot.label])
    found: list[tuple[Longs, Ints, Truths]] = []
    for chosen, truth in cases(rows, residue, variables):
        if truth.any():
            found.append((group[chosen], variable[chosen], truth))
    return Members(
        np.concatenate([g for g, _, _ in found] or [np.empty(0, np.int64)]),
        np.concatenate([v for _, v, _ in found] or [np.empty(0, np.int32)]),
        np.repeat(np.arange(len(found), dtype=np.int32), [len(g) for g, _, _ in found]),
        tuple(truth for _, _, truth in found),
    )


def _together(parts: list[Members]) -> Members:
    """All members in the order of group, variable and state set."""
    first = np.cumsum([0, *(len(part.state_sets) for part in parts)])
    group = np.concatenate([part.group for part in parts])
    variable = np.concatenate([part.variable for part in parts])
    states = np.concatenate([p.states + np.int32(n) for p, n in zip(parts, first, strict=False)])
    order = np.lexsort((states, variable, group))
    sets = tuple(truth for part in parts for truth in part.state_sets)
    return Members(group[order], variable[order], states[order], sets)


@dataclass(frozen=True, slots=True)
class Settled:
    """Groups whose truth does not depend on labels any more."""

    always: Longs
    never: Longs


def settle(groups: Groups) -> tuple[Settled, Longs]:
    """Which groups no label can change, and how many members of each count for certain."""
    plan, members = groups.plan, groups.members
    n = len(groups.rows)
    sure = np.array([bool(truth.all()) for truth in members.state_sets], dtype=bool)
    certain = sure[members.states] if len(sure) else np.empty(0, dtype=bool)
    at_least = np.bincount(members.group[certain], minlength=n)
    at_most = np.bincount(members.group, minlength=n)
    limit = plan.limit
    if plan.quantifier == "atleast":
        always, never = at_least >= limit, at_most < limit
    elif plan.quantifier == "atmost":
        always, never = at_most <= limit, at_least > limit
    else:
        always = (at_least == limit) & (at_most == limit)
        never = (at_least > limit) | (at_most < limit)
    return Settled(np.flatnonzero(always), np.flatnonzero(never)), at_least


def group_blocks(groups: Groups, weight: Ints) -> Iterator[GroupBlock]:
    """The groups that still depend on labels, by how many of their members must count."""
    settled, certain = settle(groups)
    members, count = groups.members, groups.rows.count
    open_groups = np.ones(len(groups.rows), dtype=bool)
    open_groups[settled.always] = open_groups[settled.never] = False
    sure = np.array([bool(truth.all()) for truth in members.state_sets], dtype=bool)
    for done in np.unique(certain[open_groups]).tolist():
        chosen = np.flatnonzero(open_groups & (certain == done))
        number = np.full(len(groups.rows), -1, dtype=np.int64)
        number[chosen] = np.arange(len(chosen))
        inside = (number[members.group] >= 0) & ~sure[members.states]
        sizes = np.bincount(number[members.group[inside]], minlength=len(chosen))
        yield GroupBlock(
            quantifier=groups.plan.quantifier,
            limit=groups.plan.limit - done,
            first_member=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            variable_of_member=members.variable[inside],
            set_of_member=members.states[inside],
            state_sets=members.state_sets,
            weight=weight[chosen],
            count=np.ones(len(chosen)) if count is None else count[chosen],
        )
