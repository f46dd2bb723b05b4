"""One Spark session for all tests of this folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session that a user might have: small, and none of the engine's making."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark (the extra 'spark') is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    home: Path = tmp_path_factory.mktemp("spark")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(home / "warehouse"),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",
    }
    session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def engine(spark: Any) -> Iterator[Any]:
    """An engine in that session."""
    from tacit.grounding.spark import SparkEngine

    made = SparkEngine(spark)
    yield made
    made.close()
