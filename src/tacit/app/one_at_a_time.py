"""A lock on a ledger: one process that learns into it, and one that serves its pages.

A lock is an SQLite transaction that is never ended: the operating system lets go of it when the
process ends, however it ends. What it is that holds a lock stands beside it in a small text file.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from tacit.app.settings import shown
from tacit.errors import BadFile, BadInput

Lock = Literal["grow", "review"]  # who learns, and who serves: the two do not exclude each other
PATIENCE_S = 0.3  # for someone who only looks whether the lock is held
# Whoever waits for a file gets one that has just been removed, as long as others come without a
# break: seconds of that are borne.
_TRIES = 1000
_PAUSE = 0.002  # seconds between them
_one_thread = threading.Lock()
_own: set[Path] = set()  # files that this process has locked


@dataclass(frozen=True, slots=True)
class Holder:
    """What holds a lock."""

    what: str  # the command
    pid: int | None = None
    address: str | None = None  # where it can be seen


class Held:
    """A lock that is held."""

    def __init__(self, note: Path, holder: Holder) -> None:
        self._note, self.holder = note, holder

    def tell(self, address: str) -> None:
        """Let others know where this process can be seen."""
        self.holder = replace(self.holder, address=address)
        self.write()

    def write(self) -> None:
        """Write who holds the lock, for this user's eyes only: an address may hold a token."""
        aside = self._note.with_name(f"{self._note.name}.{os.getpid()}")
        aside.touch(mode=0o600)
        aside.write_text(json.dumps(asdict(self.holder)), encoding="utf-8")
        aside.replace(self._note)


@contextmanager
def only_one(
    ledger: Path, lock: Lock, *, what: str = "tacit grow", address: str | None = None
) -> Iterator[Held]:
    """Hold one of a ledger's two locks; whoever comes second is told who holds it, and where."""
    path, note = _files(ledger, lock)
    locked = _locked(path)
    if locked is None:
        raise _refusal(ledger, holder(ledger, lock) or Holder("another process"))
    held = Held(note, Holder(what, os.getpid(), address))
    try:
        held.write()
        yield held
    finally:
        # Where open files cannot be removed they stay, and the next one takes them over.
        for file in (note, path):
            with suppress(OSError):
                file.unlink()
        _let_go(path, locked)


def holder(ledger: Path, lock: Lock) -> Holder | None:
    """What holds a lock now; None if nothing does."""
    path, note = _files(ledger, lock)
    if not path.exists() or not _is_held(path):
        return None
    try:
        return Holder(**json.loads(note.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # it has not been written yet
        return Holder("another process")


def _refusal(ledger: Path, by: Holder) -> BadInput:
    does = f"is being reviewed at {by.address}" if by.address else "is in use"
    process = f" (process {by.pid})" if by.pid else ""
    return BadInput(
        f"{shown(ledger)} {does} by {by.what}{process}",
        remedy="go on there, or end it first" if by.address else "wait for its end, or end it",
    )


def _files(ledger: Path, lock: Lock) -> tuple[Path, Path]:
    """The file that is locked, and the one that says by whom."""
    ledger = ledger.resolve()  # the same file by whatever name
    name = f".{ledger.name}.{lock}"
    return ledger.with_name(f"{name}.lock"), ledger.with_name(f"{name}.holder")


class _Locked(NamedTuple):
    connection: sqlite3.Connection  # has the lock
    file: int  # the same file, opened once more


def _locked(path: Path) -> _Locked | None:
    """The file, locked; None if another one holds it.

    Whoever ends removes the file. So what is locked here may be a file that has lost its name,
    while someone else makes and locks a new one of that name. While a file is open its number is
    not given to another: if the name still stands for that number, it has all the time.

    To close a file lets go of all locks that a process has on it, by whatever way it was opened.
    So a process that has the lock must not even try again.
    """
    with _one_thread:
        for _ in range(_TRIES):
            if path in _own:
                return None
            file = _opened(path)
            try:
                connection = _exclusively(path)
            except BadFile:
                os.close(file)
                raise
            if connection is None:
                os.close(file)
                return None
            locked = _Locked(connection, file)
            if _is_named(path, file):
                _own.add(path)
                return locked
            _close(locked)
            time.sleep(_PAUSE)
    raise BadFile(f"{path} comes and goes: it cannot be locked", remedy="try again")


def _let_go(path: Path, locked: _Locked) -> None:
    with _one_thread:
        _close(locked)
        _own.discard(path)


def _close(locked: _Locked) -> None:
    locked.connection.close()
    os.close(locked.file)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise BadFile(f"{path} cannot be made: {error.strerror or error}") from error


def _is_named(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _exclusively(path: Path) -> sqlite3.Connection | None:
    connection = sqlite3.connect(
        path, timeout=PATIENCE_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA journal_mode = OFF")  # nothing is ever written
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        if "locked" in str(error):
            return None
        raise BadFile(f"{path} cannot be locked: {error}") from error
    return connection


def _is_held(path: Path) -> bool:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)
    try:
        connection.execute("SELECT COUNT(*) FROM sqlite_master")
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    finally:
        connection.close()
    return False
