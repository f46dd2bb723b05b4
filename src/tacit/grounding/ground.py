"""Grounding: program x tables -> ground factors, batch by batch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tacit.data import Task
from tacit.errors import BadFormula, BadInput, Contradiction, EngineFailed, TooLarge
from tacit.grounding.blocks import Alike, alike, folded, table_block, unary_block
from tacit.grounding.engine import DuckDBEngine, Engine
from tacit.grounding.estimate import Estimator
from tacit.grounding.factors import (
    ExpectationBlock,
    GroundFactors,
    Ints,
    LabelVariables,
    Part,
    Step,
    TableBlock,
    UnaryBlock,
    Weights,
)
from tacit.grounding.group_queries import GroupPlan
from tacit.grounding.groups import ground_groups, group_blocks, settle
from tacit.grounding.growth import Growth, added_queries, can_grow, shifted
from tacit.grounding.hard import HardEvidence
from tacit.grounding.query import RULE, Domains, alternatives, grounding_query, needs_sets
from tacit.grounding.relations import Relations
from tacit.grounding.rows import Rows, read_rows, taken
from tacit.grounding.template import Batch, batches, template
from tacit.grounding.truth import Residue
from tacit.grounding.weights import WeightBook
from tacit.logic.evidence import Hard
from tacit.logic.formula import Truth
from tacit.logic.program import Program

LIMIT = 1e8  # rows of one join: some gigabytes of factors, more than one machine wants
Blocks = dict[str, Any]  # the blocks of a Part by field
Progress = Callable[[int, int, str], None]  # batches done, batches in all, what comes next


def ground_factors(
    program: Program,
    task: Task,
    *,
    engine: Engine | None = None,
    limit: float = LIMIT,
    previous: GroundFactors | None = None,
    progress: Progress | None = None,
) -> GroundFactors:
    """Every ground factor of a program on a task's tables.

    A formula whose join is estimated at more than `limit` rows is refused before it is run.
    With `previous`, the factors of a program that this one begins with, on a task that this one is
    or adds rows to, only what is new is grounded. `progress` is told of every batch of formulas
    before it is grounded.
    """
    own = engine is None
    engine = engine or DuckDBEngine()
    try:
        grounder = Grounder(program, task, engine, limit)
        done = grounder.take_over(previous) if previous is not None else 0
        todo = batches(map(template, program.evidence[done:]))
        for number, batch in enumerate(todo):
            if progress is not None:
                progress(number, len(todo), batch.name)
            grounder.ground(batch, number)
        return grounder.result()
    finally:
        if own:
            engine.close()


class Grounder:
    """Grounds one batch after another, and gives out the weights."""

    def __init__(self, program: Program, task: Task, engine: Engine, limit: float) -> None:
        functions = tuple(program.labels.values())
        instances = tuple(task.instances(function.domain) for function in functions)
        self.program = program
        self.task = task
        self.engine = engine
        self.variables = LabelVariables(functions, instances)
        self.domains: Domains = {function.name: function.domain for function in functions}
        self.relations = Relations(engine, program, task)
        self.limit = limit
        self.estimator = Estimator(engine.run, self.relations.sizes)
        self.hard = HardEvidence(self.variables)
        self.book = WeightBook()
        self.parts: list[Part] = []
        self.queries: list[str] = []  # of the current batch
        self.n_rows = 0
        self.added: set[str] = set()  # relations of which only what was added is grounded

    def result(self) -> GroundFactors:
        """All that was grounded."""
        weights = Weights(tuple(self.book.blocks))
        return GroundFactors(
            self.program,
            self.task,
            self.variables,
            weights,
            tuple(self.parts),
            self.hard.allowed,
        )

    def take_over(self, previous: GroundFactors) -> int:
        """Begin with what was grounded before; returns how much evidence that is."""
        done = len(previous.program.evidence)
        before, now = previous.program, self.program
        same = before.labels == now.labels and set(before.declarations) <= set(now.declarations)
        if not same or previous.program.evidence != self.program.evidence[:done]:
            raise BadInput(
                "the previous factors are of another program, which this one does not begin with",
                remedy="add evidence by program.with_evidence, or ground without previous=",
            )
        self.book.take_over(previous.weights)
        self.hard.take_over(previous.possible)
        if previous.task is self.task or previous.task == self.task:
            self.parts = list(previous.parts)
            return done
        self.book.remember()
        growth = Growth(previous.task, self.task)
        evidence = {one.name: one for one in previous.program.evidence}
        parts: dict[tuple[str, ...], list[Part]] = {}
        for part in previous.parts:  # a batch that has grown before has several parts
            moved = shifted(part, previous.variables, self.variables)
            parts.setdefault(part.names, []).append(moved)
        for number, (names, grounded) in enumerate(parts.items()):
            (batch,) = batches(template(evidence[name]) for name in names)
            self._grow(growth, batch, -1 - number, grounded)
        return done

    def _grow(self, growth: Growth, batch: Batch, number: int, parts: list[Part]) -> None:
        """Add to old parts what the added rows bring; ground anew what cannot be added to."""
        grown = growth.relations_of(batch, self.domains)
        if not grown:
            self.parts.extend(parts)
        elif not can_grow(batch):
            self.ground(batch, number)
        else:
            self.relations.need(batch, number)
            growth.load(self.relations, grown)
            self.parts.extend(parts)
            self.added = grown
            try:
                self.ground(batch, number)
            finally:
                self.added = set()

    def ground(self, batch: Batch, number: int) -> None:
        """Ground the templates of one shape."""
        begun = time.perf_counter()
        self.queries, self.n_rows = [], 0
        try:
            self.relations.need(batch, number)
            estimate = self._estimate(batch, number)
            blocks = self._blocks(batch, number)
        except (EngineFailed, BadFormula) as error:
            raise type(error)(
                f"formula {batch.name} cannot be grounded: {error.message}",
                place=batch.templates[0].evidence.place,
                remedy=error.remedy,
            ) from error
        seconds = time.perf_counter() - begun
        step = Step(tuple(self.queries), estimate, self.n_rows, seconds)
        self.parts.append(Part(batch.names, step, **blocks))

    def run(self, query: exp.Query) -> pa.Table:
        """Run a query of the current batch and remember it."""
        answer = self.engine.run(query)
        self.queries.append(query.sql(dialect=self.engine.dialect, pretty=True))
        self.n_rows += answer.num_rows
        return answer

    def _estimate(self, batch: Batch, number: int) -> float:
        """How many rows the batch's joins will have; refuses more than the limit."""
        joins = alternatives(batch, number)
        if batch.shape.is_grouped:
            facts = GroupPlan.of(batch.shape).facts
            joins += [join.add(facts) for join in alternatives(batch, number)]
        joins = [join for join in joins if join.sources]
        rows = sum(self.estimator.estimate(join, self.limit).rows for join in joins)
        if rows > self.limit:
            raise TooLarge(
                f"{batch.name} would have about {rows:.2g} groundings, "
                f"more than the limit of {self.limit:.2g}",
                place=batch.templates[0].evidence.place,
                remedy="add a fact or a comparison that narrows the condition, or raise the limit",
            )
        return rows if joins else float(self.variables.n_variables)

    def _blocks(self, batch: Batch, number: int) -> Blocks:
        if not batch.shape.guards:  # a condition that can never hold
            self.book.give(batch, np.empty(0, dtype=np.int32), pa.table({}))
            return {}
        if batch.shape.is_expectation:
            return self._expectations(batch, number)
        if batch.shape.is_grouped:
            return self._groups(batch, number)
        return self._tables(batch, number)

    def _rows(self, batch: Batch, number: int, residue: Residue) -> Rows:
        query = grounding_query(batch, number, self.domains)
        queries = added_queries(query, self.added) if self.added else [query]
        answer = pa.concat_tables([self.run(query) for query in queries])
        return read_rows(answer, batch, residue, self.variables.labels)

    def _tables(self, batch: Batch, number: int) -> Blocks:
        """Formulas over a fixed number of labels."""
        residue = Residue.of(batch.shape.hidden)
        rows = self._rows(batch, number, residue)
        rule_of_key = _rules(rows)
        weight_of_key = self.book.give(batch, rule_of_key, rows.keys)
        unary: list[UnaryBlock] = []
        tables: list[TableBlock] = []
        groups = list(alike(rows, residue, self.variables, once=not needs_sets(batch.shape)))
        del rows  # arrays are let go as soon as they are folded and merged: they are the memory
        while groups:
            parts = list(folded(groups.pop(0)))
            while parts:
                part = parts[0]
                if len(part.functions) > 1:
                    parts[0] = replace(part, weight=taken(weight_of_key, part.weight))
                    del part
                    tables.append(table_block(parts, self.variables))
                    continue
                if not part.functions:
                    rule = taken(rule_of_key, part.weight)
                    self._refuse_hard(batch, rule if not part.truth else rule[:0])
                else:
                    self._narrow(batch, rule_of_key, part)
                    weighted = replace(part, weight=taken(weight_of_key, part.weight))
                    unary.append(unary_block(weighted, self.variables))
                del parts[0]
        return {"unary": tuple(unary), "tables": tuple(tables)}

    def _groups(self, batch: Batch, number: int) -> Blocks:
        """Formulas that count labels."""
        groups = ground_groups(
            batch, number, self.run, self.engine.load, self.domains, self.variables
        )
        weight_of_key = self.book.give(batch, _rules(groups.rows), groups.rows.keys)
        settled, _ = settle(groups)
        self._refuse_hard(batch, groups.rows.rule[settled.never])
        blocks = group_blocks(groups, taken(weight_of_key, groups.rows.key))
        return {"groups": tuple(blocks)}

    def _expectations(self, batch: Batch, number: int) -> Blocks:
        """The states whose share each expectation of a batch constrains."""
        grouped = batch.shape.is_grouped
        residue = Residue.of(Truth(True) if grouped else batch.shape.hidden)
        if len(residue.slots) != 1:
            raise BadFormula(
                "an expectation is about one label at a time",
                remedy="expect a share of single labels, such as expect 0.5: y(r) = pos",
            )
        rows = self._rows(batch, number, residue)
        first = self.book.n_weights
        weight_of_key = self.book.give(batch, _rules(rows), rows.keys)
        total = np.zeros(self.book.n_weights - first)
        blocks: list[UnaryBlock] = []
        for group in alike(rows, residue, self.variables, once=not needs_sets(batch.shape)):
            weighted = replace(group, weight=taken(weight_of_key, group.weight))
            every = unary_block(replace(weighted, truth=_first_state(group)), self.variables)
            np.add.at(total, every.weight - first, every.count)
            blocks.append(unary_block(weighted, self.variables))
        block = ExpectationBlock(
            state=np.concatenate([b.state for b in blocks] or [np.empty(0, np.int64)]),
            weight=np.concatenate([b.weight for b in blocks] or [np.empty(0, np.int32)]),
            count=np.concatenate([b.count for b in blocks] or [np.empty(0)]),
            constrained=np.arange(first, self.book.n_weights, dtype=np.int32),
            n_groundings=total,
        )
        return {"expectations": (block,)}

    def _narrow(self, batch: Batch, rule_of_key: Ints, part: Alike) -> None:
        """Remember what hard formulas leave possible."""
        for at, one in enumerate(batch.templates):
            if isinstance(one.evidence.weight, Hard):
                own = taken(rule_of_key, part.weight) == at
                self.hard.narrow(one.evidence, part.where(own))

    def _refuse_hard(self, batch: Batch, rules: Ints) -> None:
        """Refuse hard formulas with groundings that no label can satisfy."""
        for at in np.unique(rules).tolist():
            evidence = batch.templates[at].evidence
            if isinstance(evidence.weight, Hard):
                raise Contradiction(
                    f"hard formula '{evidence.name}' has {int((rules == at).sum())} groundings "
                    "that no label can satisfy",
                    place=evidence.place,
                    remedy="correct the tables, or give the formula a finite weight",
                )


def _first_state(group: Alike) -> NDArray[np.bool_]:
    """A truth table with one true state, for counting groundings."""
    return np.asarray(np.arange(len(group.truth)) == 0)


def _rules(rows: Rows) -> Ints:
    """The rule of each distinct key."""
    return np.asarray(rows.keys.column(RULE).to_numpy(), dtype=np.int32)
