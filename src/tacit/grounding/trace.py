"""Tracing a ground factor back to its formula and to the rows that made it, when someone asks.

Nothing is kept for this while grounding: the formula's query is run once more, for the labels and
the key of that one factor alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tacit.grounding.about import RelationsAbout, who_is_who
from tacit.grounding.blocks import Alike, cases, folded
from tacit.grounding.engine import DuckDBEngine, Engine
from tacit.grounding.factors import GroundFactors, GroupBlock, TableBlock, UnaryBlock
from tacit.grounding.groups import ground_groups
from tacit.grounding.query import bindings, common_columns, residue_columns
from tacit.grounding.relations import Relations
from tacit.grounding.rows import read_rows
from tacit.grounding.template import Batch, template
from tacit.grounding.truth import Residue
from tacit.logic.evidence import Evidence

Block = UnaryBlock | TableBlock | GroupBlock


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a ground factor comes from."""

    evidence: Evidence
    key: Mapping[str, object]  # the values of the variables that key its weight
    labels: tuple[tuple[str, object], ...]  # (label function, instance id) that it touches
    bindings: pa.Table  # one row for each grounding, one column for each variable


def trace(
    factors: GroundFactors, block: Block, index: int, *, engine: Engine | None = None
) -> Trace:
    """The formula of one factor of a block, and the bindings of its variables."""
    weight = int(block.weight[index])
    at = int(factors.weights.block_of_weight[weight])
    evidence = factors.weights.blocks[at].evidence
    values = factors.weights.blocks[at].key_of(weight - int(factors.weights.first[at]))
    one = template(evidence)
    key = dict(zip(one.shape.keys, values, strict=True))
    variables = _variables(factors, block, index)
    own = engine is None
    engine = engine or DuckDBEngine()
    try:
        batch = Batch(one.shape, (one,))
        if isinstance(block, GroupBlock):
            Relations(engine, factors.program, factors.task).need(batch, 0)
            rows = _group_bindings(factors, batch, variables, key, engine)
        else:
            rows = _bindings(factors, batch, block, index, key, engine)
    finally:
        if own:
            engine.close()
    labels = tuple(_label(factors, variable) for variable in dict.fromkeys(variables))
    return Trace(evidence, key, labels, rows)


def _variables(factors: GroundFactors, block: Block, index: int) -> list[int]:
    """The label variables of one factor."""
    match block:
        case UnaryBlock():
            function, row, _ = _state(factors, int(block.state[index]))
            return [factors.variables.first_variable[function] + row]
        case TableBlock():
            return list(map(int, block.variables[index]))
        case GroupBlock():
            members = slice(block.first_member[index], block.first_member[index + 1])
            return list(map(int, block.variable_of_member[members]))


def _state(factors: GroundFactors, state: int) -> tuple[str, int, int]:
    """The label function, the row and the label of a state."""
    firsts = factors.variables.first_state
    function = [name for name, first in firsts.items() if first <= state][-1]
    row, label = divmod(state - firsts[function], len(factors.variables.labels[function]))
    return function, row, label


def _first(factors: GroundFactors, variable: int) -> tuple[str, int]:
    """The label function of a variable, and that function's first variable."""
    firsts = factors.variables.first_variable.items()
    return [(function, first) for function, first in firsts if first <= variable][-1]


def _label(factors: GroundFactors, variable: int) -> tuple[str, object]:
    """A label variable as its function and its instance's id."""
    function, first = _first(factors, variable)
    at = list(factors.variables.first_variable).index(function)
    return function, factors.variables.instances[at].ids[variable - first].as_py()


def _ids(factors: GroundFactors, variables: list[int]) -> dict[str, list[object]]:
    """The ids of the instances of some label variables, by label function."""
    found: dict[str, list[object]] = {}
    for variable in variables:
        function, instance = _label(factors, variable)
        found.setdefault(function, []).append(instance)
    return found


def _bindings(
    factors: GroundFactors,
    batch: Batch,
    block: UnaryBlock | TableBlock,
    index: int,
    key: Mapping[str, object],
    engine: Engine,
) -> pa.Table:
    """The bindings of a factor over one label or a table of labels."""
    shape, domains = batch.shape, _domains(factors)
    residue = Residue.of(shape.hidden)
    variables = _variables(factors, block, index)
    # With as many slots as labels none was folded away: then each slot is one of these labels.
    whole = len(residue.slots) == len(variables)
    known = who_is_who(residue.slots, _ids(factors, variables)) if whole else {}
    RelationsAbout(engine, factors.program, factors.task, known).need(batch, 0)
    join = bindings(batch, 0, domains)
    columns = residue_columns(join, residue, shape, domains)
    columns |= common_columns(join, batch)  # last: a slot may have bound what keys a weight
    names = [name for name in shape.free if name in join.bound]
    columns |= {f"v{i}": join.bound[name] for i, name in enumerate(names)}
    rows_of: dict[str, list[int]] = {}
    for variable in variables:
        function, first = _first(factors, variable)
        rows_of.setdefault(function, []).append(variable - first)
    for function, rows in rows_of.items():  # some slot must be one of the factor's labels
        numbers = [exp.Literal.number(row) for row in rows]
        slots = [f"s{i}" for i, slot in enumerate(residue.slots) if slot.label == function]
        among = [exp.In(this=columns[slot].copy(), expressions=numbers) for slot in slots]
        join.conditions.append(exp.or_(*among))
    for name, value in key.items():
        same = exp.EQ(this=join.bound[name].copy(), expression=exp.convert(value))
        join.conditions.append(same)
    answer = engine.run(join.select(columns).distinct())
    chosen = _that_say(factors, answer, batch, residue, block, index)
    found = answer.filter(pa.array(chosen)).select([f"v{i}" for i in range(len(names))])
    return found.rename_columns(names)


def _that_say(
    factors: GroundFactors,
    answer: pa.Table,
    batch: Batch,
    residue: Residue,
    block: UnaryBlock | TableBlock,
    index: int,
) -> NDArray[np.bool_]:
    """The rows that are groundings of this very factor, not of another on some of its labels.

    They are folded as they were in grounding: what is left must be the factor's labels.
    """
    variables = factors.variables
    rows = read_rows(answer, batch, residue, variables.labels)
    functions = tuple(slot.label for slot in residue.slots)
    wanted = sorted(_variables(factors, block, index))
    of_whom = sorted(_first(factors, variable)[0] for variable in wanted)
    said = np.zeros(len(rows), dtype=bool)
    for chosen, truth in cases(rows, residue, variables):
        place = np.flatnonzero(chosen).astype(np.int32)
        items = tuple(slot[place] for slot in rows.slots)
        for part in folded(Alike(functions, truth, items, place, None, once=False)):
            if sorted(part.functions) != of_whom or not _agrees(factors, part.truth, block, index):
                continue
            firsts = [variables.first_variable[function] for function in part.functions]
            touched = np.stack(part.items, axis=1) + np.array(firsts)
            said[part.weight] = (np.sort(touched, axis=1) == wanted).all(axis=1)
    return said


def _agrees(
    factors: GroundFactors, truth: NDArray[np.bool_], block: UnaryBlock | TableBlock, index: int
) -> bool:
    """Whether a folded table is that of a factor, its axes in whatever order."""
    if isinstance(block, TableBlock):
        return sorted(truth.shape) == sorted(block.truth.shape) and truth.sum() == block.truth.sum()
    return bool(truth[_state(factors, int(block.state[index]))[2]])


def _group_bindings(
    factors: GroundFactors,
    batch: Batch,
    variables: list[int],
    key: Mapping[str, object],
    engine: Engine,
) -> pa.Table:
    """The outer bindings of the groups that have just these members."""
    domains = _domains(factors)
    groups = ground_groups(batch, 0, engine.run, engine.load, domains, factors.variables)
    members: dict[int, list[int]] = {}
    pairs = zip(groups.members.group.tolist(), groups.members.variable.tolist(), strict=True)
    for group, variable in pairs:
        members.setdefault(group, []).append(variable)
    same = [group for group, own in members.items() if sorted(own) == sorted(variables)]
    names = [name for name in groups.bindings.column_names if name.startswith("g")]
    if not names:
        return groups.bindings.select([])
    rows = groups.bindings.take(pa.array(same, pa.int64()))
    for i, value in enumerate(key.values()):
        rows = rows.filter(pa.array([found == value for found in rows[f"k{i}"].to_pylist()]))
    bound = bindings(batch, 0, domains).bound
    free = [name for name in batch.shape.free if name in bound]
    return rows.select(names).rename_columns(free)


def _domains(factors: GroundFactors) -> dict[str, str]:
    return {function.name: function.domain for function in factors.variables.functions}
