"""The Spark engine by itself: its tables, its names, its errors."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest
from sqlglot import exp

from tacit.data import Task
from tacit.errors import ArityMismatch, BadInput, EngineFailed, UnknownTable
from tacit.grounding import DuckDBEngine, ground_factors
from tacit.grounding.spark import SparkEngine
from tacit.grounding.sql import column, facts
from tacit.logic.program import Program
from tests.grounding_spark.arrays import differences

pytest.importorskip("pyspark", reason="PySpark (the extra 'spark') is not installed")

TEXTS = (
    "", " ", "it's", '"q"', "back\\slash", "\\n", "\\", "two\nlines", "tab\there", "cr\rhere",
    "\x00", "\u2028", "🧬", "e\u0301", "%_", ":text0", "{x}", "`", "--", "$1",
)  # fmt: skip
PROGRAM = Program.parse("""
label    mood(review) = neg | pos
observed token(review, word)
keyed:   1.0  token(r, +w) => mood(r) = pos
twice:   1.0  token(r, w) & token(s, w) & r != s => mood(r) = mood(s)
""")
REVIEWS = {"id": [1, 2, 3]}


def all_facts(engine: Any, predicate: str, arity: int, *, distinct: bool = True) -> pa.Table:
    """The relation of a predicate."""
    table = exp.to_identifier(facts(predicate, distinct=distinct), quoted=True)
    columns = [column("t", f"c{i}") for i in range(arity)]
    return engine.run(
        exp.select(*columns).from_(exp.alias_(exp.Table(this=table), "t", table=True))
    )


@pytest.fixture
def words(spark: Any) -> Any:
    """Facts that live in Spark, in types that no Task keeps, with a null and a repetition."""
    rows = [(1, "a", 9.5), (2, "a", 9.5), (2, None, 9.5), (1, "a", 8.5), (3, "it's", 9.5)]
    return spark.createDataFrame(rows, "Doc INT, `the word` STRING, extra FLOAT")


def as_task(frame: Any) -> Task:
    """A task with the same facts."""
    return Task({"review": REVIEWS, "token": frame.toArrow()})


def test_answers_have_the_types_of_duckdb(engine: Any) -> None:
    relation = pa.table(
        {
            "t": pa.array(["x"], pa.large_string()),
            "n": pa.array([1], pa.int64()),
            "row": pa.array([1], pa.int32()),
            "f": pa.array([float("nan")]),
            "b": pa.array([True]),
            "#odd name": pa.array(["y"], pa.string()),
        }
    )
    query = exp.select(*(column("u", name) for name in relation.column_names)).from_(
        exp.alias_(exp.Table(this=exp.to_identifier("a relation", quoted=True)), "u", table=True)
    )
    duckdb = DuckDBEngine()
    for one in (engine, duckdb):
        one.load("a relation", relation)
    assert engine.run(query).schema == duckdb.run(query).schema
    assert engine.run(query).to_pydict().keys() == relation.to_pydict().keys()
    engine.load("a relation", relation.slice(0, 0))
    assert engine.run(query).num_rows == 0


@pytest.mark.parametrize("escaped", ["false", "true"])
def test_any_text_can_be_a_constant(spark: Any, engine: Any, escaped: str) -> None:
    named = [exp.alias_(exp.convert(text), f"c{i}", quoted=True) for i, text in enumerate(TEXTS)]
    setting = "spark.sql.parser.escapedStringLiterals"
    spark.conf.set(setting, escaped)
    try:
        answer = engine.run(exp.select(*named))
    finally:
        spark.conf.unset(setting)
    assert [c[0].as_py() for c in answer.columns] == list(TEXTS)


def test_facts_that_live_in_spark_take_the_place_of_the_tasks(spark: Any, words: Any) -> None:
    words.createOrReplaceTempView("words_by_name")
    decoy = Task({"review": REVIEWS, "token": {"r": [3], "w": ["decoy"]}})
    here = ground_factors(PROGRAM, as_task(words))
    for table in (words, "words_by_name"):
        engine = SparkEngine(spark, tables={"token": table})
        assert differences(here, ground_factors(PROGRAM, decoy, engine=engine)) == []
        engine.close()


def test_facts_are_tuples_without_nulls_or_repetition(spark: Any, words: Any) -> None:
    engine = SparkEngine(spark, tables={"token": words})
    assert not engine.facts("near", 2)
    assert engine.facts("token", 2)
    found = all_facts(engine, "token", 2)
    assert sorted(zip(*found.to_pydict().values(), strict=True)) == [
        (1, "a"),
        (2, "a"),
        (3, "it's"),
    ]
    assert all_facts(engine, "token", 2, distinct=False).num_rows == 4
    assert found.schema.types == [pa.int64(), pa.string()]
    engine.close()


def test_values_in_spark_are_kept_as_a_task_keeps_them(spark: Any) -> None:
    kinds = "a TINYINT, b FLOAT, c DATE, d DECIMAL(5,1), e DECIMAL(5,0), f BOOLEAN, g VARCHAR(3)"
    frame = spark.sql(
        "SELECT CAST(1 AS TINYINT) AS a, CAST('NaN' AS FLOAT) AS b, DATE'2024-02-29' AS c, "
        "CAST(2.5 AS DECIMAL(5,1)) AS d, CAST(7 AS DECIMAL(5,0)) AS e, TRUE AS f, 'x' AS g"
    )
    arity = len(kinds.split(", "))
    engine = SparkEngine(spark, tables={"p": frame})
    engine.facts("p", arity)
    duckdb = DuckDBEngine()
    duckdb.load(facts("p"), Task({"p": frame.toArrow()}).table("p").arrow.rename_columns(
        [f"c{i}" for i in range(arity)]
    ))  # fmt: skip
    here, there = all_facts(duckdb, "p", arity), all_facts(engine, "p", arity)
    assert here.schema == there.schema
    assert repr(here.to_pylist()) == repr(there.to_pylist())
    assert there.column("c2")[0].as_py() == date(2024, 2, 29).isoformat()
    engine.close()


def test_close_leaves_the_users_session_as_it_was(spark: Any) -> None:
    before = {table.name for table in spark.catalog.listTables()}
    engines = [SparkEngine(spark), SparkEngine()]  # the second finds the active session
    task = Task({"review": REVIEWS, "token": {"r": [1, 2], "w": ["a", "a"]}})
    here = ground_factors(PROGRAM, task)
    for engine in engines:
        assert engine.session.sparkContext is spark.sparkContext
        assert differences(here, ground_factors(PROGRAM, task, engine=engine)) == []
    assert {table.name for table in spark.catalog.listTables()} > before
    for engine in engines:
        engine.close()
        engine.close()
    assert {table.name for table in spark.catalog.listTables()} == before
    assert spark.range(3).count() == 3


def test_a_dataframe_brings_its_session(spark: Any) -> None:
    other = spark.newSession()
    frame = other.createDataFrame([(1, "a")], "r INT, w STRING")
    engine = SparkEngine(tables={"token": frame})
    assert engine.session is other
    engine.close()
    engine = SparkEngine(spark, tables={"token": frame})
    with pytest.raises(BadInput, match="another Spark session"):
        engine.facts("token", 2)
    engine.close()


def test_tables_that_cannot_be_used_are_refused(spark: Any, words: Any) -> None:
    with pytest.raises(UnknownTable, match="no table 'nowhere' for predicate 'token'"):
        SparkEngine(spark, tables={"token": "nowhere"})
    with pytest.raises(BadInput, match="the table of 'token' is of type Table, not Spark's"):
        SparkEngine(spark, tables={"token": pa.table({"a": [1]})})
    engine = SparkEngine(spark, tables={"token": words, "at": spark.sql("SELECT NOW() AS t")})
    with pytest.raises(ArityMismatch, match="3 columns: Doc, the word, extra"):
        engine.facts("token", 4)
    with pytest.raises(BadInput, match="column 't' of the Spark table of 'at' holds timestamp"):
        engine.facts("at", 1)
    engine.close()


def test_what_is_no_session_is_refused() -> None:
    with pytest.raises(BadInput, match="a Spark session is expected, not str"):
        SparkEngine("local")


def test_a_query_that_fails_says_why_in_one_line(
    engine: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    unknown = exp.select("x").from_("nowhere")
    divided = exp.select(exp.alias_(exp.cast(exp.convert("one"), "int"), "n"))
    late = exp.select(exp.alias_(exp.cast(exp.column("c"), "int"), "n")).from_("late")
    frame = engine.session.createDataFrame([("a",)], "c STRING")
    frame.createOrReplaceTempView("late")
    for query, reason in [
        (unknown, "TABLE_OR_VIEW_NOT_FOUND"),
        (divided, "CAST_INVALID_INPUT"),
        (late, "CAST_INVALID_INPUT"),
    ]:
        with pytest.raises(EngineFailed, match=reason) as caught:
            engine.run(query)
        assert "\n" not in caught.value.message
        assert "org.apache" not in str(caught.value)
    engine.session.catalog.dropTempView("late")
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err
    assert "java" not in out + err
