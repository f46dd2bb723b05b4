"""DuckDB in memory, in a file, and out of space."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

import tacit
from tacit.errors import BadInput, EngineFailed, TooLarge
from tacit.grounding import DuckDBEngine, ground_factors

TASK = tacit.Task(
    {
        "item": [f"i{k}" for k in range(300)],
        "of": [(f"i{k}", f"g{k % 3}") for k in range(300)],
    }
)
PROGRAM = tacit.Program.parse("""
    label    y(item) = no | yes
    observed of(item, group)
    agree:   1.0  of(r, g) & of(s, g) => y(r) = y(s)
""")


def test_a_scratch_database_gives_the_same_and_goes(tmp_path: Path) -> None:
    file = tmp_path / "scratch.duckdb"
    engine = DuckDBEngine(database=file, memory_limit="200MB", spill_to=tmp_path / "spill")
    there = ground_factors(PROGRAM, TASK, engine=engine)
    assert file.exists()
    engine.close()
    assert not file.exists()
    here = ground_factors(PROGRAM, TASK)
    assert np.array_equal(there.tables[0].variables, here.tables[0].variables)


def test_an_engine_serves_one_task_after_another() -> None:
    formula = "agree: 1.0  of(r, g) & of(s, g) & of(s, h) & of(r, h) => y(r) = y(s)"
    program = tacit.Program.parse("label y(item) = no | yes\nobserved of(item, group)\n" + formula)
    plain = [("a", 1), ("b", 1), ("c", 2)]
    repeated = [("a", 1), ("c", 1), ("a", 1), ("b", 2)]
    engine = DuckDBEngine()
    for rows, pair in [(plain, [0, 1]), (repeated, [0, 2]), (plain, [0, 1])]:
        task = tacit.Task({"item": ["a", "b", "c"], "of": rows})
        (table,) = ground_factors(program, task, engine=engine).tables
        assert (table.variables.tolist(), table.count.tolist()) == ([pair], [2.0])
    engine.close()


def test_rows_that_do_not_repeat_are_not_copied() -> None:
    engine = DuckDBEngine()
    rows = exp.select("a", "b").from_("given")
    for given, kept in [([1, 2, 1], [1, 2]), ([1, 2, 3], [1, 2, 3])]:
        engine.load("given", pa.table({"a": given, "b": ["x"] * 3}))
        engine.define_set("set", rows)
        assert sorted(engine.run(exp.select("a").from_("set")).column("a").to_pylist()) == kept
        copied = engine.connection.sql("SELECT table_name FROM duckdb_tables()").fetchall()
        assert copied == ([("set",)] if len(kept) < 3 else [])
    engine.close()


def test_a_file_of_the_users_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "mine.duckdb"
    mine.write_text("precious")
    with pytest.raises(BadInput, match="exists already"):
        DuckDBEngine(database=mine)
    assert mine.read_text() == "precious"


def test_settings_that_duckdb_refuses() -> None:
    with pytest.raises(BadInput, match="does not take these settings"):
        DuckDBEngine(memory_limit="4XB")


def test_a_join_over_the_limit_is_refused_before_it_runs() -> None:
    with pytest.raises(TooLarge, match=r"agree would have about 3e\+04 groundings") as caught:
        ground_factors(PROGRAM, TASK, limit=1000)
    assert "narrows the condition" in (caught.value.remedy or "")
    assert ground_factors(PROGRAM, TASK, limit=30_000).parts[0].step.rows == 30_000


def test_running_out_of_memory_names_the_formula(tmp_path: Path) -> None:
    many = tacit.Task({"item": list(range(60_000)), "of": [(k, k % 3) for k in range(60_000)]})
    engine = DuckDBEngine(memory_limit="1MB", spill_to=tmp_path)
    with pytest.raises(EngineFailed, match="formula agree cannot be grounded") as caught:
        ground_factors(PROGRAM, many, engine=engine, limit=1e12)
    assert "raise the limit" in (caught.value.remedy or "")
    engine.close()
