"""Relations: a task's tables as the sets of tuples that formulas speak of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from tacit.data import Task
from tacit.grounding.engine import Engine
from tacit.grounding.query import RULE, needs_sets, parameters_name
from tacit.grounding.sql import facts, instances, labels
from tacit.grounding.template import Batch
from tacit.logic.formula import Atom
from tacit.logic.program import Program
from tacit.logic.traverse import walk
from tacit.logic.vocabulary import Vocabulary


class Relations:
    """Loads into an engine what a query needs, each relation once."""

    def __init__(self, engine: Engine, program: Program, task: Task) -> None:
        self.engine = engine
        self.program = program
        self.task = task
        self.observed = Vocabulary.of(program.declarations).observed
        self.loaded: set[str] = set()
        self.sizes: dict[str, int] = {}  # relation -> how many rows were loaded
        self.lives_there: dict[str, bool] = {}  # predicate -> whether the engine has its facts

    def need(self, batch: Batch, number: int) -> None:
        """Load the relations that a batch reads."""
        shape = batch.shape
        literals = [literal for guard in shape.guards for literal in guard]
        for formula in (*literals, shape.hidden):
            for node in walk(formula):
                if isinstance(node, Atom):
                    self._need_facts(node.predicate, distinct=needs_sets(shape))
        for function in self.program.labels.values():
            self._load(instances(function.domain), self.instances, function.domain)
            self._load(labels(function.name), _codes, function.labels)
        for _, functions in shape.ranged:
            names = dict.fromkeys(n for f in functions for n in self.program.labels[f].labels)
            self._load(labels(*functions), _codes, tuple(names))
        if len(batch.templates) > 1:
            self.engine.load(parameters_name(number), _parameters(batch))

    def _need_facts(self, predicate: str, *, distinct: bool) -> None:
        arity = self.observed[predicate].arity
        if predicate not in self.lives_there:
            self.lives_there[predicate] = self.engine.facts(predicate, arity)
        if self.lives_there[predicate]:
            return
        self._load(
            facts(predicate, distinct=False), as_rows, self.task.table(predicate).arrow, arity
        )
        name = facts(predicate)
        if distinct and name not in self.loaded:
            columns = [f"c{i}" for i in range(arity)]
            self.engine.define_set(name, tuples(columns, facts(predicate, distinct=False)))
            self.loaded.add(name)

    def instances(self, domain: str) -> pa.Table:
        """The relation (id, row) of a table's instances."""
        ids = self.task.instances(domain).ids
        return pa.table({"id": ids, "row": pa.array(np.arange(len(ids), dtype=np.int32))})

    def load(self, name: str, relation: pa.Table) -> None:
        """Load a relation of this name, once."""
        self._load(name, lambda: relation)

    def define(self, name: str, query: exp.Query) -> None:
        """Make the answer of a query known under a name, once."""
        if name not in self.loaded:
            self.engine.define(name, query)
            self.loaded.add(name)

    def _load(self, name: str, make: Callable[..., pa.Table], *arguments: object) -> None:
        if name not in self.loaded:
            relation = make(*arguments)
            self.engine.load(name, relation)
            self.loaded.add(name)
            self.sizes[name] = relation.num_rows


def as_rows(table: pa.Table, arity: int) -> pa.Table:
    """The first columns of a table as tuples without nulls."""
    names = [f"c{i}" for i in range(arity)]
    relation = pa.table([_plain(table.column(i)) for i in range(arity)], names=names)
    if any(one.null_count for one in relation.columns):
        relation = relation.drop_null()
    return relation


def tuples(columns: Sequence[str], name: str) -> exp.Select:
    """The tuples of a relation."""
    quoted = [exp.column(exp.to_identifier(column, quoted=True), table="t") for column in columns]
    relation = exp.Table(this=exp.to_identifier(name, quoted=True))
    named = [
        exp.alias_(sql, column, quoted=True) for sql, column in zip(quoted, columns, strict=True)
    ]
    return exp.select(*named).from_(exp.alias_(relation, "t", table=True))


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column in which equal numbers look equal: -0.0 is 0.0."""
    return pc.add(column, 0.0) if pa.types.is_float64(column.type) else column


def _codes(names: tuple[str, ...]) -> pa.Table:
    codes = pa.array(np.arange(len(names), dtype=np.int32))
    return pa.table({"label": pa.array(names, pa.large_string()), "code": codes})


def _parameters(batch: Batch) -> pa.Table:
    columns = {
        name: pa.array([template.constants[i] for template in batch.templates])
        for i, (name, _) in enumerate(batch.shape.parameters)
    }
    rules = pa.array(np.arange(len(batch.templates), dtype=np.int32))
    return pa.table(columns | {RULE: rules})
