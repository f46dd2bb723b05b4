"""Relations about a few instances: what a query needs that asks about them alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from tacit.data import Task
from tacit.grounding.engine import Engine
from tacit.grounding.relations import Relations, as_rows
from tacit.grounding.sql import facts
from tacit.grounding.template import Batch
from tacit.logic.formula import Atom, Count, Formula, LabelOf, Variable
from tacit.logic.program import Program
from tacit.logic.traverse import children

Ids = Sequence[object]


def who_is_who(slots: Iterable[LabelOf], ids: Mapping[str, Ids]) -> dict[str, Ids]:
    """The variables of label slots, each with the instances that it can stand for."""
    return {slot.item.name: ids[slot.label] for slot in slots if isinstance(slot.item, Variable)}


class RelationsAbout(Relations):
    """Loads only the facts that can matter where some variables stand for given instances.

    Rows that a table repeats stay repeated: this is for queries whose answers are sets. Without it
    an engine would go through whole tables to find the few rows about one instance.
    """

    def __init__(
        self, engine: Engine, program: Program, task: Task, ids: Mapping[str, Ids]
    ) -> None:
        """`ids` maps a variable of the formula to the instances that it can stand for."""
        super().__init__(engine, program, task)
        self.ids = ids
        self.batch: Batch | None = None

    def need(self, batch: Batch, number: int) -> None:
        """Load the relations that a batch reads."""
        self.batch = batch
        self.loaded.clear()  # another batch may need other facts of the same predicate
        super().need(batch, number)

    def _need_facts(self, predicate: str, *, distinct: bool) -> None:
        if facts(predicate) in self.loaded:
            return
        assert self.batch is not None
        shape = self.batch.shape
        atoms = [
            atom
            for literals in (*shape.guards, (shape.hidden,))
            for literal in literals
            for atom in _atoms(literal, frozenset(self.ids))
            if atom[0].predicate == predicate
        ]
        rows = as_rows(self.task.table(predicate).arrow, self.observed[predicate].arity)
        for position in range(rows.num_columns):
            wanted = self._wanted(atoms, position)
            if wanted is not None:
                rows = rows.filter(_among(rows.column(position), wanted))
        for name in (facts(predicate), facts(predicate, distinct=False)):
            self.load(name, rows)

    def _wanted(
        self, atoms: Sequence[tuple[Atom, frozenset[str]]], position: int
    ) -> list[object] | None:
        """The values that can matter in a column: None where some atom may need any."""
        found: dict[object, None] = {}
        for atom, visible in atoms:
            term = atom.terms[position]
            if not isinstance(term, Variable) or term.name not in visible:
                return None
            found |= dict.fromkeys(self.ids[term.name])
        return list(found)


def _atoms(formula: Formula, visible: frozenset[str]) -> Iterator[tuple[Atom, frozenset[str]]]:
    """The atoms of a formula, each with those of some variables that no quantifier hides."""
    if isinstance(formula, Atom):
        yield formula, visible
    elif isinstance(formula, Count):
        visible -= {variable.name for variable in formula.variables}
    for child in children(formula):
        yield from _atoms(child, visible)


def _among(column: pa.ChunkedArray, values: Sequence[object]) -> pa.ChunkedArray:
    """Which values are among some few."""
    return reduce(pc.or_, (pc.equal(column, value) for value in values))
