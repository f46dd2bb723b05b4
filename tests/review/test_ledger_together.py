"""What is recorded together is recorded as one: all of it, or nothing."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tacit.errors import BadInput, DuplicateName, NotFinite
from tacit.logic.program import Program
from tacit.review import Answer, Ledger, replay
from tests.review.asking import SEED, STAMP, evidence, feature

FINE, GOOD = feature("fine"), feature("good")


class Failed(Exception):
    """Something goes wrong between two writes."""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


def kinds(ledger: Ledger) -> list[str]:
    """What another process sees."""
    with Ledger(ledger.path) as other:
        return [event.kind for event in other.history()]


def test_nothing_is_seen_before_all_is_there(ledger: Ledger) -> None:
    with ledger.together():
        ledger.propose(FINE, STAMP)
        ledger.answer(Answer(FINE.id, "pos", "ann", 1.0))
        ledger.add(evidence("fine"), STAMP, question=FINE.id)
        assert len(ledger.history()) == 3
        assert kinds(ledger) == []
    assert kinds(ledger) == ["proposed", "answered", "added"]


def test_contexts_within_a_context_are_part_of_it(ledger: Ledger) -> None:
    with ledger.together():
        ledger.propose(FINE, STAMP)
        with ledger.together():
            ledger.add(evidence("one"), STAMP)
            with ledger.together():
                ledger.note("health", STAMP, {})
        assert kinds(ledger) == []
    assert kinds(ledger) == ["proposed", "added", "health"]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nothing_is_left_of_what_fails(ledger: Ledger, depth: int) -> None:
    ledger.propose(GOOD, STAMP)

    def write(left: int) -> None:
        with ledger.together():
            ledger.add(evidence(f"e{left}"), STAMP)
            if not left:
                raise Failed
            write(left - 1)

    with pytest.raises(Failed):
        write(depth - 1)
    assert kinds(ledger) == ["proposed"]
    assert ledger.in_force() == {}
    assert ledger.add(evidence("after"), STAMP)
    assert kinds(ledger) == ["proposed", "added"]


def test_a_failure_behind_an_inner_context_takes_that_back_too(ledger: Ledger) -> None:
    def write() -> None:
        with ledger.together():
            with ledger.together():
                ledger.add(evidence("one"), STAMP)
            raise Failed

    with pytest.raises(Failed):
        write()
    assert kinds(ledger) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_whoever_interrupts_leaves_nothing_half_done(
    ledger: Ledger, error: type[BaseException]
) -> None:
    def write() -> None:
        with ledger.together():
            ledger.propose(FINE, STAMP)
            raise error

    with pytest.raises(error):
        write()
    assert kinds(ledger) == []
    assert ledger.propose(FINE, STAMP)


def test_what_the_ledger_refuses_takes_all_back(ledger: Ledger) -> None:
    other = evidence("one", 'token(r, "dull") => sentiment(r) = neg')
    refused: dict[type[Exception], Callable[[], object]] = {
        DuplicateName: lambda: ledger.add(other, STAMP),
        NotFinite: lambda: ledger.note("health", STAMP, {"changed": float("nan")}),
        BadInput: lambda: ledger.roll_back("three", STAMP),
    }

    def write(last: Callable[[], object]) -> None:
        with ledger.together():
            ledger.add(evidence("two"), STAMP)
            ledger.undo("one", STAMP)
            ledger.add(evidence("one"), STAMP)
            last()

    ledger.add(evidence("one"), STAMP)
    for error, last in refused.items():
        with pytest.raises(error):
            write(last)
    assert list(ledger.in_force()) == ["one"]
    assert kinds(ledger) == ["added"]


def test_a_disk_that_fails_at_the_end_leaves_nothing(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = ledger._file._connection

    class Full:
        """A connection whose disk is full when all is to be kept."""

        def __getattr__(self, name: str) -> object:
            return getattr(connection, name)

        def execute(self, statement: str, *values: object) -> object:
            if statement == "COMMIT":
                raise sqlite3.OperationalError("disk full")
            return connection.execute(statement, *values)

    monkeypatch.setattr(ledger._file, "_connection", Full())
    with pytest.raises(Exception, match="disk full"), ledger.together():
        ledger.add(evidence("one"), STAMP)
    monkeypatch.undo()
    assert kinds(ledger) == []
    assert ledger.add(evidence("one"), STAMP)


def test_what_is_decided_in_a_context_sees_what_was_written_in_it(ledger: Ledger) -> None:
    with ledger.together():
        ledger.propose(FINE, STAMP)
        ledger.answer(Answer(FINE.id, "pos", "ann", 1.0))
        ledger.add(evidence("fine"), STAMP, question=FINE.id)
        assert replay(ledger, Program.parse(SEED)).evidence[-1].name == "fine"
        ledger.take_back(FINE.id, STAMP)
        assert ledger.pending() == (FINE,)
    assert replay(ledger, Program.parse(SEED)) == Program.parse(SEED)


def test_other_threads_wait_for_their_turn(ledger: Ledger) -> None:
    begun, written = threading.Event(), threading.Event()

    def theirs() -> None:
        begun.set()
        ledger.add(evidence("theirs"), STAMP)
        written.set()

    thread = threading.Thread(target=theirs)

    def ours() -> None:
        with ledger.together():
            ledger.add(evidence("ours"), STAMP)
            thread.start()
            begun.wait()
            assert not written.wait(0.05)
            raise Failed

    with pytest.raises(Failed):
        ours()
    thread.join()
    assert list(ledger.in_force()) == ["theirs"]


KILLED = """
import os, signal, sys
from tacit.review import Ledger
from tests.review.asking import STAMP, evidence
with Ledger(sys.argv[1]) as ledger, ledger.together():
    ledger.add(evidence("one"), STAMP)
    with ledger.together():
        ledger.add(evidence("two"), STAMP)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_kill_minus_nine_leaves_nothing_half_done(ledger: Ledger) -> None:
    ledger.propose(FINE, STAMP)
    command = [sys.executable, "-c", KILLED, str(ledger.path)]
    killed = subprocess.run(command, cwd=Path(__file__).parents[2], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert kinds(ledger) == ["proposed"]
    assert ledger.add(evidence("one"), STAMP)
