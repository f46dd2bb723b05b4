"""Engines run the SQL of grounding: what every engine must do, and DuckDB, the one that is here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from sqlglot import exp

from tacit.errors import BadInput, EngineFailed
from tacit.grounding.merge import all_differ
from tacit.grounding.order import Statistics, ordered


class Engine(Protocol):
    """Where relations are kept and queries run."""

    dialect: str  # of SQL, as SQLGlot calls it

    def load(self, name: str, relation: pa.Table) -> None:
        """Make a relation known under a name."""

    def define(self, name: str, query: exp.Query) -> None:
        """Make the answer of a query known under a name."""

    def define_set(self, name: str, query: exp.Select) -> None:
        """Make the distinct rows of a query known under a name."""

    def facts(self, predicate: str, arity: int) -> bool:
        """Whether the engine has a predicate's facts already; if so, it knows them from now on."""

    def run(self, query: exp.Query) -> pa.Table:
        """The rows of a query, in its order or, if it has none, in any."""

    def close(self) -> None:
        """Give everything back."""


class DuckDBEngine:
    """Joins in this process; spills to disk when a join outgrows its memory limit.

    `memory_limit` is a text such as "4GB" (by default most of the machine's memory); `spill_to` is
    the folder for what does not fit. With `database`, the name of a file that does not exist yet,
    the relations that are made on the way are kept there and not in memory; `close` removes it.
    """

    dialect = "duckdb"

    def __init__(
        self,
        *,
        memory_limit: str | None = None,
        spill_to: str | Path | None = None,
        database: str | Path | None = None,
        threads: int | None = None,
    ) -> None:
        import duckdb  # not everyone who imports tacit grounds

        settings: dict[str, Any] = {
            "preserve_insertion_order": "false",
            "disabled_optimizers": "join_order",  # `ordered` knows more
        }
        given = {"memory_limit": memory_limit, "temp_directory": spill_to, "threads": threads}
        settings |= {key: str(value) for key, value in given.items() if value is not None}
        self._database = None if database is None else Path(database)
        if self._database is not None and self._database.exists():
            raise BadInput(
                f"{self._database} exists already",
                remedy="name a new file: it is scratch space, and removed at the end",
            )
        try:
            self.connection = duckdb.connect(self._database or ":memory:", config=settings)
        except duckdb.Error as error:
            raise BadInput(
                f"DuckDB does not take these settings: {_first_line(error)}",
                remedy='a memory limit is a text such as "4GB"',
            ) from error
        self._made: dict[str, str] = {}  # name -> TABLE or VIEW
        self._loaded: set[str] = set()
        self._statistics = Statistics(self._number)

    def load(self, name: str, relation: pa.Table) -> None:
        """Make an Arrow table known without copying it."""
        self._forget(name)
        self.connection.register(name, relation)
        self._loaded.add(name)

    def define(self, name: str, query: exp.Query) -> None:
        """Keep the answer of a query as a table."""
        self._make("TABLE", name, query)

    def define_set(self, name: str, query: exp.Select) -> None:
        """Keep the distinct rows of a query; where all of them are, nothing has to be kept."""
        if self._repeats(query):
            self._make("TABLE", name, query.distinct())
        else:
            self._make("VIEW", name, query)

    def facts(self, predicate: str, arity: int) -> bool:
        """Nothing lives here that was not loaded."""
        return False

    def run(self, query: exp.Query) -> pa.Table:
        """The rows of a query as an Arrow table."""
        with _answering():
            query = ordered(query, self._statistics)
            return self.connection.sql(query.sql(dialect=self.dialect)).to_arrow_table()

    def _make(self, kind: str, name: str, query: exp.Query) -> None:
        """Make a table or a view, in place of what had its name."""
        quoted = exp.to_identifier(name, quoted=True).sql(dialect=self.dialect)
        self._forget(name)
        with _answering():
            self.connection.execute(f"CREATE {kind} {quoted} AS {query.sql(dialect=self.dialect)}")
        self._made[name] = kind

    def _forget(self, name: str) -> None:
        """Take away whatever has this name."""
        self._statistics.forget(name)
        if name in self._made:
            quoted = exp.to_identifier(name, quoted=True).sql(dialect=self.dialect)
            with _answering():
                self.connection.execute(f"DROP {self._made.pop(name)} {quoted}")
        if name in self._loaded:
            self.connection.unregister(name)
            self._loaded.discard(name)

    def _repeats(self, query: exp.Select) -> bool:
        """Whether rows may be equal: they are not if their hashes all differ, which is soon seen.

        To find the distinct rows of a large table takes several times as long.
        """
        names = [exp.column(exp.to_identifier(name, quoted=True)) for name in query.named_selects]
        hashed = exp.alias_(exp.Anonymous(this="hash", expressions=names), "hash")
        answer = self.run(exp.select(hashed).from_(query.subquery("rows")))
        return not all_differ(answer.column("hash").to_numpy())

    def _number(self, query: exp.Query) -> float:
        """The number that is a query's answer."""
        with _answering():
            (row,) = self.connection.sql(query.sql(dialect=self.dialect)).fetchall()
        return float(row[0])

    def close(self) -> None:
        """End the connection, and remove the scratch database."""
        self.connection.close()
        if self._database is not None:
            for scratch in (self._database, self._database.with_name(self._database.name + ".wal")):
                scratch.unlink(missing_ok=True)


@contextmanager
def _answering() -> Iterator[None]:
    """Turn DuckDB's errors into ours, and an interrupted query into an interruption."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        raise EngineFailed(_first_line(error), remedy=_remedy(error)) from error
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _remedy(error: Exception) -> str | None:
    """What helps against running out of memory or disk."""
    text = str(error).lower()
    if "no space left" in text or "temp_directory" in text:
        return "free some disk space, or spill elsewhere: DuckDBEngine(spill_to=...)"
    if "out of memory" in text or "memory limit" in text:
        return "narrow the condition, or raise the limit: DuckDBEngine(memory_limit=...)"
    return None
