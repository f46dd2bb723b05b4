"""Starting Spark, and the many ways in which that fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.errors import MissingExtra
from tacit.grounding.spark import SparkEngine

NO_PYSPARK = "PySpark (the extra 'spark') is not installed"

START = """
import sys
from pathlib import Path
from tacit.errors import TacitError
from tacit.grounding.spark import SparkEngine
try:
    engine = SparkEngine(master="local[2]", driver_memory="1g")
except TacitError as error:
    sys.exit(str(error))
from sqlglot import exp
from pyspark.sql import SparkSession
session = engine.session
print(engine.run(exp.select(exp.alias_(exp.convert(41), "n"))).to_pydict())
home = Path(session.conf.get("spark.sql.warehouse.dir").removeprefix("file:")).parent
assert home.is_dir()
engine.close()
assert SparkSession.getActiveSession() is None
assert not home.exists()
try:
    SparkEngine(session)
except TacitError as error:
    print(error)
"""


def started(**environment: str) -> subprocess.CompletedProcess[str]:
    """Start an engine in a process of its own."""
    command = [sys.executable, "-c", START]
    given = {k: v for k, v in os.environ.items() if k != "JAVA_HOME"} | environment
    return subprocess.run(command, env=given, capture_output=True, text=True, timeout=120)


def fake_java(folder: Path, script: str) -> str:
    """A folder for JAVA_HOME with a program of this text."""
    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    return str(folder)


def test_a_session_of_its_own_is_quiet_and_stopped_at_the_end(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason=NO_PYSPARK)
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    done = started()
    assert done.returncode == 0, done.stderr
    first, second, *_ = done.stdout.splitlines()
    assert first == "{'n': [41]}"
    assert second.startswith("BadInput: the Spark session does not answer")
    assert "WARN" not in done.stderr.replace("WARNING: Using incubator modules", "")


def test_without_pyspark_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtra, match="needs PySpark") as caught:
        SparkEngine()
    assert 'pip install "tacit[spark]"' in str(caught.value)


def test_an_old_pyspark_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pyspark = pytest.importorskip("pyspark", reason=NO_PYSPARK)
    monkeypatch.setattr(pyspark, "__version__", "3.5.1")
    with pytest.raises(MissingExtra, match=r"PySpark 4 or newer; installed is 3\.5\.1"):
        SparkEngine()


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (None, "Spark needs Java, which was not found: JAVA_HOME is"),
        ("echo 'openjdk version \"11.0.2\"' >&2", 'version "11.0.2"'),
        ("echo 'cannot open shared object' >&2; exit 127", "cannot open shared object"),
        ('[ "$1" = -version ] && echo \'version "21"\' >&2 || exit 3', "could not be started"),
    ],
)
def test_without_a_java_that_runs_the_remedy_is_to_install_one(
    tmp_path: Path, script: str | None, told: str
) -> None:
    pytest.importorskip("pyspark", reason=NO_PYSPARK)
    home = str(tmp_path / "nothing") if script is None else fake_java(tmp_path, script)
    done = started(JAVA_HOME=home)
    assert done.returncode == 1
    assert told in done.stderr
    assert "Java 17 or newer" in done.stderr
    assert "JAVA_HOME" in done.stderr
    assert "Traceback" not in done.stderr
    assert "\tat " not in done.stderr
