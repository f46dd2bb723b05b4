"""The SELECT of each batch: one row for each grounding, with everything that a factor needs.

Columns: `#rule` (which template of the batch), `s0`, `s1`, ... (rows of the label variables),
`l0`, ... (codes of label values that come from data), `f0`, ... (facts inside the hidden part),
`k0`, ... (values that key the weight), `x` (the scale).
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from tacit.grounding.sql import Join, column
from tacit.grounding.template import Batch, Shape
from tacit.grounding.truth import Residue
from tacit.logic.formula import Variable

Domains = Mapping[str, str]  # label function -> its table
RULE = "#rule"  # no variable can be called that


def parameters_name(number: int) -> str:
    """The SQL name of the relation that holds the constants of a batch's rules."""
    return f"rules {number}"


def grounding_query(batch: Batch, number: int, domains: Domains) -> exp.Select:
    """The groundings of a batch whose hidden part is over a fixed number of labels."""
    join = bindings(batch, number, domains)
    shape = batch.shape
    columns = residue_columns(join, Residue.of(shape.hidden), shape, domains)
    return join.select(common_columns(join, batch) | columns)


def alternatives(batch: Batch, number: int) -> list[Join]:
    """One join for each guard."""
    joins = [_start(batch, number).add(guard) for guard in batch.shape.guards]
    for join in joins:
        for variable, functions in batch.shape.ranged:
            join.range_over_labels(variable, functions)
    return joins


def needs_sets(shape: Shape) -> bool:
    """Whether a row that a table repeats would be taken for another grounding.

    It would not where every variable is seen in the answer: equal rows are then known to be one.
    """
    seen = {slot.item.name for slot in shape.slots if isinstance(slot.item, Variable)}
    unseen = set(shape.free) - seen - set(shape.keys)
    return bool(unseen or shape.scale or shape.is_grouped)


def bindings(batch: Batch, number: int, domains: Domains) -> Join:
    """The distinct bindings of a shape's variables, as a join that can be extended."""
    joins = alternatives(batch, number)
    known = [RULE, *(name for name, _ in batch.shape.parameters), *batch.shape.free]
    if len(joins) == 1 and set(joins[0].bound) <= set(known):
        return joins[0]
    # Alternatives overlap, and what only some binding must satisfy has many witnesses: the
    # distinct values of the formula's own variables are taken before anything else is joined.
    for join in joins:
        for slot in batch.shape.slots:
            if isinstance(slot.item, Variable) and slot.item.name not in join.bound:
                join.row_of(slot.item, domains[slot.label])
    names = [name for name in known if name in joins[0].bound]
    columns = {name: f"v{i}" for i, name in enumerate(names)}  # SQL does not tell x from X
    queries = [join.select({columns[name]: join.bound[name] for name in names}) for join in joins]
    united = exp.union(*queries, distinct=True) if len(queries) > 1 else queries[0].distinct()
    merged = Join(distinct=needs_sets(batch.shape))
    merged.sources.append(united.subquery("u"))
    merged.bound = {name: column("u", columns[name]) for name in names}
    return merged


def _start(batch: Batch, number: int) -> Join:
    """A join that knows the constants: written out for one rule, as a relation for several."""
    join = Join(constants(batch), distinct=needs_sets(batch.shape))
    if len(batch.templates) > 1:
        alias = join.source(parameters_name(number))
        names = [name for name, _ in batch.shape.parameters]
        join.bound = {name: column(alias, name) for name in (*names, RULE)}
    return join


def constants(batch: Batch) -> dict[str, exp.Expr]:
    """The constants of a batch that has one rule; those of several are in a relation."""
    if len(batch.templates) > 1:
        return {}
    names = [name for name, _ in batch.shape.parameters]
    values = batch.templates[0].constants
    return {name: exp.convert(value) for name, value in zip(names, values, strict=True)}


def common_columns(join: Join, batch: Batch) -> dict[str, exp.Expr]:
    """The rule, the values that key the weight and the scale."""
    shape = batch.shape
    columns: dict[str, exp.Expr] = {}
    if len(batch.templates) > 1:
        columns[RULE] = join.bound[RULE]
    for i, key in enumerate(shape.keys):
        columns[f"k{i}"] = join.bound[key]
    if shape.scale is not None:
        columns["x"] = exp.cast(join.bound[shape.scale].copy(), "double")
    return columns


def residue_columns(
    join: Join, residue: Residue, shape: Shape, domains: Domains
) -> dict[str, exp.Expr]:
    """The rows of label variables, the codes of label values and the facts left in `hidden`."""
    columns: dict[str, exp.Expr] = {}
    parameters = {name for name, _ in shape.parameters}
    for i, slot in enumerate(residue.slots):
        columns[f"s{i}"] = join.row_of(slot.item, domains[slot.label])
    for i, (variable, function) in enumerate(residue.codes):
        if variable not in parameters:
            columns[f"l{i}"] = join.code_of(variable, function)
    for i, literal in enumerate(residue.flags):
        columns[f"f{i}"] = join.flag_of(literal)
    return columns
