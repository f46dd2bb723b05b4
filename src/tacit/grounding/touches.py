"""What formulas touch: counted by the engine, without keeping a single grounding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from tacit.data import Task
from tacit.grounding.engine import DuckDBEngine, Engine
from tacit.grounding.group_queries import group_query, member_queries, number_groups
from tacit.grounding.query import RULE, Domains, grounding_query, needs_sets
from tacit.grounding.relations import Relations
from tacit.grounding.sql import column
from tacit.grounding.template import Batch, batches, template
from tacit.logic.program import Program


@dataclass(frozen=True, slots=True)
class Touch:
    """How much a formula has to say: its groundings, and the instances that they touch."""

    name: str
    groundings: int
    instances: Mapping[str, int]  # label function -> number of instances


def touches(program: Program, task: Task, *, engine: Engine | None = None) -> tuple[Touch, ...]:
    """How much each formula of a program has to say about a task, in the program's order."""
    own = engine is None
    engine = engine or DuckDBEngine()
    try:
        relations = Relations(engine, program, task)
        domains = {function.name: function.domain for function in program.labels.values()}
        found: dict[str, Touch] = {}
        for number, batch in enumerate(batches(map(template, program.evidence))):
            relations.need(batch, number)
            for touch in _touches(batch, number, domains, engine):
                found[touch.name] = touch
        return tuple(found[evidence.name] for evidence in program.evidence)
    finally:
        if own:
            engine.close()


def _touches(batch: Batch, number: int, domains: Domains, engine: Engine) -> list[Touch]:
    """The touches of a batch: its groundings counted, and the distinct instances in them."""
    if not batch.shape.guards:
        return [Touch(name, 0, {}) for name in batch.names]
    if batch.shape.is_grouped:
        number_groups(batch, number, engine.run, engine.load, domains)
        whole = group_query(batch, number, domains)
        members = member_queries(batch, number, domains)
        slots = [(query, "s0", residue.slots[0].label) for query, residue in members]
    else:
        whole = grounding_query(batch, number, domains)
        slots = [(whole, f"s{i}", slot.label) for i, slot in enumerate(batch.shape.slots)]
        whole = whole if needs_sets(batch.shape) else whole.distinct()
    groundings = _counted(engine, whole)
    instances: dict[str, dict[int, int]] = {}
    for function in dict.fromkeys(function for _, _, function in slots):
        items = [_items(query, slot) for query, slot, label in slots if label == function]
        distinct = exp.union(*items, distinct=True) if len(items) > 1 else items[0].distinct()
        instances[function] = _counted(engine, distinct)
    return [
        Touch(name, groundings.get(at, 0), {f: n.get(at, 0) for f, n in instances.items()})
        for at, name in enumerate(batch.names)
    ]


def _rule(query: exp.Query) -> exp.Expr:
    """The rule of each row of a query; a batch of one rule has no such column."""
    known = RULE in query.named_selects
    return column("q", RULE) if known else exp.Literal.number(0)


def _items(query: exp.Query, slot: str) -> exp.Select:
    """The rule and the instance of each row."""
    rule = exp.alias_(_rule(query), RULE, quoted=True)
    return exp.select(rule, exp.alias_(column("q", slot), "item")).from_(query.subquery("q"))


def _counted(engine: Engine, query: exp.Query) -> dict[int, int]:
    """The number of rows by rule."""
    number = exp.alias_(exp.Count(this=exp.Star()), "n")
    rule = exp.alias_(_rule(query), "rule")
    counts = exp.select(rule, number).from_(query.subquery("q"))
    if RULE in query.named_selects:
        counts = counts.group_by(_rule(query))
    answer = engine.run(counts).to_pydict()
    return dict(zip(answer["rule"], answer["n"], strict=True))
