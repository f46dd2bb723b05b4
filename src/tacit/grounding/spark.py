"""Spark as an engine: for tables that live in a cluster, or joins that outgrow one machine."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from itertools import count
from operator import and_
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from warnings import catch_warnings, simplefilter

import pyarrow as pa
from sqlglot import exp

from tacit.errors import (
    ArityMismatch,
    BadInput,
    MissingExtra,
    TacitError,
    UnknownTable,
    listed,
)
from tacit.grounding.sql import facts

OLDEST_JAVA = 17  # what Spark 4 asks for
OLDEST_SPARK = 4  # the first that reads and answers Arrow tables

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
_QUIET = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = Spark %p: %m%n%throwable{0}
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
"""


class SparkEngine:
    """Joins in Spark, in a session of the user's or in one started here.

    `tables` names relations that live in Spark already: {predicate: a DataFrame, or the name of a
    table or view}. They are read there, and never come through this process.
    """

    def __init__(
        self,
        session: Any = None,
        *,
        tables: Mapping[str, Any] | None = None,
        master: str = "local[*]",
        driver_memory: str = "4g",  # a ceiling; Spark's own default of 1g is soon too little
    ) -> None:
        _need_pyspark()
        tables = tables or {}
        if session is None:
            session = _running(tables)
        self._home: Path | None = None  # where a session that was started here keeps its files
        if session is None:
            self._home = Path(mkdtemp(prefix="tacit-spark-"))
            try:
                session = _start(master, driver_memory, self._home)
            except BaseException:
                shutil.rmtree(self._home, ignore_errors=True)
                raise
        self.session = session
        self._prefix = f"tacit_{os.getpid()}_{next(_ENGINES)}_"
        self._names: dict[str, str] = {}
        self._views: set[str] = set()
        try:
            _check_session(session)
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
            with _quiet():
                self._view(name, self.session.createDataFrame(relation))
        except _spark_errors() as error:
            raise _failed(f"Spark cannot take in the relation '{name}'", error) from None

    def run(self, query: exp.Query) -> pa.Table:
        """The rows of a query as an Arrow table."""
        tree, texts = _as_parameters(_within_reach(query.transform(self._renamed)))
        try:
            with _quiet():
                answer = self.session.sql(tree.sql(dialect="spark"), args=texts).toArrow()
        except _spark_errors() as error:
            raise _failed("Spark cannot run a query of grounding", error) from None
        return _as_duckdb_answers(answer.rename_columns(query.named_selects))

    def close(self) -> None:
        """Forget every relation; stop the session only if it was started here."""
        try:
            for view in self._views:
                self.session.catalog.dropTempView(view)
        except Exception:  # the session was stopped first, and its views went with it
            pass
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
        except _spark_errors() as error:
            raise UnknownTable(
                f"Spark has no table '{table}' for predicate '{predicate}': {_first_line(error)}",
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


def _as_parameters(query: exp.Expr) -> tuple[exp.Expr, dict[str, str]]:
    """The query with a parameter in the place of each text, and the texts.

    How a backslash in a literal is read depends on the session's settings; a parameter does not.
    """
    texts: dict[str, str] = {}

    def parameter(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Literal) or not node.is_string:
            return node
        name = f"text{len(texts)}"
        texts[name] = node.this
        return exp.Placeholder(this=name)

    return query.transform(parameter), texts


def _within_reach(query: exp.Expr) -> exp.Expr:
    """The query without subqueries that look further out than the query around them.

    Spark resolves a column only one level out. What a subquery wants from beyond is handed on by
    the query between: it gets one more source, `(SELECT t0.c AS o0) AS outer0`.
    """
    for number, middle in enumerate(list(query.find_all(exp.Select))):  # the outer ones first
        wanted: dict[str, exp.Column] = {}
        for column in _out_of_reach(middle):
            name = wanted.setdefault(column.sql(), column.copy()).sql()
            at = list(wanted).index(name)
            column.replace(exp.column(f"o{at}", table=f"outer{number}"))
        if wanted:
            columns = [exp.alias_(column, f"o{i}") for i, column in enumerate(wanted.values())]
            handed_on = exp.select(*columns).subquery(f"outer{number}")
            if _sources(middle):
                middle.join(handed_on, join_type="cross", copy=False)
            else:
                middle.from_(handed_on, copy=False)
    return query


def _out_of_reach(middle: exp.Select) -> Iterator[exp.Column]:
    """The columns in a query's subqueries that neither they nor the query itself define."""
    where = middle.args.get("where")
    for subquery in list(where.find_all(exp.Exists, exp.Subquery)) if where else []:
        if subquery.parent_select is middle:
            inside = {one.alias for one in subquery.find_all(exp.Table, exp.Subquery)}
            near = inside.union(_sources(middle))
            yield from [c for c in subquery.find_all(exp.Column) if c.table not in near]


def _sources(query: exp.Select) -> set[str]:
    """The names of what a query selects from."""
    found = [query.args.get("from_"), *query.args.get("joins", [])]
    return {one.this.alias for one in found if one is not None}


def _as_duckdb_answers(answer: pa.Table) -> pa.Table:
    """The answer with DuckDB's types, so that weights are keyed alike whatever the engine."""
    types = [
        pa.string() if pa.types.is_large_string(kind) else kind for kind in answer.schema.types
    ]
    schema = pa.schema(list(zip(answer.column_names, types, strict=True)))
    return answer.cast(schema)


def _as_rows(predicate: str, frame: Any, arity: int) -> Any:
    """The first columns of a DataFrame as tuples without nulls, of the types that a Task keeps."""
    from pyspark.sql import functions as F  # noqa: N812  its usual name

    fields = frame.schema.fields
    if len(fields) < arity:
        raise ArityMismatch(
            f"predicate '{predicate}' takes {arity} arguments, but its Spark table has "
            f"{len(fields)} columns: {listed(field.name for field in fields)}",
            remedy="declare as many arguments as the table has columns, or fewer",
        )
    renamed = frame.toDF(*(f"c{i}" for i in range(len(fields))))
    kinds = [_plain_type(predicate, field) for field in fields[:arity]]
    columns = [F.col(f"c{i}").cast(kind).alias(f"c{i}") for i, kind in enumerate(kinds)]
    known = [F.col(f"c{i}").isNotNull() for i in range(arity)]  # not dropna: it drops NaN too
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


def _need_pyspark() -> None:
    """Refuse where PySpark is not installed, or too old."""
    try:
        from pyspark import __version__ as version
    except ImportError:
        raise MissingExtra(
            "the Spark engine needs PySpark, which is not installed",
            remedy='pip install "tacit[spark]"',
        ) from None
    if int(version.split(".")[0]) < OLDEST_SPARK:
        raise MissingExtra(
            f"the Spark engine needs PySpark {OLDEST_SPARK} or newer; installed is {version}",
            remedy=f'pip install "pyspark>={OLDEST_SPARK}"',
        )


def _running(tables: Mapping[str, Any]) -> Any:
    """The session that some DataFrame belongs to, or else the active one, if there is one."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    for table in tables.values():
        if hasattr(table, "sparkSession"):
            return table.sparkSession
    try:
        return SparkSession.active()
    except PySparkException:
        return None


def _check_session(session: Any) -> None:
    """Refuse what is no session, or one that was stopped."""
    if not hasattr(session, "createDataFrame") or not hasattr(session, "sql"):
        raise BadInput(
            f"a Spark session is expected, not {type(session).__name__}",
            remedy="give a SparkSession, or nothing to have one started",
        )
    try:
        session.sql("SELECT 1").schema  # noqa: B018  Spark answers when first asked
    except Exception as error:  # a stopped session fails in many ways
        raise BadInput(
            f"the Spark session does not answer: {_first_line(error)}",
            remedy="it may have been stopped: start a new one",
        ) from None


def _start(master: str, driver_memory: str, home: Path) -> Any:
    """A session of our own: quiet, without web pages, its files in a folder that goes with it."""
    from pyspark.sql import SparkSession

    _need_java()
    log = home / "log4j2.properties"
    log.write_text(_QUIET)
    settings = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{log}",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": driver_memory,
        "spark.driver.maxResultSize": "0",  # the answer is wanted whole, whatever its size
        "spark.sql.warehouse.dir": str(home / "warehouse"),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    if master.startswith("local"):
        settings["spark.driver.bindAddress"] = settings["spark.driver.host"] = "127.0.0.1"
        settings["spark.sql.shuffle.partitions"] = str(os.cpu_count() or 1)  # not the usual 200
    builder = SparkSession.builder.master(master).appName("tacit").config(map=settings)
    try:
        with catch_warnings():  # about versions of pandas, which is not used here
            simplefilter("ignore", FutureWarning)
            return builder.getOrCreate()
    except Exception as error:  # Java, memory, an address: each fails in a way of its own
        raise BadInput(
            f"Spark could not be started with master '{master}': {_first_line(error)}",
            remedy=f"check Java {OLDEST_JAVA} or newer (JAVA_HOME), the master, and that "
            f"driver_memory={driver_memory!r} is to be had",
        ) from None


def _need_java() -> None:
    """Refuse where Java is absent, does not run or is too old, before Spark prints a trace."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin") if home else None)
    remedy = f"install Java {OLDEST_JAVA} or newer, and let JAVA_HOME name its folder"
    where = f"JAVA_HOME is {home}" if home else "there is no 'java' on the PATH and no JAVA_HOME"
    if java is None:
        raise MissingExtra(f"Spark needs Java, which was not found: {where}", remedy=remedy)
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingExtra(f"Java does not run: {java}: {error}", remedy=remedy) from None
    found = re.search(r'version "(\d+)', told.stderr + told.stdout)
    if told.returncode != 0 or (found and int(found[1]) < OLDEST_JAVA):
        what = (told.stderr or told.stdout).strip().partition("\n")[0]
        raise MissingExtra(f"Spark cannot use the Java at {java}: {what}", remedy=remedy)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep PySpark from printing a Java trace of what is raised as an error anyway."""
    logger = logging.getLogger("SQLQueryContextLogger")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before


def _spark_errors() -> tuple[type[Exception], ...]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return (PySparkException, Py4JError)


def _failed(what: str, error: Exception) -> TacitError:
    line = _first_line(error)
    remedy = "see Spark's log for the rest"
    if "OutOfMemory" in line or "heap space" in line:
        remedy = 'give Spark more memory, such as SparkEngine(driver_memory="16g")'
    elif "No space left" in line:
        remedy = "free disk space, or set SPARK_LOCAL_DIRS to a larger disk"
    return TacitError(f"{what}: {line}", remedy=remedy)


def _first_line(error: Exception) -> str:
    """The first line of what Spark says, of the cause where the error only wraps one."""
    text = str(error)
    caused = re.findall(r"Caused by: (?:[\w.$]+: )?(.+)", text)
    wrapped = "An error occurred while calling" in text or "Job aborted" in text
    java = re.search(r"^: (?:[\w.$]+: )?(.+)", text, re.MULTILINE)
    if wrapped and (caused or java):
        return str(caused[-1] if caused else java[1] if java else "").strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
