"""Spark as an engine: for tables that live in a cluster, or joins that outgrow one machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from functools import reduce
from importlib import import_module
from itertools import count
from operator import and_
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pyarrow as pa
from sqlglot import exp

from tacit.errors import ArityMismatch, BadInput, UnknownTable, listed
from tacit.grounding.spark_session import (
    check_session,
    failed,
    first_line,
    need_pyspark,
    quiet,
    running_session,
    spark_errors,
    start_session,
)
from tacit.grounding.spark_sql import spelled_out, within_reach
from tacit.grounding.sql import facts

_PLAIN = {  # Spark's name of a type -> the type that a Task would keep such values in
    "string": "string",
    "char": "string",
    "varchar": "string",
    "void": "string",
    "date": "string",
    "byte": "bigint",
    "short": "bigint",
    "integer": "bigint",
    "long": "bigint",
    "float": "double",
    "double": "double",
    "boolean": "boolean",
}
_ENGINES = count()  # several engines may share one session and must not share view names


class SparkEngine:
    """Joins in Spark, in a session of the user's or in one started here.

    `tables` names relations that live in Spark already: {predicate: a DataFrame, or the name of a
    table or view}. They are read there, and never come through this process.
    """

    dialect = "spark"

    def __init__(
        self,
        session: Any = None,
        *,
        tables: Mapping[str, Any] | None = None,
        master: str = "local[*]",
        driver_memory: str = "4g",  # a ceiling; Spark's own default of 1g is soon too little
    ) -> None:
        need_pyspark()
        tables = tables or {}
        if session is None:
            session = running_session(tables)
        self._home: Path | None = None  # where a session that was started here keeps its files
        if session is None:
            self._home = Path(mkdtemp(prefix="tacit-spark-"))
            try:
                session = start_session(master, driver_memory, self._home)
            except BaseException:
                shutil.rmtree(self._home, ignore_errors=True)
                raise
        self.session = session
        self._prefix = f"tacit_{os.getpid()}_{next(_ENGINES)}_"
        self._names: dict[str, str] = {}
        self._views: set[str] = set()
        try:
            check_session(session)
            self.tables = {name: self._frame(name, table) for name, table in tables.items()}
        except BaseException:
            self.close()
            raise

    def facts(self, predicate: str, arity: int) -> bool:
        """Whether a predicate's facts live in Spark; if so, they are known from now on."""
        if predicate not in self.tables:
            return False
        rows = _as_rows(predicate, self.tables[predicate], arity)
        self._view(facts(predicate, distinct=False), rows)
        self._view(facts(predicate), rows.distinct())
        return True

    def load(self, name: str, relation: pa.Table) -> None:
        """Make an Arrow table known; for a predicate whose facts live in Spark, those instead."""
        for predicate in self.tables:
            if name in (facts(predicate), facts(predicate, distinct=False)):
                self.facts(predicate, relation.num_columns)
                return
        try:
            with quiet():
                self._view(name, self.session.createDataFrame(relation))
        except spark_errors() as error:
            raise failed(f"Spark cannot take in the relation '{name}'", error) from None

    def define(self, name: str, query: exp.Query) -> None:
        """Make the answer of a query known as a view, computed when it is read."""
        frame = self._sql(query)
        frame.createOrReplaceTempView(self._name(name))
        self._views.add(self._name(name))

    def define_set(self, name: str, query: exp.Select) -> None:
        """Make the distinct rows of a query known as a view."""
        self.define(name, query.distinct())

    def run(self, query: exp.Query) -> pa.Table:
        """The rows of a query as an Arrow table."""
        frame = self._sql(query)
        try:
            with quiet():
                answer = frame.toArrow()
        except spark_errors() as error:
            raise failed("Spark cannot run a query of grounding", error) from None
        return _as_duckdb_answers(answer.rename_columns(query.named_selects))

    def _sql(self, query: exp.Query) -> Any:
        """The DataFrame of a query."""
        tree = within_reach(query.transform(self._renamed).transform(spelled_out))
        try:
            with quiet():
                return self.session.sql(tree.sql(dialect=self.dialect))
        except spark_errors() as error:
            raise failed("Spark cannot run a query of grounding", error) from None

    def close(self) -> None:
        """Forget every relation; stop the session only if it was started here."""
        with suppress(Exception):  # a session that was stopped has no views any more
            for view in self._views:
                self.session.catalog.dropTempView(view)
        self._views.clear()
        if self._home is not None:
            self.session.stop()
            shutil.rmtree(self._home, ignore_errors=True)
            self._home = None

    def _frame(self, predicate: str, table: Any) -> Any:
        """The DataFrame of a table that lives in Spark."""
        if not isinstance(table, str):
            if not all(hasattr(table, part) for part in ("select", "schema", "sparkSession")):
                raise BadInput(
                    f"the table of '{predicate}' is of type {type(table).__name__}, not Spark's",
                    remedy="give a Spark DataFrame or a table's name; other data go into the Task",
                )
            return table
        try:
            frame = self.session.table(table)
            frame.schema  # noqa: B018  Spark looks the table up when first asked
        except spark_errors() as error:
            raise UnknownTable(
                f"Spark has no table '{table}' for predicate '{predicate}': {first_line(error)}",
                remedy="name a table or view that this session can see, or give a DataFrame",
            ) from None
        return frame

    def _view(self, name: str, frame: Any) -> None:
        view = self._name(name)
        frame.toDF(*map(self._name, frame.columns)).createOrReplaceTempView(view)
        self._views.add(view)
        if frame.sparkSession is not self.session and not self.session.catalog.tableExists(view):
            raise BadInput(
                f"'{name}' lives in another Spark session than the engine's",
                remedy="give the engine the session that the DataFrame was made in",
            )

    def _name(self, name: str) -> str:
        """What Spark knows a relation or column by.

        Spark takes no blanks in the names of views, confuses `X` with `x`, and may hold views of
        the user's.
        """
        return self._names.setdefault(name, f"{self._prefix}{len(self._names)}")

    def _renamed(self, node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Identifier) and node.args.get("quoted"):
            return exp.to_identifier(self._name(node.name), quoted=True)
        return node


def _as_duckdb_answers(answer: pa.Table) -> pa.Table:
    """The answer with DuckDB's types, so that weights are keyed alike whatever the engine."""
    types = [
        pa.string() if pa.types.is_large_string(kind) else kind for kind in answer.schema.types
    ]
    schema = pa.schema(list(zip(answer.column_names, types, strict=True)))
    return answer.cast(schema)


def _as_rows(predicate: str, frame: Any, arity: int) -> Any:
    """The first columns of a DataFrame as tuples without nulls, of the types that a Task keeps."""
    fields = frame.schema.fields
    if len(fields) < arity:
        raise ArityMismatch(
            f"predicate '{predicate}' takes {arity} arguments, but its Spark table has "
            f"{len(fields)} columns: {listed(field.name for field in fields)}",
            remedy="declare as many arguments as the table has columns, or fewer",
        )
    col = import_module("pyspark.sql.functions").col
    renamed = frame.toDF(*(f"c{i}" for i in range(len(fields))))
    kinds = [_plain_type(predicate, field) for field in fields[:arity]]
    columns = [col(f"c{i}").cast(kind).alias(f"c{i}") for i, kind in enumerate(kinds)]
    known = [col(f"c{i}").isNotNull() for i in range(arity)]  # not dropna: it drops NaN too
    return renamed.select(*columns).where(reduce(and_, known))


def _plain_type(predicate: str, field: Any) -> str:
    kind = field.dataType.typeName()
    if kind == "decimal":
        return "bigint" if field.dataType.scale <= 0 else "double"
    if kind not in _PLAIN:
        raise BadInput(
            f"column '{field.name}' of the Spark table of '{predicate}' holds "
            f"{field.dataType.simpleString()}, not plain values",
            remedy="turn it into text in Spark, or keep it behind the predicate's arguments",
        )
    return _PLAIN[kind]
