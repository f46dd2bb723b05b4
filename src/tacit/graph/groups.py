"""Group factors from quantified groundings: members that share a variable become one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.errors import BadInput
from tacit.graph.factor_graph import Floats, GroupFactors, Ints, Longs, Truths
from tacit.graph.potentials import numbered, part
from tacit.grounding import GroupBlock
from tacit.logic.formula import Quantifier


def group_factors(block: GroupBlock, sizes: Ints, weights: Floats) -> list[GroupFactors]:
    """The factors of a block of groups, the hard ones apart from the others."""
    if len(block.first_member) < 2:
        return []
    _check(block, sizes, weights)
    largest = int(np.diff(block.first_member).max())
    holds = truth_of_sum(block.quantifier, block.limit, largest)
    potential, potentials = numbered(block.weight, block.count)
    whole = GroupFactors(holds, *_members(block, len(holds) - 1), potential, potentials)
    hard = np.isinf(weights[potentials.weight])
    if hard.all() or not hard.any():
        return [whole]
    parts = [part(potential, potentials, kept) for kept in (~hard, hard)]
    return [
        replace(whole.where(chosen), potential=numbers, potentials=own)
        for chosen, numbers, own in parts
    ]


def truth_of_sum(quantifier: Quantifier, limit: int, largest: int) -> Truths:
    """Whether a quantified formula holds, by how many members count; the end stands for more.

    No more than `largest` can count: a limit beyond that makes nothing longer.
    """
    end = limit if quantifier == "atleast" else limit + 1
    sums = np.arange(min(end, largest) + 1)
    if quantifier == "atleast":
        return sums >= limit
    return sums <= limit if quantifier == "atmost" else sums == limit


def _members(block: GroupBlock, end: int) -> tuple[tuple[Ints, ...], Longs, Ints, Ints]:
    """What each member adds, with the members of one group that share a variable made one."""
    gains = [np.minimum(truth.astype(np.int32), end) for truth in block.state_sets]
    variable, kind = block.variable_of_member, block.set_of_member
    group = np.repeat(np.arange(len(block.first_member) - 1), np.diff(block.first_member))
    order = np.lexsort((kind, variable, group))
    group, variable, kind = group[order], variable[order], kind[order]
    is_first = np.ones(len(group), dtype=bool)
    is_first[1:] = (group[1:] != group[:-1]) | (variable[1:] != variable[:-1])
    if is_first.all():
        return tuple(gains), block.first_member, variable, kind
    start = np.flatnonzero(is_first)
    size = np.diff(np.append(start, len(group)))
    merged = kind[start].copy()
    known: dict[tuple[int, ...], int] = {}
    for at in np.flatnonzero(size > 1).tolist():
        kinds = tuple(kind[start[at] : start[at] + size[at]].tolist())
        if kinds not in known:
            known[kinds] = len(gains)
            total = sum(gains[one].astype(np.int64) for one in kinds)
            gains.append(np.minimum(total, end).astype(np.int32))
        merged[at] = known[kinds]
    sizes = np.bincount(group[start], minlength=len(block.first_member) - 1)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return tuple(gains), first, variable[start], merged


def _check(block: GroupBlock, sizes: Ints, weights: Floats) -> None:
    if block.limit < 0:
        raise BadInput(f"a group counts to {block.limit}")
    _check_lengths(block)
    if (np.diff(block.first_member) < 1).any():
        raise BadInput("a group has no members", remedy="leave it out: no label decides it")
    if len(block.variable_of_member) and (
        block.variable_of_member.min() < 0 or block.variable_of_member.max() >= len(sizes)
    ):
        raise BadInput("a group names a variable that does not exist")
    if block.weight.min() < 0 or block.weight.max() >= len(weights):
        raise BadInput("a group names a weight that does not exist")
    kind = block.set_of_member
    if len(kind) and (kind.min() < 0 or kind.max() >= len(block.state_sets)):
        raise BadInput("a group's member names a set of states that does not exist")
    n_states = np.array([len(truth) for truth in block.state_sets], dtype=np.int32)
    if (sizes[block.variable_of_member] != n_states[block.set_of_member]).any():
        raise BadInput("a group's set of states has another size than its member's variable")


def _check_lengths(block: GroupBlock) -> None:
    """Kernels read by place, and do not look where arrays end."""
    n_groups, n_members = len(block.first_member) - 1, len(block.variable_of_member)
    if not n_groups == len(block.weight) == len(block.count):
        raise BadInput(
            f"{len(block.weight)} weights and {len(block.count)} counts for {n_groups} groups"
        )
    if len(block.set_of_member) != n_members:
        raise BadInput(f"{len(block.set_of_member)} sets of states for {n_members} members")
    if block.first_member[0] != 0 or block.first_member[-1] != n_members:
        raise BadInput(f"the groups do not hold the {n_members} members from first to last")
