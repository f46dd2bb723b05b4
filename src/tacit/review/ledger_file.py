"""The file of a ledger: one SQLite table that only grows, safe with several processes.

A write is on the disk before its call returns (write-ahead log, synchronous=FULL), and writers take
turns, so that what one of them read in its turn still holds when it writes.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.errors import BadFile, EngineFailed, NotFinite
from tacit.review.events import EVENT_KINDS, Event, EventKind, Stamp

SCHEMA_VERSION = 2  # 1 had no opinions, and no index by question
APPLICATION_ID = 0x7AC17  # in the file's header: a ledger and no other database
PATIENCE_S = 30.0  # for how long a writer waits for its turn; a turn takes milliseconds

_SCHEMA = f"""
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL CHECK (kind IN {EVENT_KINDS}),
    time     REAL NOT NULL,
    who      TEXT NOT NULL,
    question TEXT,
    turn     INTEGER NOT NULL,
    name     TEXT,
    data     TEXT NOT NULL,
    program  TEXT NOT NULL,
    payload  TEXT NOT NULL
);
CREATE UNIQUE INDEX once ON events (question, kind, turn)
    WHERE question IS NOT NULL AND kind IN ('proposed', 'asked', 'answered', 'undone');
CREATE INDEX by_kind ON events (kind, sequence);
CREATE INDEX by_question ON events (question, kind, turn);
CREATE TRIGGER never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
CREATE TRIGGER never_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'nothing is removed from a ledger'); END;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""
# An older table makes room for a new one: a check of kinds cannot be changed in place.
_SET_ASIDE = """
DROP TRIGGER never_changed;
DROP TRIGGER never_removed;
DROP INDEX once;
DROP INDEX by_kind;
ALTER TABLE events RENAME TO events_before;
"""
_TAKE_OVER = """
INSERT INTO events SELECT * FROM events_before;
DROP TABLE events_before;
"""
_COLUMNS = "sequence, kind, time, who, question, turn, name, data, program, payload"


class LedgerFile:
    """An open ledger file; threads may share it."""

    def __init__(self, path: Path, *, create: bool, patience_s: float) -> None:
        if not create and not path.exists():
            raise BadFile(f"there is no ledger {path}", remedy="a growing program writes one")
        self.path, self._turn = path, threading.RLock()
        self._read: tuple[Event, ...] = ()
        self._connection = _connected(path, patience_s)
        try:
            with _told(path):
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the file; all that was acknowledged is in it."""
        with self._turn:
            self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A turn of writing: all of it happens, or nothing, and no other writes meanwhile.

        Within a turn, another one is part of it.
        """
        with self._turn, _told(self.path):
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def append(
        self,
        kind: EventKind,
        stamp: Stamp,
        payload: dict[str, Any],
        *,
        question: str | None = None,
        turn: int = 0,
        name: str | None = None,
    ) -> None:
        """Write one event; only in a turn of writing."""
        text = _text(kind, payload)
        self._connection.execute(
            f"INSERT INTO events ({_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (kind, stamp.when, stamp.who, question, turn, name, stamp.data, stamp.program, text),
        )

    def events(
        self,
        where: str = "true",
        values: Sequence[object] | Mapping[str, object] = (),
        *,
        tables: str = "events AS e",
        order: str = "e.sequence",
        most: int | None = None,
    ) -> tuple[Event, ...]:
        """The events `e` for which an SQL condition holds, the oldest first unless told."""
        columns = ", ".join(f"e.{name}" for name in _COLUMNS.split(", "))
        query = f"SELECT {columns} FROM {tables} WHERE {where} ORDER BY {order}"
        query += "" if most is None else f" LIMIT {most:d}"
        with self._turn, _told(self.path):
            return tuple(map(_event, self._connection.execute(query, values).fetchall()))

    def history(self) -> tuple[Event, ...]:
        """Every event, the oldest first; what was read before is not read again."""
        with self._turn:
            last = self._read[-1].sequence if self._read else 0
            found = (*self._read, *self.events("e.sequence > ?", (last,)))
            if not self._connection.in_transaction:  # what is written now may be taken back
                self._read = found
            return found

    def count(
        self,
        where: str,
        values: Sequence[object] | Mapping[str, object] = (),
        *,
        tables: str = "events AS e",
    ) -> int:
        """The number of events `e` for which an SQL condition holds."""
        query = f"SELECT COUNT(*) FROM {tables} WHERE {where}"
        with self._turn, _told(self.path):
            return int(self._connection.execute(query, values).fetchone()[0])

    def questions(self, where: str) -> list[str]:
        """The ids of the questions that events are about, without reading the events."""
        query = f"SELECT e.question FROM events AS e WHERE {where} ORDER BY e.sequence"
        with self._turn, _told(self.path):
            return [str(question) for (question,) in self._connection.execute(query)]

    def _prepare(self) -> None:
        """Make sure that this is a ledger; an empty file becomes one, an older one a new one."""
        if self._is_empty():
            self._execute("PRAGMA journal_mode = WAL")
            with self.writing():
                if self._is_empty():  # another process may have been quicker
                    self._execute_all(_SCHEMA)
        _check(self.path, self._number("application_id"), self._number("user_version"))
        if self._is_older():
            with self.writing():
                if self._is_older():
                    self._execute_all(f"{_SET_ASIDE}{_SCHEMA}{_TAKE_OVER}")
        self._execute("PRAGMA synchronous = FULL")
        self._execute("PRAGMA recursive_triggers = ON")  # REPLACE is a removal too

    def _is_older(self) -> bool:
        return self._number("user_version") < SCHEMA_VERSION

    def _is_empty(self) -> bool:
        return not self._connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]

    def _execute_all(self, statements: str) -> None:
        statement = ""
        for line in statements.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                self._execute(statement)
                statement = ""

    def _execute(self, statement: str) -> None:
        self._connection.execute(statement).close()

    def _number(self, pragma: str) -> int:
        return int(self._connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _connected(path: Path, patience_s: float) -> sqlite3.Connection:
    try:
        return sqlite3.connect(
            path, timeout=patience_s, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise BadFile(
            f"the ledger {path} cannot be opened: {error}",
            remedy="is it a file, and does its folder exist?",
        ) from None


def _check(path: Path, application: int, version: int) -> None:
    """Refuse another program's database, and a ledger from the future."""
    if application != APPLICATION_ID:
        raise BadFile(f"{path} is no ledger but another database", remedy="name another file")
    if version > SCHEMA_VERSION:
        raise BadFile(
            f"the ledger {path} has schema {version}; this tacit reads up to {SCHEMA_VERSION}",
            remedy="pip install --upgrade tacit",
        )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Failures of SQLite in words that a user can act on."""
    try:
        yield
    except sqlite3.OperationalError as error:
        remedy = "is the disk full, or has another process held the file for long?"
        if "readonly" in str(error):
            remedy = "let the file and its folder be written, or copy it: to read it needs that too"
        raise EngineFailed(
            f"the ledger {path} could not be read or written: {error}", remedy=remedy
        ) from error
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error) or "malformed" in str(error):
            raise BadFile(f"{path} is no ledger: {error}", remedy="name another file") from None
        raise EngineFailed(f"the ledger {path} refused: {error}") from error


def _text(kind: str, payload: dict[str, Any]) -> str:
    """A payload as JSON; numbers of NumPy become plain ones."""
    try:
        return json.dumps(payload, allow_nan=False, default=lambda number: number.item())
    except ValueError:
        raise NotFinite(
            f"an event '{kind}' holds a number that is not finite",
            remedy="leave such numbers out, or use None",
        ) from None


def _event(row: tuple[Any, ...]) -> Event:
    sequence, kind, time, who, question, turn, name, data, program, payload = row
    stamp = Stamp(who, time, data, program)
    return Event(sequence, kind, stamp, question, turn, name, json.loads(payload))
