"""Groups: `exists`, `atmost` and `exactly` over labels, whatever the number of members."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from sqlglot import exp

from tacit.grounding.blocks import cases
from tacit.grounding.factors import GroupBlock, Ints, LabelVariables, Longs
from tacit.grounding.group_queries import GROUP, GroupPlan, member_queries, number_groups
from tacit.grounding.merge import sorted_rows
from tacit.grounding.query import Domains
from tacit.grounding.rows import Rows, as_ints, read_rows
from tacit.grounding.template import Batch
from tacit.grounding.truth import Residue, Truths


@dataclass(frozen=True, slots=True)
class Members:
    """Members of groups, one entry each."""

    group: Ints
    variable: Ints
    states: Ints  # which of the state sets
    state_sets: tuple[Truths, ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a batch: rule and weight of each, and their members."""

    plan: GroupPlan
    bindings: pa.Table  # what identifies each group, by its number
    rows: Rows
    members: Members


def ground_groups(
    batch: Batch,
    number: int,
    run: Callable[[exp.Query], pa.Table],
    load: Callable[[str, pa.Table], None],
    domains: Domains,
    variables: LabelVariables,
) -> Groups:
    """Run the queries of a batch with a quantifier: its groups, then the members of each."""
    plan = GroupPlan.of(batch.shape)
    groups = number_groups(batch, number, run, load, domains)
    members: list[Members] = []
    for query, residue in member_queries(batch, number, domains):
        answer = run(query)
        members.append(_members(answer, batch, residue, variables))
        del answer
    once = (plan.quantifier, plan.limit) == ("atleast", 1)  # one way to bind a member is enough
    nothing = Residue(batch.shape.hidden, (), (), ())
    rows = read_rows(groups, batch, nothing, variables.labels)
    return Groups(plan, groups, rows, _together(members, once=once))


def _members(
    answer: pa.Table, batch: Batch, residue: Residue, variables: LabelVariables
) -> Members:
    """The members that some label makes count, each with the set of those labels."""
    (slot,) = residue.slots
    rows = read_rows(answer, batch, residue, variables.labels)
    group = as_ints(answer, GROUP)
    variable = rows.slots[0] + np.int32(variables.first_variable[slot.label])
    found: list[tuple[Ints, Ints, Truths]] = []
    for chosen, truth in cases(rows, residue, variables):
        if truth.any():
            found.append((group[chosen], variable[chosen], truth))
    return Members(
        np.concatenate([g for g, _, _ in found] or [np.empty(0, np.int32)]),
        np.concatenate([v for _, v, _ in found] or [np.empty(0, np.int32)]),
        np.repeat(np.arange(len(found), dtype=np.int32), [len(g) for g, _, _ in found]),
        tuple(truth for _, _, truth in found),
    )


def _together(parts: list[Members], *, once: bool) -> Members:
    """All members in the order of group, variable and state set; equal ones once, if so asked."""
    first = np.cumsum([0, *(len(part.state_sets) for part in parts)])
    columns = [
        np.concatenate([part.group for part in parts]),
        np.concatenate([part.variable for part in parts]),
        np.concatenate([p.states + np.int32(n) for p, n in zip(parts, first, strict=False)]),
    ]
    rows = sorted_rows(columns, once=once)
    sets = tuple(truth for part in parts for truth in part.state_sets)
    return Members(rows.column(0), rows.column(1), rows.column(2), sets)


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
