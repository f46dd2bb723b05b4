"""Grounding: program x tables -> ground factors, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tacit.data import Task
from tacit.errors import BadFormula, Contradiction
from tacit.grounding.blocks import Alike, alike, folded, table_block, unary_block
from tacit.grounding.engine import DuckDBEngine, Engine
from tacit.grounding.factors import (
    ExpectationBlock,
    GroundFactors,
    GroupBlock,
    Ints,
    LabelVariables,
    TableBlock,
    Touch,
    UnaryBlock,
    WeightBlock,
    Weights,
)
from tacit.grounding.groups import ground_groups, group_blocks, settle
from tacit.grounding.hard import HardEvidence
from tacit.grounding.query import RULE, Domains, grounding_query
from tacit.grounding.relations import Relations
from tacit.grounding.rows import Rows, read_rows
from tacit.grounding.template import Batch, batches, template
from tacit.grounding.truth import Residue
from tacit.logic.evidence import Hard
from tacit.logic.program import Program


def ground_factors(program: Program, task: Task, *, engine: Engine | None = None) -> GroundFactors:
    """Every ground factor of a program on a task's tables."""
    own = engine is None
    engine = engine or DuckDBEngine()
    try:
        grounder = Grounder(program, task, engine)
        for number, batch in enumerate(batches(map(template, program.evidence))):
            grounder.ground(batch, number)
        return grounder.result()
    finally:
        if own:
            engine.close()


def touches(program: Program, task: Task) -> tuple[Touch, ...]:
    """How much each formula of a program has to say about a task."""
    by_name = {touch.name: touch for touch in ground_factors(program, task).touches}
    return tuple(by_name[evidence.name] for evidence in program.evidence)


class Grounder:
    """Gathers the factors of one batch after another."""

    def __init__(self, program: Program, task: Task, engine: Engine) -> None:
        functions = tuple(program.labels.values())
        instances = tuple(task.instances(function.domain) for function in functions)
        self.variables = LabelVariables(functions, instances)
        self.domains: Domains = {function.name: function.domain for function in functions}
        self.engine = engine
        self.relations = Relations(engine, program, task)
        self.hard = HardEvidence(self.variables)
        self.n_weights = 0
        self.weights: list[WeightBlock] = []
        self.unary: list[UnaryBlock] = []
        self.tables: list[TableBlock] = []
        self.groups: list[GroupBlock] = []
        self.expectations: list[ExpectationBlock] = []
        self.touches: list[Touch] = []

    def result(self) -> GroundFactors:
        """All that was gathered."""
        return GroundFactors(
            self.variables,
            Weights(tuple(self.weights)),
            tuple(self.unary),
            tuple(self.tables),
            tuple(self.groups),
            tuple(self.expectations),
            tuple(self.touches),
        )

    def ground(self, batch: Batch, number: int) -> None:
        """Ground the templates of one shape."""
        self.relations.need(batch, number)
        if not batch.shape.guards:  # its condition can never hold
            self._add_weights(batch, np.empty(0, dtype=np.int32), pa.table({}))
            self._touch(batch, np.empty(0, dtype=np.int32), ())
        elif batch.shape.is_grouped:
            self._ground_groups(batch, number)
        else:
            self._ground_tables(batch, number)

    def _ground_tables(self, batch: Batch, number: int) -> None:
        """Formulas over a fixed number of labels."""
        residue = Residue.of(batch.shape.hidden)
        answer = self.engine.run(grounding_query(batch, number, self.domains))
        rows = read_rows(answer, batch, residue, self.variables.labels)
        functions = [slot.label for slot in residue.slots]
        touched = zip(functions, rows.slots, strict=True)
        self._touch(batch, rows.rule, [(function, rows.rule, item) for function, item in touched])
        weight_of_key = self._add_weights(batch, _rules(rows), rows.keys)
        for group in alike(rows, residue, self.variables):
            if batch.shape.is_expectation:
                self._expect(batch, rows, group)
                continue
            for part in folded(group):
                self._factor(batch, rows, part, weight_of_key)

    def _factor(self, batch: Batch, rows: Rows, part: Alike, weight_of_key: Ints) -> None:
        rule = _rules(rows)[part.weight]
        if not part.functions:  # no label can change its truth
            self._never(batch, rule if not part.truth else rule[:0])
            return
        weighted = replace(part, weight=weight_of_key[part.weight])
        if len(part.functions) > 1:
            self.tables.append(table_block(weighted, self.variables))
            return
        for at, one in enumerate(batch.templates):
            if isinstance(one.evidence.weight, Hard) and (rule == at).any():
                self.hard.narrow(one.evidence, part.where(rule == at))
        self.unary.append(unary_block(weighted, self.variables))

    def _ground_groups(self, batch: Batch, number: int) -> None:
        """Formulas that count labels."""
        groups = ground_groups(batch, number, self.engine.run, self.domains, self.variables)
        rows, members = groups.rows, groups.members
        rule_of_member = rows.rule[members.group]
        touched = [
            (function, rule_of_member[chosen], members.variable[chosen] - np.int32(first))
            for function, first, chosen in self._by_function(members.variable)
        ]
        self._touch(batch, rows.rule, touched)
        weight_of_key = self._add_weights(batch, _rules(rows), rows.keys)
        settled, _ = settle(groups)
        self._never(batch, rows.rule[settled.never])
        self.groups.extend(group_blocks(groups, weight_of_key[rows.key]))

    def _by_function(self, variable: Ints) -> list[tuple[str, int, NDArray[np.bool_]]]:
        """Which variables belong to each label function."""
        firsts = self.variables.first_variable
        ends = [*list(firsts.values())[1:], self.variables.n_variables]
        return [
            (function, first, (variable >= first) & (variable < end))
            for (function, first), end in zip(firsts.items(), ends, strict=True)
        ]

    def _expect(self, batch: Batch, rows: Rows, group: Alike) -> None:
        """The states whose share each expectation of a batch constrains."""
        rule = _rules(rows)[group.weight]
        for at, one in enumerate(batch.templates):
            chosen = group.where(rule == at)
            if not len(chosen.weight):
                continue
            if len(chosen.functions) != 1:
                raise BadFormula(
                    f"expectation '{one.evidence.name}' is about more than one label at a time",
                    place=one.evidence.place,
                    remedy="expect a share of single labels, such as expect 0.5: y(r) = pos",
                )
            block = unary_block(
                replace(chosen, weight=np.zeros_like(chosen.weight)), self.variables
            )
            total = float(chosen.count.sum())
            self.expectations.append(
                ExpectationBlock(one.evidence, block.state, block.count, total)
            )

    def _never(self, batch: Batch, rules: Ints) -> None:
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

    def _add_weights(self, batch: Batch, rule: Ints, table: pa.Table) -> Ints:
        """Give the batch's templates their weights; returns the weight of each distinct key."""
        weight_of_key = np.zeros(len(rule), dtype=np.int32)
        for at, one in enumerate(batch.templates):
            chosen = np.flatnonzero(rule == at)
            own = table.take(pa.array(chosen)) if len(chosen) else table.slice(0, 0)
            keys = tuple(column.combine_chunks() for column in own.columns[1:])
            n = len(chosen) if batch.shape.keys else 1
            weight_of_key[chosen] = self.n_weights + np.arange(len(chosen), dtype=np.int32)
            self.weights.append(WeightBlock(one.evidence, keys, n))
            self.n_weights += n
        return weight_of_key

    def _touch(self, batch: Batch, rule: Ints, items: Sequence[tuple[str, Ints, Ints]]) -> None:
        """Count what each formula touches."""
        n_rules = len(batch.templates)
        groundings = np.bincount(rule, minlength=n_rules)
        counts: dict[str, NDArray[np.int64]] = {}
        for function in dict.fromkeys(function for function, _, _ in items):
            pairs = [
                rule_of_item.astype(np.int64) * self.variables.n_variables + item
                for name, rule_of_item, item in items
                if name == function
            ]
            rules = np.unique(np.concatenate(pairs)) // max(1, self.variables.n_variables)
            counts[function] = np.bincount(rules, minlength=n_rules)
        for at, one in enumerate(batch.templates):
            instances = {function: int(count[at]) for function, count in counts.items()}
            self.touches.append(Touch(one.evidence.name, int(groundings[at]), instances))


def _rules(rows: Rows) -> Ints:
    """The rule of each distinct key."""
    return np.asarray(rows.keys.column(RULE).to_numpy(), dtype=np.int32)
