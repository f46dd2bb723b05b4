"""Adding evidence or rows grounds only what is new, and ends at the same factors."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import tacit
from tacit.errors import BadFormula, BadInput, Contradiction
from tacit.grounding import DuckDBEngine, ground_factors
from tacit.logic import Program
from tests.grounding.cases import Case, grounding_cases
from tests.oracles.grounding import Oracle, differences, some_assignments

quick = settings(max_examples=60, suppress_health_check=list(HealthCheck))


class CountingEngine(DuckDBEngine):
    """Remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def run(self, query: object) -> pa.Table:
        self.asked.append(query.sql(dialect="duckdb"))  # type: ignore[attr-defined]
        return super().run(query)  # type: ignore[arg-type]


def without_last_rows(case: Case, data: st.DataObject) -> tacit.Task:
    """The same task before some rows were added."""
    tables = {}
    for name, table in case.tables.items():
        kept = data.draw(st.integers(1, table.num_rows), label=name)
        smaller = table.slice(0, kept)
        empty = all(column.null_count == kept for column in smaller.columns)
        tables[name] = table if empty else smaller
    return tacit.Task(tables)


@quick
@given(grounding_cases(), st.data())
def test_added_evidence_is_grounded_alone(case: Case, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, len(case.program.evidence)))
    smaller = Program(case.program.declarations, case.program.evidence[:n])
    try:
        previous = ground_factors(smaller, case.task)
        factors = ground_factors(case.program, case.task, previous=previous)
    except (BadFormula, Contradiction):
        assume(False)
    assert factors.parts[: len(previous.parts)] == previous.parts
    oracle = Oracle(case.program, case.task)
    assert differences(oracle, factors, some_assignments(oracle, 8)) == []


@quick
@given(grounding_cases(), st.data())
def test_added_rows_end_at_the_same_factors(case: Case, data: st.DataObject) -> None:
    smaller = without_last_rows(case, data)
    try:
        previous = ground_factors(case.program, smaller)
        factors = ground_factors(case.program, case.task, previous=previous)
    except (BadFormula, Contradiction):
        assume(False)
    oracle = Oracle(case.program, case.task)
    assert differences(oracle, factors, some_assignments(oracle, 8)) == []


TEXT = """
label    y(item) = no | yes
observed near(item, item)
observed says(item, word)
agree:   1.0  near(r, s) => y(r) = y(s)
words:   1.0  says(r, +w) => y(r) = yes
"""


def task(n: int) -> tacit.Task:
    items = [f"i{k}" for k in range(n)]
    near = [(items[k], items[(k + 1) % n]) for k in range(n - 1)]
    return tacit.Task({"item": items, "near": near, "says": [(i, i[-1]) for i in items]})


def test_only_new_evidence_is_asked_for() -> None:
    program = Program.parse(TEXT)
    previous = ground_factors(program, task(50))
    larger = Program.parse(TEXT + 'more: 2.0  says(r, "3") => y(r) = no\n')
    engine = CountingEngine()
    factors = ground_factors(larger, previous.task, engine=engine, previous=previous)
    assert [sql for sql in engine.asked if "near" in sql] == []
    assert factors.parts[:2] == previous.parts
    assert factors.weights.n_weights == previous.weights.n_weights + 1


def test_only_new_rows_are_joined() -> None:
    program = Program.parse(TEXT)
    previous = ground_factors(program, task(50))
    factors = ground_factors(program, task(53), previous=previous)
    added = factors.parts[1::2]
    assert [part.step.rows for part in added] == [3, 3]
    again = ground_factors(program, task(60), previous=factors)
    assert sum(len(block.weight) for block in again.tables) == 59
    assert sorted(again.weights.name_of(w) for w in range(again.weights.n_weights)) == sorted(
        ["agree", *(f"words[{digit}]" for digit in range(10))]
    )


def test_a_table_that_changed_is_refused() -> None:
    program = Program.parse(TEXT)
    previous = ground_factors(program, task(5))
    changed = previous.task.with_table("near", [("i0", "i4"), ("i1", "i2")])
    with pytest.raises(BadInput, match="table 'near' has changed since formula agree") as caught:
        ground_factors(program, changed, previous=previous)
    assert "without previous=" in (caught.value.remedy or "")


def test_another_program_is_refused() -> None:
    previous = ground_factors(Program.parse(TEXT), task(5))
    with pytest.raises(BadInput, match="another program"):
        ground_factors(Program.parse(TEXT).without("agree"), task(5), previous=previous)


def test_hard_evidence_added_later_can_contradict() -> None:
    hard = 'sure: hard  says(r, "1") => y(r) = yes\n'
    previous = ground_factors(Program.parse(TEXT + hard), task(5))
    more = Program.parse(TEXT + hard + 'no: hard  says(r, "1") => y(r) = no\n')
    with pytest.raises(Contradiction, match="grounded before"):
        ground_factors(more, previous.task, previous=previous)
