"""Growth: what was added to a task since it was grounded, and which groundings that can touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacit.data import Task
from tacit.errors import BadInput
from tacit.grounding.factors import LabelVariables, Part
from tacit.grounding.query import Domains
from tacit.grounding.relations import Relations, as_rows, tuples
from tacit.grounding.sql import column, facts, instances
from tacit.grounding.template import Batch
from tacit.grounding.truth import Residue
from tacit.logic.formula import Atom, Comparison
from tacit.logic.traverse import label_functions, variables, walk

OLD, NEW = "old ", "new "  # what stood there before, and what was added


@dataclass(frozen=True, slots=True)
class Growth:
    """Two tasks, the second being the first with rows added to some tables."""

    old: Task
    new: Task

    def has_grown(self, table: str, reader: str) -> bool:
        """Whether rows were added to a table; refuses one that changed in another way.

        `reader` names the formulas that read it, for the message.
        """
        before, after = self.old.table(table).arrow, self.new.table(table).arrow
        if before is after:
            return False
        if not after.slice(0, before.num_rows).equals(before):
            raise BadInput(
                f"table '{table}' has changed since formula {reader} was grounded: rows were "
                "removed or altered, not only added",
                remedy="ground anew, without previous=",
            )
        return bool(after.num_rows > before.num_rows)

    def relations_of(self, batch: Batch, domains: Domains) -> set[str]:
        """The SQL names of the relations of a batch that have grown."""
        reader = batch.name
        shape = batch.shape
        formulas = [*(part for guard in shape.guards for part in guard), shape.hidden]
        nodes = [node for formula in formulas for node in walk(formula)]
        predicates = {node.predicate for node in nodes if isinstance(node, Atom)}
        grown = {p for p in predicates if self.has_grown(p, reader)}
        spoken_of = {domains[function] for function in label_functions(shape.hidden)}
        tables = {domain for domain in spoken_of if self.has_grown(domain, reader)}
        names = {facts(p, distinct=distinct) for p in grown for distinct in (True, False)}
        return names | {instances(domain) for domain in tables}

    def load(self, relations: Relations, names: set[str]) -> None:
        """Load the old and the new part of the relations that have grown."""
        for predicate, declared in relations.observed.items():
            for distinct in (True, False):
                if (name := facts(predicate, distinct=distinct)) in names:
                    self._load_facts(relations, predicate, declared.arity, name)
        for domain in {f.domain for f in relations.program.labels.values()}:
            if (name := instances(domain)) in names:
                everything = relations.instances(domain)
                n_old = self.old.table(domain).n_rows
                relations.load(OLD + name, everything.slice(0, n_old))
                relations.load(NEW + name, everything.slice(n_old))

    def _load_facts(self, relations: Relations, predicate: str, arity: int, name: str) -> None:
        """The old tuples of a predicate, and those that only the added rows hold."""
        before, after = (task.table(predicate).arrow for task in (self.old, self.new))
        old, added = f"before of {name}", f"added to {name}"
        relations.load(old, as_rows(before, arity))
        relations.load(added, as_rows(after.slice(before.num_rows), arity))
        columns = [f"c{i}" for i in range(arity)]
        same = [exp.EQ(this=column("t", c), expression=column("o", c)) for c in columns]
        there = exp.select(exp.Literal.number(1)).from_(
            exp.alias_(exp.Table(this=exp.to_identifier(old, quoted=True)), "o", table=True)
        )
        fresh = tuples(columns, added).where(exp.not_(exp.Exists(this=there.where(*same))))
        relations.define(OLD + name, tuples(columns, old).distinct())
        relations.define(NEW + name, fresh.distinct())


def can_grow(batch: Batch) -> bool:
    """Whether added rows can only add groundings: no negation, no counting, no alternatives."""
    shape = batch.shape
    if shape.is_grouped or shape.is_expectation or len(shape.guards) != 1:
        return False
    plain = all(isinstance(part, Atom | Comparison) for part in shape.guards[0])
    only_free = {name for part in shape.guards[0] for name in variables(part)}
    known = {*shape.free, *(name for name, _ in shape.parameters)}
    return plain and only_free <= known and not Residue.of(shape.hidden).flags


def added_queries(query: exp.Select, grown: set[str]) -> list[exp.Select]:
    """Queries whose rows together are those that a query gains, each row once.

    The i-th takes what is new of the i-th relation that has grown, everything of those before it,
    and what is old of those behind it.
    """
    n_sources = len([table for table in query.find_all(exp.Table) if table.name in grown])
    queries: list[exp.Select] = []
    for pivot in range(n_sources):
        variant = query.copy()
        tables = [table for table in variant.find_all(exp.Table) if table.name in grown]
        for position, table in enumerate(sorted(tables, key=lambda t: t.alias)):
            prefix = NEW if position == pivot else OLD if position > pivot else ""
            table.set("this", exp.to_identifier(prefix + table.name, quoted=True))
        queries.append(variant)
    return queries


def shifted(part: Part, old: LabelVariables, new: LabelVariables) -> Part:
    """A part whose variables and states are numbered as they are in a larger task."""
    variable = _Shift.of(old.first_variable, new.first_variable)
    state = _Shift.of(old.first_state, new.first_state)
    if not variable.moves and not state.moves:
        return part
    return replace(
        part,
        unary=tuple(replace(b, state=state(b.state)) for b in part.unary),
        tables=tuple(
            replace(b, variables=variable(b.variables).astype(np.int32)) for b in part.tables
        ),
        groups=tuple(
            replace(b, variable_of_member=variable(b.variable_of_member).astype(np.int32))
            for b in part.groups
        ),
        expectations=tuple(replace(b, state=state(b.state)) for b in part.expectations),
    )


@dataclass(frozen=True, slots=True)
class _Shift:
    """Numbers in blocks, each block moved by a distance of its own."""

    first: NDArray[np.int64]
    distance: NDArray[np.int64]

    @classmethod
    def of(cls, old: Mapping[str, int], new: Mapping[str, int]) -> _Shift:
        """The shift from one numbering of the label functions to another."""
        before, after = (np.array(list(first.values()), dtype=np.int64) for first in (old, new))
        return cls(before, after - before)

    @property
    def moves(self) -> bool:
        """Whether anything changes at all."""
        return bool(self.distance.any())

    def __call__(self, numbers: NDArray[np.integer]) -> NDArray[np.int64]:
        """The numbers where they are now."""
        block = np.searchsorted(self.first, numbers, side="right") - 1
        return np.asarray(numbers + self.distance[block], dtype=np.int64)
