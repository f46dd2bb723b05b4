"""Relations: a task's tables as the sets of tuples that formulas speak of."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tacit.data import Table, Task
from tacit.grounding.engine import Engine
from tacit.grounding.query import RULE, parameters_name
from tacit.grounding.sql import facts, instances, labels
from tacit.grounding.template import Batch
from tacit.logic.formula import Atom, walk
from tacit.logic.program import Program
from tacit.logic.vocabulary import Vocabulary


class Relations:
    """Loads into an engine what a query needs, each relation once."""

    def __init__(self, engine: Engine, program: Program, task: Task) -> None:
        self.engine = engine
        self.program = program
        self.task = task
        self.observed = Vocabulary.of(program.declarations).observed
        self.loaded: set[str] = set()

    def need(self, batch: Batch, number: int) -> None:
        """Load the relations that a batch reads."""
        shape = batch.shape
        parts = [literal for guard in shape.guards for literal in guard]
        for formula in (*parts, shape.hidden):
            for node in walk(formula):
                if isinstance(node, Atom):
                    self._load(facts(node.predicate), lambda p=node.predicate: self._facts(p))
        for function in self.program.labels.values():
            domain = function.domain
            self._load(instances(domain), lambda d=domain: _rows(self.task.instances(d).ids))
            self._load(labels(function.name), lambda f=function: _codes(f.labels))
        if len(batch.templates) > 1:
            self.engine.load(parameters_name(number), _parameters(batch))

    def _load(self, name: str, make: object) -> None:
        if name not in self.loaded:
            assert callable(make)
            self.engine.load(name, make())
            self.loaded.add(name)

    def _facts(self, predicate: str) -> pa.Table:
        declared = self.observed[predicate]
        return as_set(self.task.table(predicate), declared.arity)


def as_set(table: Table, arity: int) -> pa.Table:
    """The first columns of a table as a set of tuples: no nulls, no repetition."""
    names = [f"c{i}" for i in range(arity)]
    relation = pa.table([table.arrow.column(i) for i in range(arity)], names=names)
    if any(column.null_count for column in relation.columns):
        relation = relation.drop_null()
    distinct = relation.group_by(names, use_threads=True).aggregate([])
    return relation if distinct.num_rows == relation.num_rows else distinct


def _rows(ids: pa.Array) -> pa.Table:
    return pa.table({"id": ids, "row": pa.array(np.arange(len(ids), dtype=np.int32))})


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
