"""Engines run the SQL of grounding: what every engine must do, and DuckDB, the one that is here."""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa
from sqlglot import exp


class Engine(Protocol):
    """Where relations are kept and queries run."""

    def load(self, name: str, relation: pa.Table) -> None:
        """Make a relation known under a name."""

    def run(self, query: exp.Query) -> pa.Table:
        """The rows of a query, in any order."""

    def close(self) -> None:
        """Give everything back."""


class DuckDBEngine:
    """Joins in this process; spills to disk when a join outgrows its memory limit."""

    def __init__(self, *, memory_limit: str | None = None, threads: int | None = None) -> None:
        import duckdb  # not everyone who imports tacit grounds

        settings: dict[str, Any] = {"preserve_insertion_order": "false"}
        if memory_limit is not None:
            settings["memory_limit"] = memory_limit
        if threads is not None:
            settings["threads"] = threads
        self.connection = duckdb.connect(":memory:", config=settings)

    def load(self, name: str, relation: pa.Table) -> None:
        """Make an Arrow table known without copying it."""
        self.connection.register(name, relation)

    def run(self, query: exp.Query) -> pa.Table:
        """The rows of a query as an Arrow table."""
        return self.connection.sql(query.sql(dialect="duckdb")).to_arrow_table()

    def close(self) -> None:
        """End the connection."""
        self.connection.close()
