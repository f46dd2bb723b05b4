"""Ledgers of before are opened, with all that is in them."""

import sqlite3
import threading
from pathlib import Path

import pytest

from tacit.errors import BadFile, EngineFailed
from tacit.logic.program import Program
from tacit.review import Answer, Ledger, replay
from tacit.review.ledger_file import SCHEMA_VERSION
from tests.review.asking import SEED, STAMP, evidence, feature

FIRST_SCHEMA = """
CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT NOT NULL CHECK (kind IN ('started', 'proposed', 'asked', 'answered', 'added',
        'rolled_back', 'undone', 'health', 'finished')),
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
CREATE TRIGGER never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
CREATE TRIGGER never_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'nothing is removed from a ledger'); END;
PRAGMA application_id = 502807;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file of the first schema, with the events of a short review."""
    with Ledger(tmp_path / "new.sqlite") as ledger:
        ledger.start(Program.parse(SEED), STAMP)
        for word in ("fine", "dull"):
            ledger.propose(feature(word), STAMP)
        ledger.next_question("ann", now=1.0)
        ledger.answer(Answer(feature("fine").id, "pos", "ann", 2.0))
        ledger.add(evidence("fine"), STAMP, question=feature("fine").id)
    path = tmp_path / "old.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(FIRST_SCHEMA)
    connection.execute("ATTACH ? AS new", (str(tmp_path / "new.sqlite"),))
    connection.execute("INSERT INTO events SELECT * FROM new.events")
    connection.commit()
    connection.close()
    return path


def number(path: Path, pragma: str) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
    finally:
        connection.close()


def test_a_ledger_of_the_first_schema_is_read_and_goes_on(old: Path) -> None:
    assert number(old, "user_version") == 1
    with Ledger(old.with_name("new.sqlite")) as twin, Ledger(old) as ledger:
        assert ledger.history() == twin.history()
        assert [e.name for e in replay(ledger).evidence] == ["praise", "fine"]
        ledger.give_opinion(Answer(feature("fine").id, "neg", "bob", 3.0))
        question = ledger.next_question("bob", now=3.0)
        assert question == feature("dull")
        ledger.answer(Answer(question.id, "skip", "bob", 4.0))
        sequences = [event.sequence for event in ledger.history()]
        assert sequences == list(range(1, len(sequences) + 1))
    assert number(old, "user_version") == SCHEMA_VERSION
    assert number(old, "application_id") == 502807


def test_it_still_cannot_be_changed(old: Path) -> None:
    Ledger(old).close()
    connection = sqlite3.connect(old)
    for statement in ("UPDATE events SET who = 'eve'", "DELETE FROM events"):
        with pytest.raises(sqlite3.IntegrityError, match="ledger"):
            connection.execute(statement)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert "events_before" not in tables
    assert {"once", "by_kind", "by_question"} < tables
    connection.close()


def test_several_may_open_it_at_once(old: Path) -> None:
    failed: list[BaseException] = []

    def opened() -> None:
        try:
            with Ledger(old) as ledger:
                assert len(ledger.history()) == 6
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=opened) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_what_cannot_be_taken_over_stays_as_it_was(old: Path) -> None:
    """A file of the first schema that holds something else under a name that is needed."""
    connection = sqlite3.connect(old)
    connection.execute("CREATE TABLE events_before (a)")
    connection.commit()
    connection.close()
    with pytest.raises(EngineFailed, match="events_before"):
        Ledger(old)
    assert number(old, "user_version") == 1
    connection = sqlite3.connect(old)
    assert connection.execute("SELECT COUNT(*) FROM events").fetchone() == (6,)
    connection.close()


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "half.sqlite"
    Ledger(path).close()
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(BadFile, match="no ledger"):
        Ledger(path).history()


def test_a_file_that_must_not_be_written_says_so(old: Path) -> None:
    with Ledger(old) as ledger:
        ledger._file._execute("PRAGMA query_only = ON")  # as where file or folder is read-only
        with pytest.raises(EngineFailed, match="readonly") as error:
            ledger.propose(feature("new"), STAMP)
    assert "be written" in str(error.value.remedy)
