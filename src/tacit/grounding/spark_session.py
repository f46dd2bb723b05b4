"""Spark sessions: finding, starting and checking them, and what they say when they fail."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from tacit.errors import BadInput, EngineFailed, MissingExtra

OLDEST_JAVA = 17  # what Spark 4 asks for
OLDEST_SPARK = 4  # the first that reads and answers Arrow tables

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


def need_pyspark() -> None:
    """Refuse where PySpark is not installed, or too old."""
    try:
        version: str = import_module("pyspark").__version__
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


def running_session(tables: Mapping[str, Any]) -> Any:
    """The session that some DataFrame belongs to, or else the active one, if there is one."""
    for table in tables.values():
        if hasattr(table, "sparkSession"):
            return table.sparkSession
    try:
        return import_module("pyspark.sql").SparkSession.active()
    except spark_errors():
        return None


def check_session(session: Any) -> None:
    """Refuse what is no session, or one that was stopped."""
    if not hasattr(session, "createDataFrame") or not hasattr(session, "sql"):
        raise BadInput(
            f"a Spark session is expected, not {type(session).__name__}",
            remedy="give a SparkSession, or nothing to have one started",
        )
    try:
        # Spark Connect has no context; a classic session that was stopped has one that fails.
        told = session.sparkContext.defaultParallelism if _is_classic(session) else session.version
    except Exception:  # in many ways, none of them telling
        told = None
    if told is None:
        raise BadInput(
            "the Spark session does not answer: it was stopped, or its cluster is gone",
            remedy="start a new one, or give none to have one started",
        )


def _is_classic(session: Any) -> bool:
    return hasattr(session, "sparkContext")


def start_session(master: str, driver_memory: str, home: Path) -> Any:
    """A session of our own: quiet, without web pages, its files in a folder that goes with it."""
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
    builder = (
        import_module("pyspark.sql")
        .SparkSession.builder.master(master)
        .appName("tacit")
        .config(map=settings)
    )
    try:
        with catch_warnings():  # about versions of pandas, which is not used here
            simplefilter("ignore", FutureWarning)
            return builder.getOrCreate()
    except Exception as error:  # Java, memory, an address: each fails in a way of its own
        raise BadInput(
            f"Spark could not be started with master '{master}': {first_line(error)}",
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
def quiet() -> Iterator[None]:
    """Keep PySpark from printing a Java trace of what is raised as an error anyway."""
    logger = logging.getLogger("SQLQueryContextLogger")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before


def spark_errors() -> tuple[type[Exception], ...]:
    """What Spark raises when it cannot do what it is asked."""
    base: type[Exception] = import_module("pyspark.errors").PySparkException
    java: type[Exception] = import_module("py4j.protocol").Py4JError
    return (base, java)


def failed(what: str, error: Exception) -> EngineFailed:
    """The error for a query or a table that Spark refused."""
    line = first_line(error)
    remedy = "see Spark's log for the rest"
    if "OutOfMemory" in line or "heap space" in line:
        remedy = 'give Spark more memory, such as SparkEngine(driver_memory="16g")'
    elif "No space left" in line:
        remedy = "free disk space, or set SPARK_LOCAL_DIRS to a larger disk"
    return EngineFailed(f"{what}: {line}", remedy=remedy)


def first_line(error: Exception) -> str:
    """The first line of what Spark says, of the cause where the error only wraps one."""
    text = str(error)
    caused = re.findall(r"Caused by: (?:[\w.$]+: )?(.+)", text)
    wrapped = "An error occurred while calling" in text or "Job aborted" in text
    java = re.search(r"^: (?:[\w.$]+: )?(.+)", text, re.MULTILINE)
    if wrapped and (caused or java):
        return str(caused[-1] if caused else java[1] if java else "").strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
