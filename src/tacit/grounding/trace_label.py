"""Tracing all that speaks of one label: for each weight, the rows that made it speak.

Most evidence needs no look-up: where a formula's variables are the instance itself and the values
that key its weight, the row is known. The other evidence is looked up shape by shape, in one query
for all the weights of a shape, and only among the facts about this instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tacit.grounding.about import RelationsAbout, who_is_who
from tacit.grounding.blocks import Alike, cases, folded
from tacit.grounding.engine import Engine
from tacit.grounding.factors import GroundFactors
from tacit.grounding.query import RULE, bindings, common_columns, residue_columns
from tacit.grounding.rows import read_rows
from tacit.grounding.template import Batch, Shape, Template, batches, template
from tacit.grounding.truth import Residue
from tacit.logic.formula import Variable

Row = Mapping[str, object]
Key = tuple[object, ...]


def known_row(shape: Shape, instance: object, key: Row) -> Row | None:
    """The only row that can make evidence of a shape speak of an instance; None if several can."""
    slots = shape.slots
    if shape.is_grouped or len(slots) != 1:
        return None
    item = slots[0].item
    known = {item.name: instance, **key} if isinstance(item, Variable) else key
    if not set(shape.free) <= set(known):
        return None
    return {name: known[name] for name in shape.free}


def trace_label(
    factors: GroundFactors,
    function: str,
    row: int,
    weights: Iterable[int],
    engine: Callable[[], Engine],
) -> dict[int, tuple[Row, ...]]:
    """For each of some weights that speak of an instance's label, the bindings of its variables.

    `engine` is asked for one where anything must be looked up.
    """
    label = _Label.of(factors, function, row)
    found: dict[int, tuple[Row, ...]] = {}
    unknown: dict[tuple[str, Key], int] = {}  # the weights of evidence, by its name and their keys
    made: dict[int, Template] = {}  # by block: evidence often speaks with several weights
    templates: dict[str, Template] = {}
    for weight in weights:
        at = int(factors.weights.block_of_weight[weight])
        block = factors.weights.blocks[at]
        made[at] = one = made.get(at) or template(block.evidence)
        values = block.key_of(weight - int(factors.weights.first[at]))
        only = known_row(one.shape, label.instance, dict(zip(one.shape.keys, values, strict=True)))
        if only is not None:
            found[weight] = (only,)
        else:
            unknown[block.evidence.name, values] = weight
            templates[block.evidence.name] = one
    for number, batch in enumerate(batches(templates.values())):
        rows: dict[int, dict[str, Row]] = {}
        for name, values, bound in _groundings(factors, batch, number, label, engine()):
            if (name, values) in unknown:
                rows.setdefault(unknown[name, values], {})[str(bound)] = bound
        # In an order that does not depend on the engine.
        found |= {weight: tuple(own[text] for text in sorted(own)) for weight, own in rows.items()}
    return found


@dataclass(frozen=True, slots=True)
class _Label:
    """One label variable."""

    function: str
    row: int
    instance: object  # its id

    @staticmethod
    def of(factors: GroundFactors, function: str, row: int) -> _Label:
        at = list(factors.variables.first_variable).index(function)
        return _Label(function, row, factors.variables.instances[at].ids[row].as_py())


def _groundings(
    factors: GroundFactors, batch: Batch, number: int, label: _Label, engine: Engine
) -> Iterator[tuple[str, Key, Row]]:
    """The groundings of a batch that say something of one label: evidence, key and binding."""
    shape = batch.shape
    domains = {one.name: one.domain for one in factors.variables.functions}
    residue = Residue.of(shape.hidden)
    alone = len(residue.slots) == 1  # of several, any one could be this label
    ids = who_is_who(residue.slots, {label.function: [label.instance]}) if alone else {}
    RelationsAbout(engine, factors.program, factors.task, ids).need(batch, number)
    join = bindings(batch, number, domains)
    columns = residue_columns(join, residue, shape, domains)
    columns |= common_columns(join, batch)  # last: a slot may have bound what keys a weight
    names = [name for name in shape.free if name in join.bound]
    columns |= {f"v{i}": join.bound[name] for i, name in enumerate(names)}
    slots = [f"s{i}" for i, slot in enumerate(residue.slots) if slot.label == label.function]
    here = exp.Literal.number(label.row)
    join.conditions.append(
        exp.or_(*(exp.EQ(this=columns[slot].copy(), expression=here.copy()) for slot in slots))
    )
    answer = engine.run(join.select(columns).distinct())
    said = answer.filter(pa.array(_that_say(factors, answer, batch, residue, label)))
    rules = said.column(RULE).to_pylist() if RULE in said.column_names else [0] * said.num_rows
    keys = said.select([f"k{i}" for i in range(len(shape.keys))]).to_pylist()
    rows = said.select([f"v{i}" for i in range(len(names))]).rename_columns(names).to_pylist()
    for rule, key, row in zip(rules, keys, rows, strict=True):
        yield batch.names[rule], tuple(key.values()), row


def _that_say(
    factors: GroundFactors, answer: pa.Table, batch: Batch, residue: Residue, label: _Label
) -> NDArray[np.bool_]:
    """The rows that say something of one label alone, once they are folded as in grounding."""
    variables = factors.variables
    rows = read_rows(answer, batch, residue, variables.labels)
    functions = tuple(slot.label for slot in residue.slots)
    said = np.zeros(len(rows), dtype=bool)
    for chosen, truth in cases(rows, residue, variables):
        place = np.flatnonzero(chosen).astype(np.int32)
        items = tuple(slot[place] for slot in rows.slots)
        for part in folded(Alike(functions, truth, items, place, None, once=False)):
            if part.functions == (label.function,):
                said[part.weight[part.items[0] == label.row]] = True
    return said
